/** The user's story of a CRD whose storage version changes. In memory and, unchanged, on a real server. */
import { kind } from "@treadle/apimachinery";
import { CustomResourceDefinition } from "@treadle/apimachinery/kinds";
import { migrateStoredVersions } from "@treadle/controller";
import { expect, test } from "vitest";
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

test("objects are written in the storage version, then the old one may go", async () => {
  await using cluster = await startTestCluster({ objects: [crd, shelf("a"), shelf("b")] });
  const { client } = cluster;
  expect(await migrateStoredVersions(client, NAME)).toEqual({ storageVersion: "v1", removed: [], rewritten: 0 });
  await client.patch(CustomResourceDefinition, { name: NAME }, { type: "merge", body: { spec: { versions: versions("v2") } } });
  const told: number[] = [];
  const migrated = await migrateStoredVersions(client, NAME, { onProgress: (rewritten) => void told.push(rewritten) });
  expect(migrated).toEqual({ storageVersion: "v2", removed: ["v1"], rewritten: 2 });
  expect(told).toEqual([2]);
  expect((await client.get(CustomResourceDefinition, { name: NAME }))?.status?.storedVersions).toEqual(["v2"]);
  expect(await client.get(Shelf, { name: "a", namespace: "default" })).toMatchObject({ spec: { size: 3 } });
  expect(await migrateStoredVersions(client, NAME)).toMatchObject({ removed: [], rewritten: 0 });
  const [, v2] = versions("v2");
  await client.patch(CustomResourceDefinition, { name: NAME }, { type: "merge", body: { spec: { versions: [v2] } } });
});

test("a CRD that is not there is named", async () => {
  await using cluster = await startTestCluster();
  await expect(migrateStoredVersions(cluster.client, "nothing.example.dev")).rejects.toMatchObject({ code: "ERR_STORED_VERSIONS" });
});
