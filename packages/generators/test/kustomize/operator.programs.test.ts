/** Operators with a Kustomize folder on the in-memory API server, with the real programs. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { dependentSet, type Renderer, setStatus } from "@treadle/dependents";
import { conditions, type Handler, handler } from "@treadle/reconcile";
import { startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { kustomize } from "../../src/kustomize/kustomize.ts";
import { folder } from "../folder.ts";

const spec = z.object({ size: z.int().default(1), base: z.string().default("../../base") });
const names = { group: "t.treadle.dev", version: "v1", kind: "Web", scope: "Namespaced" } as const;
const Web = defineResource({ ...names, dependents: true, stepState: true, spec, status: z.object({ ...setStatus }) });

function operator(objects: Renderer<ObjectOf<typeof Web>>): Handler<ObjectOf<typeof Web>> {
  const set = dependentSet(Web, { name: "web", condition: "WebReady", kinds: [ConfigMap], objects });
  return handler(Web).step(conditions()).step(set).build();
}

const files = {
  "overlays/prod/kustomization.yaml": "resources: ['{{ .Values.component.spec.base }}']\nnamePrefix: {{ .Values.name }}-\n# ../../base\n",
  "base/kustomization.yaml": "resources: [a.yaml]\n",
  "base/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config}\ndata: {size: '{{ .Values.component.spec.size }}'}\n",
};

test("an owner gets the objects of a folder, and keeps them when a value leads out of the folder", async () => {
  const root = folder({ ...files, "secret/kustomization.yaml": "configMapGenerator: [{name: stolen}]" });
  await using cluster = await startTestCluster();
  await cluster.start(operator(kustomize(path.join(root, "overlays/prod"), { template: true })));
  await cluster.create(Web, { metadata: { name: "shop" }, spec: { size: 2 } });
  await cluster.settled();
  expect((await cluster.get(ConfigMap, "shop-config"))?.data).toEqual({ size: "2" });
  await cluster.update(Web, "shop", ({ spec: given }) => void (given.base = "../../secret"));
  await cluster.settled();
  expect((await cluster.get(Web, "shop"))?.status?.conditions).toContainEqual(
    expect.objectContaining({
      type: "WebReady",
      status: "False",
      message: expect.stringMatching(/kustomization\.yaml: resources\[0\] names nothing/),
    }),
  );
  expect(await cluster.get(ConfigMap, "shop-config")).toBeDefined();
  await cluster.update(Web, "shop", ({ spec: given }) => Object.assign(given, { base: "../../base", size: 3 }));
  await cluster.settled();
  expect((await cluster.get(ConfigMap, "shop-config"))?.data).toEqual({ size: "3" });
});

test("a change of a watched folder is applied without a change of the owner", async () => {
  const root = folder(files);
  await using cluster = await startTestCluster({ time: "real" });
  await cluster.start(operator(kustomize(path.join(root, "overlays/prod"), { template: true, watch: true })));
  await cluster.create(Web, { metadata: { name: "shop" }, spec: {} });
  const sizeOf = async (): Promise<unknown> => (await cluster.get(ConfigMap, "shop-config"))?.data;
  await expect.poll(sizeOf).toEqual({ size: "1" });
  writeFileSync(path.join(root, "base/a.yaml"), files["base/a.yaml"].replace("'{{", "'changed-{{"));
  await expect.poll(sizeOf).toEqual({ size: "changed-1" });
});
