/** The user's story of a CRD whose storage version changes. In memory and, unchanged, on a real server. */
import { kind } from "@treadle/apimachinery";
import { CustomResourceDefinition } from "@treadle/apimachinery/kinds";
import { migrateStoredVersions } from "@treadle/controller";
import { expect, test, vi } from "vitest";
import { startTestCluster } from "../src/index.ts";

const NAME = "shelves.stored.example.dev";
const Shelf = kind({ group: "stored.example.dev", version: "v1", kind: "Shelf", plural: "shelves" });
const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
const versions = (storage: string): object[] => ["v1", "v2"].map((name) => ({ name, served: true, storage: name === storage, schema }));
const crd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: NAME },
  spec: { group: "stored.example.dev", scope: "Namespaced", names: { kind: "Shelf", plural: "shelves" }, versions: versions("v1") },
};
const shelf = (name: string): object => ({ apiVersion: "stored.example.dev/v1", kind: "Shelf", metadata: { name }, spec: { size: 3 } });

test("the old version can be removed after all objects are stored in the new one", async () => {
  await using cluster = await startTestCluster({ objects: [crd, shelf("a"), shelf("b")] });
  const { client } = cluster;
  expect(await migrateStoredVersions(client, NAME)).toEqual({ storageVersion: "v1", removed: [], rewritten: 0 });
  await client.patch(CustomResourceDefinition, { name: NAME }, { type: "merge", body: { spec: { versions: versions("v2") } } });
  const told: number[] = [];
  // For a moment after the change a real server says that it is initializing its storage.
  const migrated = await vi.waitFor(
    async () => await migrateStoredVersions(client, NAME, { onProgress: (rewritten) => void told.push(rewritten) }),
    { timeout: 15_000, interval: 500 },
  );
  expect(migrated).toEqual({ storageVersion: "v2", removed: ["v1"], rewritten: 2 });
  expect(told).toEqual([2]);
  expect((await client.get(CustomResourceDefinition, { name: NAME }))?.status?.storedVersions).toEqual(["v2"]);
  expect(await client.get(Shelf, { name: "a", namespace: "default" })).toMatchObject({ spec: { size: 3 } });
  expect(await migrateStoredVersions(client, NAME)).toMatchObject({ removed: [], rewritten: 0 });
});

test("the old version cannot be removed before that", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ objects: [crd, shelf("a")] });
  const { client } = cluster;
  const becomes = async (to: readonly object[]): Promise<unknown> =>
    await client.patch(CustomResourceDefinition, { name: NAME }, { type: "merge", body: { spec: { versions: to } } });
  await becomes(versions("v2"));
  const only = versions("v2").slice(1);
  await expect(becomes(only)).rejects.toMatchObject({ code: "ERR_INVALID" });
  await migrateStoredVersions(client, NAME);
  await becomes(only);
});

test("a missing CRD is named in the error", async () => {
  await using cluster = await startTestCluster();
  await expect(migrateStoredVersions(cluster.client, "nothing.example.dev")).rejects.toMatchObject({ code: "ERR_STORED_VERSIONS" });
});
