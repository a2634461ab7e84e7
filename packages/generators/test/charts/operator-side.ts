/** A release that an operator with one set keeps in a server of its own. */
import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { APIService, Ingress } from "@treadle/apimachinery/kinds";
import { dependentSet, type Renderer, setStatus } from "@treadle/dependents";
import { conditions, handler } from "@treadle/reconcile";
import type { TestCluster, TestOperator } from "@treadle/testing";
import { expect } from "vitest";
import { z } from "zod";
import type { Differences } from "./live.ts";

/** A release of a chart. Its values are JSON: a chart knows their form. */
export const Release = defineResource({
  group: "releases.example.dev",
  version: "v1",
  kind: "Release",
  scope: "Namespaced",
  dependents: true,
  stepState: true,
  spec: z.object({ values: z.string() }),
  status: z.object({ ...setStatus }),
});
/** A release of a chart. */
export interface Release extends ObjectOf<typeof Release> {}

const HANDLER = "releases.example.dev";

/** Returns the values of a release. */
export function valuesOf({ spec }: Release): Readonly<Record<string, unknown>> {
  return JSON.parse(spec.values) as Readonly<Record<string, unknown>>; // the tests write objects
}

/** Starts the operator of one chart. */
export async function startOperator(cluster: TestCluster, objects: Renderer<Release>): Promise<TestOperator> {
  const release = dependentSet(Release, { name: "release", condition: "ReleaseReady", kinds: "any", objects });
  return await cluster.start(handler(Release, { name: HANDLER }).step(conditions()).step(release).build(), { rbac: "administrator" });
}

/** Writes the values of a release, and waits until its objects are ready. */
export async function release(
  cluster: TestCluster,
  { name, namespace }: { name: string; namespace: string },
  values: object,
): Promise<void> {
  const spec = { values: JSON.stringify(values) };
  const { metadata } = await cluster.client.apply(Release, { metadata: { name, namespace }, spec }, { fieldManager: "user", force: true });
  const ready = async (): Promise<unknown> => {
    await playControllers(cluster);
    const found = (await cluster.get(Release, `${namespace}/${name}`))?.status?.conditions?.find(({ type }) => type === "ReleaseReady");
    const { status, message, observedGeneration } = found ?? {};
    return status === "True" && observedGeneration === metadata.generation ? "ready" : `${status}: ${message}`;
  };
  await expect.poll(ready, { timeout: 50_000 }).toBe("ready");
  await cluster.settled();
}

/** Deletes a release, and waits until it no longer exists. */
export async function remove(cluster: TestCluster, { name, namespace }: { name: string; namespace: string }): Promise<void> {
  await cluster.delete(Release, `${namespace}/${name}`);
  await expect.poll(() => cluster.get(Release, `${namespace}/${name}`), { timeout: 50_000 }).toBeUndefined();
}

/** Plays the controllers that a cluster in memory does not have: an aggregated server, and an ingress controller. */
async function playControllers(cluster: TestCluster): Promise<void> {
  for (const { metadata } of await cluster.list(APIService)) await cluster.makeReady(APIService, metadata.name);
  for (const { metadata } of await cluster.list(Ingress)) await cluster.makeReady(Ingress, `${metadata.namespace}/${metadata.name}`);
}

/** What the operator adds to the objects of a release. */
export const operatorDifferences: Differences = {
  isForeign: ({ apiVersion, metadata }) =>
    apiVersion === `${Release.group}/${Release.version}` || metadata.name === `${Release.plural}.${Release.group}`,
  isMark: (name, value) =>
    name.startsWith(`${HANDLER}/`) || name.includes("treadle.dev/") || (name === "app.kubernetes.io/managed-by" && value === "Helm"),
  isFinalizer: (name) => name.startsWith(HANDLER),
};
