/**
 * When the annotation of an owner gives up the objects in a target, and when it must not.
 *
 * @module-tag memory
 */
import { expect, test } from "vitest";
import { ConfigMap, credentials, namesIn, rotate, sceneOf, Secret, tenant, Tenant } from "./tenants.ts";

const ABANDON = "treadle.dev/abandon-target";
const type = "connection";
const annotated = tenant("a", {}, { annotations: { [ABANDON]: "stack" } });

test("a leftover annotation gives up nothing when the target refuses the credential once", async () => {
  await using scene = await sceneOf({ objects: [credentials("east", "t1"), annotated], type });
  const operator = await scene.start();
  await operator.settled();
  const east = scene.clusters.get("east");
  east?.tokens.clear();
  await scene.own.delete(Tenant, "a");
  await operator.settled({ horizonMs: 500 });
  east?.tokens.add("t1");
  await operator.settled({ horizonMs: 120_000 });
  expect(operator.events.map(({ reason }) => reason)).not.toContain("TargetAbandoned");
  expect(await namesIn(scene.east)).toEqual([]);
  expect(await scene.own.get(Tenant, "a")).toBeUndefined();
});

test("a leftover annotation gives up nothing when the Secret is replaced by kubectl", async () => {
  await using scene = await sceneOf({ objects: [credentials("east", "t1"), annotated], type });
  const first = await scene.start();
  await first.settled();
  await first.stop();
  await scene.own.delete(Secret, "credentials");
  await scene.own.delete(Tenant, "a");
  const operator = await scene.start();
  await operator.settled({ horizonMs: 500 });
  await scene.own.create(Secret, credentials("east", "t1") as never);
  await operator.settled({ horizonMs: 120_000 });
  expect(operator.events.map(({ reason }) => reason)).not.toContain("TargetAbandoned");
  expect(await namesIn(scene.east)).toEqual([]);
});

test("two outages with an answer between them are not two tries in a row", async () => {
  await using scene = await sceneOf({ objects: [credentials("east", "t1"), annotated], type });
  const operator = await scene.start();
  await operator.settled();
  // The removal waits for a finalizer of another writer.
  await scene.east.update(ConfigMap, "one", ({ metadata }) => void (metadata.finalizers = ["example.dev/slow"]));
  const east = scene.clusters.get("east");
  if (east === undefined) throw new Error("no east");
  east.isAway = true;
  await scene.own.delete(Tenant, "a");
  await operator.settled({ horizonMs: 500 });
  east.isAway = false;
  await operator.settled({ horizonMs: 300_000 });
  expect((await scene.east.get(ConfigMap, "one"))?.metadata.deletionTimestamp).toBeDefined();
  east.isAway = true;
  await scene.own.update(Tenant, "a", ({ metadata }) => void (metadata.labels = { again: "1" }));
  await operator.settled({ horizonMs: 1_000 });
  expect(operator.events.map(({ reason }) => reason)).not.toContain("TargetAbandoned");
});

test("an annotation that was removed and set again gives up another target", async () => {
  await using scene = await sceneOf({ objects: [credentials("east", "t1"), tenant("a")], type });
  const annotate = async (value: string | undefined): Promise<void> => {
    await scene.own.update(Tenant, "a", ({ metadata }) => void (metadata.annotations = value === undefined ? {} : { [ABANDON]: value }));
  };
  let operator = await scene.start();
  await operator.settled();
  await operator.stop();
  await rotate(scene.own, "west", "t1");
  await annotate("stack");
  operator = await scene.start();
  await operator.settled({ horizonMs: 120_000 });
  expect(await scene.condition()).toMatchObject({ status: "True" });
  await operator.stop();
  await annotate(undefined);
  await scene.own.delete(Secret, "credentials");
  await scene.own.delete(Tenant, "a");
  operator = await scene.start();
  await operator.settled({ horizonMs: 120_000 });
  await annotate("stack");
  await operator.settled({ horizonMs: 120_000 });
  expect(await scene.own.get(Tenant, "a")).toBeUndefined();
});
