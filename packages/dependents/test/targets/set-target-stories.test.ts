/** What happens to sets with a target while something else goes wrong. */
import { describe, expect, test } from "vitest";
import { ConfigMap, credentials, isReady, namesIn, rotate, sceneOf, Secret, tenant, Tenant } from "./tenants.ts";

const ABANDON = "treadle.dev/abandon-target";
const objects = [credentials("east", "t1"), tenant("a")];
const type = "connection";

describe("a set with a target", () => {
  test("reverts a change in the target, by the watch of the target", async () => {
    await using scene = await sceneOf({ objects, type });
    const operator = await scene.start();
    await operator.settled();
    await isReady(scene);
    await scene.east.update(ConfigMap, "one", (object) => void (object.data = { text: "changed" }));
    await scene.east.delete(ConfigMap, "two");
    await operator.settled({ horizonMs: 1_000 });
    expect((await scene.east.get(ConfigMap, "one"))?.data).toEqual({ text: "hello" });
    expect(await namesIn(scene.east)).toEqual(["one", "two"]);
  });

  test("sends no request in a pass in which nothing has changed", async () => {
    await using scene = await sceneOf({ objects, type });
    const operator = await scene.start();
    await operator.settled();
    await isReady(scene);
    const east = scene.clusters.get("east");
    const before = east?.calls;
    const passes = operator.passes.length;
    await scene.own.update(Tenant, "a", ({ metadata }) => void (metadata.annotations = { "kubectl.kubernetes.io/note": "x" }));
    await operator.settled({ horizonMs: 1_000 });
    expect(operator.passes.length).toBeGreaterThan(passes);
    expect(east?.calls).toBe(before);
  });

  test("finds its objects after a restart, and writes nothing", async () => {
    await using scene = await sceneOf({ objects, type });
    const operator = await scene.start();
    await operator.settled();
    await isReady(scene);
    const before = (await scene.east.get(ConfigMap, "one"))?.metadata.resourceVersion;
    await operator.stop();
    const next = await scene.start();
    await next.settled();
    expect(await scene.condition()).toMatchObject({ status: "True" });
    expect((await scene.east.get(ConfigMap, "one"))?.metadata.resourceVersion).toBe(before);
    await scene.own.update(Tenant, "a", ({ spec }) => void (spec.names = ["two"]));
    await next.settled();
    expect(await namesIn(scene.east)).toEqual(["two"]);
  });

  test("shares one connection with 100 owners", async () => {
    const owners = Array.from({ length: 100 }, (_, i) => tenant(`t${i}`, { names: [`object-${i}`] }));
    await using scene = await sceneOf({ objects: [credentials("east", "t1"), ...owners], type });
    const operator = await scene.start();
    await operator.settled();
    expect(await namesIn(scene.east)).toHaveLength(100);
    expect(scene.held.size).toBe(100);
    expect(new Set([...scene.held].map((key) => key.split(" ").at(-1))).size).toBe(1);
    expect(await scene.condition("t99")).toMatchObject({ status: "True" });
  });
});

