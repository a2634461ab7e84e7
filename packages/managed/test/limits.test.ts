/** The limits of a provider with many objects, in complete operators. */
import { defineResource } from "@treadle/apimachinery";
import { conditions, handler } from "@treadle/reconcile";
import { startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { managed, managedSpec, managedStatus, managedTraits, reference } from "../src/index.ts";
import { Bucket, bucketOptions, CONFIG, LOGIN, outside, storeProvider } from "./stage.ts";

const Folder = defineResource({
  ...managedTraits,
  group: "store.test",
  version: "v1",
  kind: "Folder",
  scope: "Namespaced",
  spec: z.object({ ...managedSpec, bucket: z.string() }),
  status: z.object({ ...managedStatus }),
});

test("objects that wait for a reference take no turn from the object that they wait for", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ objects: [CONFIG, LOGIN] });
  const api = outside({ createMs: 4_000, clock: cluster.clock });
  const provider = storeProvider(api, { rate: { perSecond: 5, burst: 5 } });
  const bucket = managed(Bucket, bucketOptions(api, { provider }));
  const folder = managed(Folder, {
    name: "folder",
    provider,
    references: { bucket: reference(Bucket, ({ spec }) => spec.bucket) },
    externalName: ({ metadata }) => `folder-${metadata.name}`,
    observe: ({ api: fake, name, signal }) => fake.observe({ name, signal }),
    desired: ({ references }) => ({ region: references.bucket }),
    create: ({ api: fake, name, token, want, signal }) => fake.create({ name, token, want, signal }),
  });
  await cluster.start([
    handler(Bucket)
      .step(conditions())
      .step(bucket as never)
      .build(),
    handler(Folder).step(conditions()).step(folder).build(),
  ]);
  for (let i = 0; i < 150; i++) await cluster.create(Folder, { metadata: { name: `f${i}` }, spec: { bucket: "a" } });
  await cluster.create(Bucket, { metadata: { name: "a" } });
  await cluster.advance(30_000);
  const made = await cluster.get(Bucket, "a");
  expect(made?.status?.conditions?.find(({ type }) => type === "Ready")?.status).toBe("True");
  await cluster.advance(120_000);
  const folders = await cluster.list(Folder);
  expect(
    folders.filter(({ status }) => status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True")),
  ).toHaveLength(150);
});
