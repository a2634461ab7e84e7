/**
 * The life of an object of dependentApply() in another cluster.
 *
 * @module-tag memory
 */
import { step } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { dependentApply, dependentApplyAll } from "../../src/index.ts";
import type { Target } from "../../src/targets/types.ts";
import { applySceneOf } from "./apply-scene.ts";
import { ConfigMap, credentials, namesIn, rotate, Secret, type TargetType, tenant, Tenant } from "./tenants.ts";

const ABANDON = "treadle.dev/abandon-target";
const objects = [credentials("east", "t1"), tenant("a")];

const settings = (target: Target<Tenant>) =>
  dependentApply(Tenant, {
    name: "settings",
    kind: ConfigMap,
    target,
    objectName: "settings",
    desired: ({ spec }) => ({ data: { names: spec.names.join(" ") } }),
  });
const password = (target: Target<Tenant>) =>
  dependentApply(Tenant, {
    name: "password",
    kind: Secret,
    target,
    objectName: "password",
    desired: { stringData: { password: "hunter2" } },
  });

describe.for<TargetType>(["fake", "connection"])("with a target of type %s,", (type) => {
  const sceneOf = (given: readonly object[] = objects, steps = (target: Target<Tenant>) => [settings(target), password(target)]) =>
    applySceneOf({ objects: given, type, steps: steps as never });

  test("an object is in the target only, without an owner reference, and its owner has a finalizer", async () => {
    await using scene = await sceneOf();
    const operator = await scene.start();
    await operator.settled();
    expect(await scene.entries()).toMatchObject({ settings: expect.stringMatching(/^Ready/), password: expect.stringMatching(/^Ready/) });
    expect(await namesIn(scene.east)).toEqual(["settings"]);
    expect(await namesIn(scene.own)).toEqual([]);
    expect((await scene.east.get(ConfigMap, "settings"))?.metadata.ownerReferences).toBeUndefined();
    const { metadata, status } = (await scene.own.get(Tenant, "a")) ?? {};
    expect(metadata?.finalizers).toHaveLength(1);
    expect((status as { steps?: object } | undefined)?.steps).toMatchObject({
      settings: { target: { secret: { name: "credentials" } }, namespaces: ["default"] },
    });
    expect(operator.undeclared).toEqual([]);
  });

  test("an object follows its owner, and drift is reverted", async () => {
    await using scene = await sceneOf();
    const operator = await scene.start();
    await operator.settled();
    await scene.own.update(Tenant, "a", ({ spec }) => void (spec.names = ["three"]));
    await operator.settled();
    expect((await scene.east.get(ConfigMap, "settings"))?.data).toEqual({ names: "three" });
    await scene.east.update(ConfigMap, "settings", (map) => void (map.data = { names: "drift" }));
    // A change of the owner starts the pass where the target has no watches.
    await scene.own.update(Tenant, "a", ({ metadata }) => void (metadata.labels = { touched: "yes" }));
    await operator.settled();
    expect((await scene.east.get(ConfigMap, "settings"))?.data).toEqual({ names: "three" });
  });

  test("an object whose labels a user removed gets them again", async () => {
    await using scene = await sceneOf();
    const operator = await scene.start();
    await operator.settled();
    await scene.east.update(ConfigMap, "settings", ({ metadata }) => void (metadata.labels = {}));
    await scene.own.update(Tenant, "a", ({ spec }) => void (spec.names = ["three"]));
    await operator.settled();
    expect(Object.keys((await scene.east.get(ConfigMap, "settings"))?.metadata.labels ?? {})).not.toEqual([]);
  });

  test("an object is removed when its owner is deleted, and the connection is released", async () => {
    await using scene = await sceneOf();
    const operator = await scene.start();
    await operator.settled();
    expect(scene.held.size).toBe(2);
    await scene.own.delete(Tenant, "a");
    await operator.settled({ horizonMs: 120_000 });
    expect(await scene.own.get(Tenant, "a")).toBeUndefined();
    expect(await namesIn(scene.east)).toEqual([]);
    expect(await scene.east.get(Secret, "password")).toBeUndefined();
    expect(scene.held.size).toBe(0);
  });

  test("an entry is TargetUnreachable without the Secret, and Ready when it is created", async () => {
    await using scene = await sceneOf([tenant("a")]);
    const operator = await scene.start();
    await operator.settled();
    expect(await scene.entries()).toMatchObject({ settings: "Unknown TargetUnreachable" });
    await scene.own.create(Secret, credentials("east", "t1") as never);
    await operator.settled();
    expect(await namesIn(scene.east)).toEqual(["settings"]);
  });

  test("an owner without objects in a target is deleted at once", async () => {
    await using scene = await sceneOf([tenant("a")]);
    const operator = await scene.start();
    await operator.settled();
    await scene.own.delete(Tenant, "a");
    await operator.settled();
    expect(await scene.own.get(Tenant, "a")).toBeUndefined();
  });

  test("an entry is TargetUnreachable while the target is away, and the deletion waits", async () => {
    await using scene = await sceneOf();
    const operator = await scene.start();
    await operator.settled();
    const east = scene.clusters.get("east");
    if (east !== undefined) east.isAway = true;
    await scene.own.update(Tenant, "a", ({ spec }) => void (spec.names = ["three"]));
    await operator.settled();
    expect(await scene.entries()).toMatchObject({ settings: "Unknown TargetUnreachable" });
    await scene.own.delete(Tenant, "a");
    await operator.settled();
    expect(await scene.own.get(Tenant, "a")).toBeDefined();
    if (east !== undefined) east.isAway = false;
    await operator.settled({ horizonMs: 240_000 });
    expect(await scene.own.get(Tenant, "a")).toBeUndefined();
    expect(await namesIn(scene.east)).toEqual([]);
  });

  test("the annotation gives up an object whose Secret was deleted", async () => {
    await using scene = await sceneOf(objects, (target) => [settings(target)] as never);
    const operator = await scene.start();
    await operator.settled();
    await operator.stop();
    await scene.own.delete(Secret, "credentials");
    await scene.own.delete(Tenant, "a");
    const next = await scene.start();
    await next.settled({ horizonMs: 120_000 });
    expect(await scene.entries()).toMatchObject({ settings: "Unknown TargetUnreachable" });
    await scene.own.update(Tenant, "a", ({ metadata }) => void (metadata.annotations = { [ABANDON]: "settings" }));
    await next.settled({ horizonMs: 120_000 });
    expect(await scene.own.get(Tenant, "a")).toBeUndefined();
    expect(next.events.map(({ reason }) => reason)).toContain("TargetAbandoned");
    expect(await namesIn(scene.east)).toEqual(["settings"]);
  });

  test("an object moves to another cluster", async () => {
    await using scene = await sceneOf([...objects, credentials("west", "t1", "west")]);
    const operator = await scene.start();
    await operator.settled();
    await scene.own.update(Tenant, "a", ({ spec }) => void (spec.secret = "west"));
    await operator.settled({ horizonMs: 120_000 });
    expect(await namesIn(scene.east)).toEqual([]);
    expect(await namesIn(scene.west)).toEqual(["settings"]);
    expect(await scene.entries()).toMatchObject({ settings: expect.stringMatching(/^Ready/) });
  });

  test("an object stays and its entry is TargetChanged without the former credential", async () => {
    await using scene = await sceneOf();
    const operator = await scene.start();
    await operator.settled();
    await operator.stop();
    await rotate(scene.own, "west", "t1");
    const next = await scene.start();
    await next.settled();
    expect(await scene.entries()).toMatchObject({ settings: "Failed TargetChanged" });
    expect(await namesIn(scene.east)).toEqual(["settings"]);
    expect(await namesIn(scene.west)).toEqual([]);
  });

  test("an object that is no longer desired is removed from the target", async () => {
    const stepOf = (target: Target<Tenant>) =>
      dependentApply(Tenant, { name: "maybe", kind: ConfigMap, target, when: ({ spec }) => spec.names.length > 0, desired: { data: {} } });
    await using scene = await sceneOf(objects, (target) => [stepOf(target)] as never);
    const operator = await scene.start();
    await operator.settled();
    expect(await namesIn(scene.east)).toEqual(["a"]);
    await scene.own.update(Tenant, "a", ({ spec }) => void (spec.names = []));
    await operator.settled({ horizonMs: 120_000 });
    expect(await namesIn(scene.east)).toEqual([]);
    expect(await scene.entries()).toEqual({});
  });

  test("a list of objects loses those that are no longer in it", async () => {
    const stepOf = (target: Target<Tenant>) =>
      dependentApply(Tenant, {
        name: "list",
        kind: ConfigMap,
        target,
        each: ({ spec }) => spec.names.map((key) => ({ key })),
        desired: { data: {} },
      });
    await using scene = await sceneOf(objects, (target) => [stepOf(target)] as never);
    const operator = await scene.start();
    await operator.settled();
    expect(await namesIn(scene.east)).toEqual(["a-one", "a-two"]);
    await scene.own.update(Tenant, "a", ({ spec }) => void (spec.names = ["two"]));
    await operator.settled({ horizonMs: 120_000 });
    expect(await namesIn(scene.east)).toEqual(["a-two"]);
  });
});

