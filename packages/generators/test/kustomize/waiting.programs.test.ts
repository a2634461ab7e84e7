/**
 * Owners that wait for a program, on the in-memory API server. A slot that a pass does not take is kept for 10 s.
 *
 * @module-tag memory
 */
import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { dependentSet, merged, type Renderer, setStatus } from "@treadle/dependents";
import { conditions, handler } from "@treadle/reconcile";
import { startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { kustomize } from "../../src/kustomize/kustomize.ts";
import { folder } from "../folder.ts";

const names = { group: "t.treadle.dev", version: "v1", kind: "Web", scope: "Namespaced" } as const;
const Web = defineResource({ ...names, dependents: true, stepState: true, spec: z.object({}), status: z.object({ ...setStatus }) });

const config = (name: string): string => `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}}`;
const templates = (name: string): string => folder({ "a.yaml": config(`'{{ .Values.name }}-${name}'`) });

test.for<{ name: string; renderer: () => Renderer<ObjectOf<typeof Web>>; objects: number }>([
  {
    name: "one folder without templates",
    renderer: () => {
      const root = folder({ "kustomization.yaml": "resources: [a.yaml]", "a.yaml": config("a") });
      return kustomize(root, { edit: (object, { metadata }) => ({ ...object, metadata: { name: metadata.name } }) });
    },
    objects: 12,
  },
  {
    name: "two folders with templates each",
    renderer: () => merged(kustomize(templates("one"), { template: true }), kustomize(templates("two"), { template: true })),
    objects: 24,
  },
])("twelve owners of $name all get their objects within seconds", { timeout: 30_000 }, async ({ renderer, objects }) => {
  const set = dependentSet(Web, { name: "web", condition: "WebReady", kinds: [ConfigMap], objects: renderer() });
  await using cluster = await startTestCluster({ time: "real" });
  for (let i = 0; i < 12; i++) await cluster.create(Web, { metadata: { name: `w-${i}` }, spec: {} });
  await cluster.start(handler(Web).step(conditions()).step(set).build());
  await expect.poll(async () => (await cluster.list(ConfigMap)).length, { timeout: 9_000, interval: 100 }).toBe(objects);
});
