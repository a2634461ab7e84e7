/** The life of a set whose objects are in another cluster. */
import { describe, expect, test } from "vitest";
import {
  ConfigMap,
  credentials,
  isReady,
  namesIn,
  rotate,
  sceneOf as sceneOfType,
  Secret,
  type TargetType,
  tenant,
  Tenant,
} from "./tenants.ts";

const ABANDON = "treadle.dev/abandon-target";
const objects = [credentials("east", "t1"), tenant("a")];

describe.for<TargetType>(["fake", "connection"])("with a target of type %s,", (type) => {
  const sceneOf = (options: Parameters<typeof sceneOfType>[0]) => sceneOfType({ ...options, type });

  describe("a set with a target", () => {
    test("keeps its objects in the target only, and its status in the own cluster", async () => {
      await using scene = await sceneOf({ objects });
      const operator = await scene.start();
      await operator.settled();
      await isReady(scene);
      expect(await namesIn(scene.east)).toEqual(["one", "two"]);
      expect(await namesIn(scene.own)).toEqual([]);
      expect(await scene.condition()).toEqual({ status: "True", reason: "Ready", message: "2 objects are ready" });
      const { metadata, status } = (await scene.own.get(Tenant, "a")) ?? {};
      expect(metadata?.finalizers).toHaveLength(1);
      expect((status as { steps?: object } | undefined)?.steps).toMatchObject({
        stack: { target: { secret: { name: "credentials", namespace: "default" }, cluster: expect.any(String) } },
      });
      expect((await scene.east.get(ConfigMap, "one"))?.metadata.ownerReferences).toBeUndefined();
      expect(operator.undeclared).toEqual([]);
    });

    test("removes its objects from the target when the owner is deleted, and holds no connection afterwards", async () => {
      await using scene = await sceneOf({ objects });
      const operator = await scene.start();
      await operator.settled();
      await isReady(scene);
      expect(scene.held.size).toBe(1);
      await scene.own.delete(Tenant, "a");
      await operator.settled();
      expect(await namesIn(scene.east)).toEqual([]);
      expect(await scene.own.get(Tenant, "a")).toBeUndefined();
      expect(scene.held.size).toBe(0);
    });

    test("is TargetUnreachable without its Secret, and is applied when the Secret is created", async () => {
      await using scene = await sceneOf({ objects: [tenant("a")] });
      const operator = await scene.start();
      await operator.settled();
      expect(await scene.condition()).toMatchObject({ status: "Unknown", reason: "TargetUnreachable" });
      await scene.own.create(Secret, credentials("east", "t1") as never);
      await operator.settled();
      expect(await scene.condition()).toMatchObject({ status: "True" });
    });

    test("leaves the objects of an owner whose deletion comes before the first write", async () => {
      await using scene = await sceneOf({ objects: [tenant("a")] });
      const operator = await scene.start();
      await operator.settled();
      await scene.own.delete(Tenant, "a");
      await operator.settled();
      expect(await scene.own.get(Tenant, "a")).toBeUndefined();
    });
  });

  describe("a target that does not answer", () => {
    test("makes its owners TargetUnreachable, and the others go on", { tags: ["memory"] }, async () => {
      await using scene = await sceneOf({
        objects: [...objects, credentials("west", "t1", "west"), tenant("b", { secret: "west", names: ["three"] })],
      });
      const east = scene.clusters.get("east");
      if (east !== undefined) east.isAway = true;
      const operator = await scene.start();
      await operator.settled();
      expect(await scene.condition("a")).toMatchObject({ status: "Unknown", reason: "TargetUnreachable" });
      expect(await scene.condition("b")).toMatchObject({ status: "True" });
      expect(await namesIn(scene.west)).toEqual(["three"]);
      if (east !== undefined) east.isAway = false;
      await operator.settled();
      expect(await scene.condition("a")).toMatchObject({ status: "True" });
    });

    test("delays the deletion of the owner until it answers", async () => {
      await using scene = await sceneOf({ objects });
      const operator = await scene.start();
      await operator.settled();
      await isReady(scene);
      const east = scene.clusters.get("east");
      if (east !== undefined) east.isAway = true;
      await scene.own.delete(Tenant, "a");
      await operator.settled();
      expect(await scene.condition()).toMatchObject({ reason: "TargetUnreachable" });
      if (east !== undefined) east.isAway = false;
      await operator.settled({ horizonMs: 120_000 });
      await expect.poll(() => scene.own.get(Tenant, "a")).toBeUndefined();
      await expect.poll(() => namesIn(scene.east)).toEqual([]);
    });

    test("is given up by the annotation after two tries, with an event", async () => {
      await using scene = await sceneOf({ objects });
      const operator = await scene.start();
      await operator.settled();
      await isReady(scene);
      const east = scene.clusters.get("east");
      if (east !== undefined) east.isAway = true;
      await scene.own.update(Tenant, "a", ({ metadata }) => void (metadata.annotations = { [ABANDON]: "stack" }));
      await scene.own.delete(Tenant, "a");
      await operator.settled({ horizonMs: 1_000 });
      expect(await scene.own.get(Tenant, "a")).toBeDefined();
      await operator.settled({ horizonMs: 120_000 });
      await expect.poll(() => scene.own.get(Tenant, "a")).toBeUndefined();
      expect(operator.events.map(({ reason }) => reason)).toContain("TargetAbandoned");
      await expect.poll(() => namesIn(scene.east)).toEqual(["one", "two"]);
    });
  });

  describe("a deleted Secret", () => {
    test("delays the deletion of the owner, and the annotation gives the objects up", async () => {
      await using scene = await sceneOf({ objects });
      const operator = await scene.start();
      await operator.settled();
      await isReady(scene);
      await operator.stop();
      await scene.own.delete(Secret, "credentials");
      await scene.own.delete(Tenant, "a");
      const next = await scene.start();
      await next.settled({ horizonMs: 120_000 });
      await expect.poll(() => scene.condition()).toMatchObject({ reason: "TargetUnreachable" });
      await scene.own.update(Tenant, "a", ({ metadata }) => void (metadata.annotations = { [ABANDON]: "other, stack" }));
      await next.settled({ horizonMs: 120_000 });
      await expect.poll(() => scene.own.get(Tenant, "a")).toBeUndefined();
      await expect.poll(() => namesIn(scene.east)).toEqual(["one", "two"]);
    });
  });

  describe("a set whose owner names another cluster", () => {
    test("removes its objects from the old cluster before it writes to the new one", { tags: ["memory"] }, async () => {
      await using scene = await sceneOf({ objects: [...objects, credentials("west", "t1", "west")] });
      const operator = await scene.start();
      await operator.settled();
      await scene.own.update(Tenant, "a", ({ spec }) => void (spec.secret = "west"));
      await operator.settled();
      expect(await namesIn(scene.east)).toEqual([]);
      expect(await namesIn(scene.west)).toEqual(["one", "two"]);
      expect(await scene.condition()).toMatchObject({ status: "True" });
    });

    test("is TargetChanged without the old credential, writes nothing, and the annotation decides", { tags: ["memory"] }, async () => {
      await using scene = await sceneOf({ objects });
      const operator = await scene.start();
      await operator.settled();
      await operator.stop();
      await rotate(scene.own, "west", "t1");
      const next = await scene.start();
      await next.settled();
      expect(await scene.condition()).toMatchObject({ status: "False", reason: "TargetChanged" });
      expect(await namesIn(scene.west)).toEqual([]);
      await scene.own.update(Tenant, "a", ({ metadata }) => void (metadata.annotations = { [ABANDON]: "stack" }));
      await next.settled({ horizonMs: 120_000 });
      expect(await scene.condition()).toMatchObject({ status: "True" });
      expect(await namesIn(scene.west)).toEqual(["one", "two"]);
      expect(await namesIn(scene.east)).toEqual(["one", "two"]);
      expect(next.events.map(({ reason }) => reason)).toContain("TargetAbandoned");
    });

    test("uses the open connection to the old cluster when the Secret has another content", { tags: ["memory"] }, async () => {
      await using scene = await sceneOf({ objects });
      const operator = await scene.start();
      await operator.settled();
      await rotate(scene.own, "west", "t1");
      await operator.settled();
      expect(await namesIn(scene.east)).toEqual([]);
      expect(await namesIn(scene.west)).toEqual(["one", "two"]);
    });
  });

  describe("a rotated credential of the same cluster", () => {
    test("changes nothing", async () => {
      await using scene = await sceneOf({ objects });
      const operator = await scene.start();
      await operator.settled();
      await isReady(scene);
      const before = (await scene.east.get(ConfigMap, "one"))?.metadata.resourceVersion;
      scene.clusters.get("east")?.tokens.clear();
      scene.clusters.get("east")?.tokens.add("t2");
      await rotate(scene.own, "east", "t2");
      await operator.settled();
      expect(await scene.condition()).toMatchObject({ status: "True" });
      expect((await scene.east.get(ConfigMap, "one"))?.metadata.resourceVersion).toBe(before);
      expect(scene.held.size).toBe(1);
      await scene.own.update(Tenant, "a", ({ spec }) => void (spec.names = ["three"]));
      await operator.settled();
      expect(await namesIn(scene.east)).toEqual(["three"]);
    });
  });
});