test("a settled pass sends no request to the target", async () => {
  const steps = (target: Target<Tenant>) => [settings(target), password(target)];
  await using scene = await applySceneOf({ objects, type: "connection", steps: steps as never });
  const operator = await scene.start();
  await operator.settled();
  const touch = async (value: string) => {
    await scene.own.update(Secret, "credentials", ({ metadata }) => void (metadata.labels = { touched: value }));
    await operator.settled();
  };
  // Each version of a Secret is read once.
  await touch("first");
  const before = scene.clusters.get("east")?.calls;
  await touch("second");
  expect(scene.clusters.get("east")?.calls).toBe(before);
});

test("a field that is no longer desired is removed from the object", async () => {
  const stepOf = (target: Target<Tenant>) =>
    dependentApply(Tenant, {
      name: "fields",
      kind: ConfigMap,
      target,
      desired: ({ spec }) => ({ data: Object.fromEntries(spec.names.map((name) => [name, "yes"])) }),
    });
  await using scene = await applySceneOf({ objects, type: "connection", steps: (target) => [stepOf(target)] as never });
  const operator = await scene.start();
  await operator.settled();
  await operator.stop();
  await scene.own.update(Tenant, "a", ({ spec }) => void (spec.names = ["two"]));
  const next = await scene.start();
  await next.settled();
  expect((await scene.east.get(ConfigMap, "a"))?.data).toEqual({ two: "yes" });
});

