/** A provider that fails again and again: nothing is lost, and the object says why. BEY-20 of the engine, seen through a provider. */
import { expect, test } from "vitest";
import { finalizer, TerminalError } from "@treadle/reconcile";
import { bucketOf, scene } from "./scene.ts";
import { Bucket } from "./stage.ts";

test("a provider that fails 100 times never makes the object lose its finalizer, and skip-cleanup is the way out", async () => {
  const { api, w, after, bucket, said } = scene();
  await w.create(Bucket, bucketOf() as never);
  await w.settled();
  await after(5_000);
  const [finalizer] = (await bucket())?.metadata.finalizers ?? [];
  api.fail("*", 500, Number.POSITIVE_INFINITY);
  await w.delete(Bucket, "a");
  for (let i = 0; i < 100; i++) {
    await after(61_000);
    expect((await bucket())?.metadata.finalizers).toEqual([finalizer]);
  }
  expect(api.calls.filter(({ verb }) => verb === "observe").length).toBeGreaterThan(100);
  expect(await said("Ready")).toMatch(/^False\/Deleting/);
  expect(await said("Synced")).toMatch(/^False\/ReconcileError: cannot observe Bucket "default-a" at the provider/);
  expect(api.items).toHaveLength(1);
  await w.update(Bucket, "a", ({ metadata }) => {
    metadata.annotations = { ...metadata.annotations, "treadle.dev/skip-cleanup": "buckets.store.test" };
  });
  await w.settled();
  expect([await bucket(), api.items.length]).toEqual([undefined, 1]);
});

test.for(["create", "update"] as const)("a terminal error of %s is not retried until the spec changes, and is shown", async (verb) => {
  const { api, w, after, said } = scene();
  await w.create(Bucket, bucketOf() as never);
  if (verb === "update") {
    await w.settled();
    await after(5_000);
    await after(60_000);
  }
  api.fail(verb, new TerminalError("the quota is too large", { code: "QuotaTooLarge" }), Number.POSITIVE_INFINITY);
  if (verb === "update") await w.update(Bucket, "a", ({ spec }) => void (spec.sizeGb = 9));
  await w.settled();
  for (let i = 0; i < 30; i++) await after(66_000);
  expect(api.count(verb)).toBe(1);
  expect(await said("Synced")).toMatch(/^False\/QuotaTooLarge: .*the quota is too large$/);
  api.heal();
  await w.update(Bucket, "a", ({ spec }) => void (spec.sizeGb = 2));
  for (let i = 0; i < 3; i++) await after(66_000);
  expect(await said("Synced")).toMatch(/^True/);
  expect(api.items).toMatchObject([{ values: { sizeGb: 2 } }]);
});

test("with finalizer({ waitForForeignMs }) last in the list, the resource is deleted after the finalizers of others", async () => {
  const { api, w, after, said } = scene({ later: [finalizer({ waitForForeignMs: 600_000, cleanup: () => undefined })] });
  await w.create(Bucket, bucketOf() as never);
  await w.settled();
  await after(5_000);
  const keep = (names: readonly string[]): Promise<unknown> =>
    w.update(Bucket, "a", ({ metadata }) => {
      metadata.finalizers = [...(metadata.finalizers ?? []).filter((name) => !name.startsWith("backup.example/")), ...names];
    });
  await keep(["backup.example/copy"]);
  await w.delete(Bucket, "a");
  await after(300_000);
  expect([api.count("delete"), api.items.length]).toEqual([0, 1]);
  expect(await said("ForeignFinalizers")).toContain("waiting for backup.example/copy");
  await keep([]);
  for (let i = 0; i < 3; i++) await after(60_000);
  expect([await w.get(Bucket, "a"), api.items]).toEqual([undefined, []]);
});

test("foreign finalizers hold the deletion of the resource for a limited time", async () => {
  const { api, w, after } = scene({ later: [finalizer({ waitForForeignMs: 600_000, cleanup: () => undefined })] });
  await w.create(Bucket, bucketOf() as never);
  await w.settled();
  await after(5_000);
  await w.update(Bucket, "a", ({ metadata }) => {
    metadata.finalizers = [...(metadata.finalizers ?? []), "backup.example/copy"];
  });
  await w.delete(Bucket, "a");
  await after(300_000);
  expect(api.items).toHaveLength(1);
  for (let i = 0; i < 4; i++) await after(120_000);
  expect(api.items).toEqual([]);
});