describe("a target that goes away", () => {
  test("keeps what exists, and the rest is applied when it answers", async () => {
    await using scene = await sceneOf({ objects, type });
    const east = scene.clusters.get("east");
    const operator = await scene.start();
    await operator.settled();
    await isReady(scene);
    if (east !== undefined) east.isAway = true;
    await scene.own.update(Tenant, "a", ({ spec }) => void (spec.names = ["one", "two", "three"]));
    await operator.settled();
    expect(await scene.condition()).toMatchObject({ status: "Unknown", reason: "TargetUnreachable" });
    expect((await scene.own.get(Tenant, "a"))?.status).toMatchObject({ dependents: [{ name: "one" }, { name: "two" }] });
    if (east !== undefined) east.isAway = false;
    await operator.settled({ horizonMs: 120_000 });
    await expect.poll(() => namesIn(scene.east)).toEqual(["one", "three", "two"]);
    await expect.poll(() => scene.condition()).toMatchObject({ status: "True" });
  });

  test("during a removal keeps the set, and the removal goes on when it answers", async () => {
    await using scene = await sceneOf({ objects, type });
    const east = scene.clusters.get("east");
    const operator = await scene.start();
    await operator.settled();
    await isReady(scene);
    if (east !== undefined) east.isAway = true;
    await scene.own.update(Tenant, "a", ({ spec }) => void (spec.names = ["two"]));
    await operator.settled();
    expect(await scene.condition()).toMatchObject({ reason: "TargetUnreachable" });
    if (east !== undefined) east.isAway = false;
    await operator.settled({ horizonMs: 120_000 });
    await expect.poll(() => namesIn(scene.east)).toEqual(["two"]);
  });

  test("with a token that expires is used again when the Secret is rotated", async () => {
    await using scene = await sceneOf({ objects, type });
    const operator = await scene.start();
    await operator.settled();
    await isReady(scene);
    scene.clusters.get("east")?.tokens.clear();
    await scene.own.update(Tenant, "a", ({ spec }) => void (spec.names = ["two"]));
    await operator.settled();
    expect(await scene.condition()).toMatchObject({ reason: "TargetUnreachable" });
    expect((await scene.condition())?.message).toContain("does not accept the credential");
    scene.clusters.get("east")?.tokens.add("t2");
    await rotate(scene.own, "east", "t2");
    await operator.settled();
    expect(await scene.condition()).toMatchObject({ status: "True" });
    expect(await namesIn(scene.east)).toEqual(["two"]);
  });
});

describe("a deleted Secret", () => {
  test("keeps the objects, and the set goes on when it is created again", async () => {
    await using scene = await sceneOf({ objects, type });
    const operator = await scene.start();
    await operator.settled();
    await isReady(scene);
    await scene.own.delete(Secret, "credentials");
    await operator.settled();
    expect(await scene.condition()).toMatchObject({ reason: "TargetUnreachable" });
    expect(await namesIn(scene.east)).toEqual(["one", "two"]);
    await scene.own.create(Secret, credentials("east", "t1") as never);
    await operator.settled();
    expect(await scene.condition()).toMatchObject({ status: "True" });
  });
});

describe("an annotation that gives up a target", () => {
  test("counts once", { tags: ["memory"] }, async () => {
    await using scene = await sceneOf({ objects, type });
    let operator = await scene.start();
    await operator.settled();
    await scene.own.update(Tenant, "a", ({ metadata }) => void (metadata.annotations = { [ABANDON]: "stack" }));
    const moved = async (cluster: string): Promise<void> => {
      await operator.stop();
      await rotate(scene.own, cluster, "t1");
      operator = await scene.start();
      await operator.settled({ horizonMs: 120_000 });
    };
    await moved("west");
    expect(await scene.condition()).toMatchObject({ status: "True" });
    expect(await namesIn(scene.west)).toEqual(["one", "two"]);
    await moved("east");
    expect(await scene.condition()).toMatchObject({ reason: "TargetChanged" });
    expect((await scene.condition())?.message).toContain("after the present one was removed");
  });

  test("is reported while the target can be reached, and gives up nothing", async () => {
    await using scene = await sceneOf({
      objects: [credentials("east", "t1"), tenant("a", {}, { annotations: { [ABANDON]: "stack" } })],
      type,
    });
    const operator = await scene.start();
    await operator.settled();
    await isReady(scene);
    expect(operator.events.filter(({ reason }) => reason === "AbandonTargetIgnored")).toHaveLength(1);
    await scene.own.delete(Tenant, "a");
    await operator.settled();
    expect(await namesIn(scene.east)).toEqual([]);
    expect(operator.events.map(({ reason }) => reason)).not.toContain("TargetAbandoned");
  });
});

test("an object of nobody in the target is adopted, although the watches of the target do not have it", async () => {
  await using scene = await sceneOf({ objects: [credentials("east", "t1"), tenant("a")], type: "connection" });
  await scene.east.create(ConfigMap, { metadata: { name: "one" }, data: { by: "hand" } });
  await scene.start();
  await isReady(scene);
  const { labels = {} } = (await scene.east.get(ConfigMap, "one"))?.metadata ?? {};
  expect(Object.keys(labels).some((label) => label.endsWith("/owner-id"))).toBe(true);
});