test("a change of an object in the target starts a pass that reverts it", async () => {
  await using scene = await applySceneOf({ objects, type: "connection", steps: (target) => [settings(target)] as never });
  const operator = await scene.start();
  await operator.settled();
  await scene.east.update(ConfigMap, "settings", (map) => void (map.data = { names: "drift" }));
  await operator.settled();
  expect((await scene.east.get(ConfigMap, "settings"))?.data).toEqual({ names: "one two" });
});

test("steps of a group are in one target, and a later one gets the live object of an earlier one", async () => {
  const stepsOf = (target: Target<Tenant>) => {
    const first = dependentApply(Tenant, { name: "first", kind: ConfigMap, target, objectName: "first", desired: { data: {} } });
    const second = dependentApply(Tenant, {
      name: "second",
      kind: ConfigMap,
      target,
      objectName: "second",
      dependsOn: [first],
      desired: (_, { dependents }) => ({ data: { uid: dependents.first?.metadata.uid ?? "" } }),
    });
    return [dependentApplyAll("both", [first, second])];
  };
  await using scene = await applySceneOf({ objects, type: "connection", steps: stepsOf });
  const operator = await scene.start();
  await operator.settled();
  const uid = (await scene.east.get(ConfigMap, "first"))?.metadata.uid;
  expect((await scene.east.get(ConfigMap, "second"))?.data).toEqual({ uid });
  await scene.own.delete(Tenant, "a");
  await operator.settled({ horizonMs: 120_000 });
  expect(await namesIn(scene.east)).toEqual([]);
  expect(await scene.own.get(Tenant, "a")).toBeUndefined();
});

test("an object of a version without target is removed from the cluster of the operator first", async () => {
  const plain = dependentApply(Tenant, { name: "settings", kind: ConfigMap, objectName: "settings", desired: { data: {} } });
  const rights = step(Tenant, { name: "rights", permissions: [{ kind: ConfigMap, verbs: ["list", "delete"] }], do: (req) => req.next() });
  let isRemote = false;
  await using scene = await applySceneOf({ objects, type: "connection", steps: (target) => [rights, isRemote ? settings(target) : plain] });
  const operator = await scene.start();
  await operator.settled();
  expect(await namesIn(scene.own)).toEqual(["settings"]);
  await operator.stop();
  isRemote = true;
  const next = await scene.start();
  await next.settled({ horizonMs: 120_000 });
  expect(await namesIn(scene.own)).toEqual([]);
  expect(await namesIn(scene.east)).toEqual(["settings"]);
});
