/** Numbers of replicas that a suspension replaces: those of autoscalers, of users, and of the desired state. */
import "@treadle/testing/matchers";
import { ConfigMap, Deployment, HorizontalPodAutoscaler, Secret, StatefulSet } from "@treadle/apimachinery/kinds";
import { dependentApply } from "@treadle/dependents";
import { type FakeWorld, startTestCluster } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { all, conditions, type Handler, handler } from "@treadle/reconcile";
import { App, app, change, configMap, handlerOf, login, main, mainOf, secret, settled, web, workload, writes } from "./stage.ts";

const SUSPENDED = "True Suspended: Component is suspended.";
const READY = "True Healthy: Component is ready.";

/** An autoscaler of the Deployment `web`, while `spec.scaled`. */
const scaler = dependentApply(App, {
  name: "scaler",
  kind: HorizontalPodAutoscaler,
  objectName: "scaler",
  when: ({ spec }) => spec.scaled,
  readyWhen: () => true,
  desired: { spec: { minReplicas: 1, maxReplicas: 9, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" } } },
});
const replicasOf = async (world: Pick<FakeWorld, "get">, name = "web"): Promise<number | undefined> =>
  (await world.get(Deployment, name))?.spec?.replicas;
/** Changes the number as the autoscaler or a user does, by the subresource `scale` or an update. */
const scale = (world: FakeWorld, replicas: number, name = "web"): Promise<unknown> =>
  world.update(Deployment, name, ({ spec }) => void (spec!.replicas = replicas));
/** The managers of spec.replicas. */
async function managersOf(world: FakeWorld): Promise<readonly string[]> {
  const { managedFields = [] } = (await world.get(Deployment, "web"))?.metadata ?? {};
  return managedFields
    .filter(({ fieldsV1 }) => "f:replicas" in ((fieldsV1 as { "f:spec"?: object } | undefined)?.["f:spec"] ?? {}))
    .map(({ manager, operation }) => `${manager?.startsWith("user") === true || manager === "" ? "user" : "ours"} ${operation}`);
}
async function suspend(world: FakeWorld): Promise<void> {
  await change(world, { suspended: true });
  await world.makeReady(Deployment, "web");
  await world.settled();
}
async function resume(world: FakeWorld): Promise<void> {
  await change(world, { suspended: false });
  await world.makeReady(Deployment, "web");
  await world.settled();
}

describe("a workload with an autoscaler", () => {
  test("keeps the number of the autoscaler, and the component reverts nothing", async () => {
    const world = await settled(main([web("web"), scaler]), { spec: { replicas: 2, scaled: true } });
    await scale(world, 5);
    await world.settled();
    await change(world, { text: "two", replicas: 3 });
    expect(await replicasOf(world)).toBe(5);
  });

  test("that is created has the default of the server", async () => {
    const world = await settled(main([web("web"), scaler]), { spec: { replicas: 2, scaled: true } });
    expect((await managersOf(world)).filter((each) => each.startsWith("ours"))).toEqual([]);
    expect(await replicasOf(world)).toBe(1);
  });

  test("keeps the number of an autoscaler that another writer has created", async () => {
    const foreign = dependentApply(App, { name: "scaler", kind: HorizontalPodAutoscaler, created: false, objectName: "scaler" });
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
    const autoscaler = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata: { name: "scaler" } };
    const world = await settled(main([web("web"), foreign]), {
      spec: { replicas: 2 },
      objects: [{ ...autoscaler, spec: { maxReplicas: 9, scaleTargetRef } }],
    });
    await scale(world, 5);
    await change(world, { text: "two" });
    expect(await replicasOf(world)).toBe(5);
  });

  test("that is not updated keeps its number, and is not written when the autoscaler is added", async () => {
    const world = await settled(main([web("web", { updated: false }), scaler]), { spec: { replicas: 2 } });
    const before = (await world.get(Deployment, "web"))?.metadata.resourceVersion;
    await change(world, { scaled: true });
    expect((await world.get(Deployment, "web"))?.metadata.resourceVersion).toBe(before);
  });

  test("keeps its number when the autoscaler is added later, and its number is released", async () => {
    const world = await settled(main([web("web"), scaler]), { spec: { replicas: 4 } });
    const seen: (number | undefined)[] = [];
    world.onRequest(async () => void seen.push(await replicasOf(world).catch(() => undefined)));
    expect(await managersOf(world)).toEqual(["ours Apply"]);
    await change(world, { scaled: true });
    await world.pass("a");
    expect(await replicasOf(world)).toBe(4);
    expect(new Set(seen)).toEqual(new Set([4]));
    expect((await managersOf(world)).filter((each) => each === "ours Apply")).toEqual([]);
    await scale(world, 7);
    await world.settled();
    expect(await replicasOf(world)).toBe(7);
    await change(world, { scaled: false });
    expect(await replicasOf(world)).toBe(4);
  });

  test("gets 0 in a suspension, which keeps the autoscaler, and its number after it", async () => {
    const world = await settled(main([web("web"), scaler]), { spec: { replicas: 2, scaled: true } });
    await scale(world, 5);
    await world.settled();
    await suspend(world);
    expect(await replicasOf(world)).toBe(0);
    expect(await world.list(HorizontalPodAutoscaler)).toHaveLength(1);
    expect(await mainOf(world)).toBe(SUSPENDED);
    world.requests.clear();
    await resume(world);
    expect(await replicasOf(world)).toBe(5);
    expect((await managersOf(world)).filter((each) => each === "ours Apply")).toEqual([]);
    expect(await mainOf(world)).toBe(READY);
    expect(writes(world).filter((each) => each.includes("deployments"))).toEqual(["patch deployments web", "apply deployments web"]);
    await scale(world, 6);
    await world.settled();
    expect(await replicasOf(world)).toBe(6);
    expect((await world.get(App, "a"))?.status).not.toMatchObject({ steps: { main: { replicas: expect.anything() } } });
  });

  test("gets its number after a second suspension", async () => {
    const world = await settled(main([web("web"), scaler]), { spec: { replicas: 2, scaled: true } });
    for (const number of [5, 3]) {
      await scale(world, number);
      await world.settled();
      await suspend(world);
      await resume(world);
      expect(await replicasOf(world)).toBe(number);
    }
  });

  test("of which the autoscaler is removed during the suspension gets the desired number", async () => {
    const world = await settled(main([web("web"), scaler]), { spec: { replicas: 2, scaled: true } });
    await scale(world, 5);
    await world.settled();
    await suspend(world);
    await change(world, { scaled: false });
    await resume(world);
    expect(await replicasOf(world)).toBe(2);
  });

  test("whose autoscaler is added during the suspension gets the desired number once", async () => {
    const world = await settled(main([web("web"), scaler]), { spec: { replicas: 2 } });
    await suspend(world);
    await change(world, { scaled: true });
    await resume(world);
    expect(await replicasOf(world)).toBe(2);
    await scale(world, 6);
    await world.settled();
    expect(await replicasOf(world)).toBe(6);
  });
});

describe("a workload without a desired number of replicas", () => {
  test("gets the number of the user after a suspension", async () => {
    const world = await settled(main([web("web")]));
    await scale(world, 5);
    await world.settled();
    await suspend(world);
    expect(await replicasOf(world)).toBe(0);
    await resume(world);
    expect(await replicasOf(world)).toBe(5);
    await scale(world, 6);
    await world.settled();
    expect(await replicasOf(world)).toBe(6);
  });

  test("that a user has scaled to 0 stays there after a suspension", async () => {
    for (const spec of [{}, { scaled: true, replicas: 3 }]) {
      const world = await settled(main([web("web"), scaler]), { spec });
      await scale(world, 0);
      await world.settled();
      await suspend(world);
      await world.pass("a");
      await resume(world);
      expect(await replicasOf(world)).toBe(0);
      await scale(world, 4);
      await world.settled();
      expect(await replicasOf(world)).toBe(4);
    }
  });

  test("that was created suspended gets 1", async () => {
    const world = await settled(main([web("web")]), { spec: { suspended: true } });
    await world.makeReady(Deployment, "web");
    await world.settled();
    expect(await replicasOf(world)).toBe(0);
    await resume(world);
    expect(await replicasOf(world)).toBe(1);
  });

  test("gets its number when the first pass after the suspension is blocked", async () => {
    const world = await settled(main([login(), web("web")]), { objects: [secret("login")] });
    await scale(world, 5);
    await world.settled();
    await suspend(world);
    await world.delete(Secret, "login");
    await change(world, { suspended: false });
    expect(await mainOf(world)).toMatch(/^False Blocked: login/);
    await world.apply(secret("login"));
    await world.settled();
    expect(await replicasOf(world)).toBe(5);
  });

  test("gets its number also if another kind of workload has the same name", async () => {
    const set = dependentApply(App, {
      name: "set",
      kind: StatefulSet,
      objectName: "web",
      desired: (owner) => ({ spec: { ...workload("set", owner), serviceName: "set" } }),
    });
    const world = await settled(main([web("web"), set]));
    await scale(world, 5);
    await world.update(StatefulSet, "web", ({ spec }) => void (spec!.replicas = 3));
    await world.settled();
    await suspend(world);
    await world.makeReady(StatefulSet, "web");
    await world.settled();
    expect(await mainOf(world)).toBe(SUSPENDED);
    await resume(world);
    expect((await world.get(StatefulSet, "web"))?.spec?.replicas).toBe(3);
    expect(await replicasOf(world)).toBe(5);
  });

  test("is not suspended, and keeps its number, if it belongs to another writer", async () => {
    const foreign = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web" },
      spec: { ...workload("web", { spec: {} as never }), replicas: 2 },
    };
    const world = await settled(main([web("web")]), { objects: [foreign, configMap("other")], spec: { suspended: true } });
    expect(await replicasOf(world)).toBe(2);
    expect((await world.get(App, "a"))?.status).not.toMatchObject({ steps: { main: { replicas: expect.anything() } } });
    expect(await world.list(ConfigMap)).toHaveLength(1);
  });
});

describe("a handler that is renamed", () => {
  const named = (name: string, formerNames: readonly string[] = []) =>
    handler(App, { name, formerNames })
      .step(conditions())
      .step(all("components", [main([web("web"), scaler])] as never) as never)
      .build() as unknown as Handler<App>;

  test("keeps the number of a workload that gets an autoscaler with the new name", { tags: ["memory"] }, async () => {
    await using cluster = await startTestCluster({ workloads: true });
    const before = await cluster.start(named("old"));
    await cluster.apply(app({ replicas: 4 }));
    await cluster.settled();
    await before.stop();
    await cluster.update(App, "a", ({ spec }) => void (spec.scaled = true));
    await cluster.start(named("new", ["old"]));
    await cluster.settled();
    await cluster.advance(3_600_000); // The fields of the former name are removed by now.
    expect((await cluster.get(Deployment, "web"))?.spec?.replicas).toBe(4);
  });

  test("gives a workload its number again, if the suspension has ended meanwhile", { tags: ["memory"] }, async () => {
    await using cluster = await startTestCluster({ workloads: true });
    const before = await cluster.start(named("old"));
    await cluster.apply(app({ scaled: true }));
    await cluster.settled();
    await cluster.update(Deployment, "web", ({ spec }) => void (spec!.replicas = 5));
    await cluster.settled();
    await change(cluster, { suspended: true });
    await before.stop();
    await cluster.update(App, "a", ({ spec }) => void (spec.suspended = false));
    await cluster.start(named("new", ["old"]));
    await cluster.settled();
    expect((await cluster.get(Deployment, "web"))?.spec?.replicas).toBe(5);
    expect(await mainOf(cluster)).toBe(READY);
  });
});

describe("a crash", () => {
  test("after the number was stored, and before 0 is written, loses no number", { tags: ["memory"] }, async () => {
    const built = handlerOf(main([web("web")]));
    await using cluster = await startTestCluster({ workloads: true });
    const operator = await cluster.start(built);
    await cluster.apply(app());
    await cluster.settled();
    await cluster.update(Deployment, "web", ({ spec }) => void (spec!.replicas = 5));
    await cluster.settled();
    const fault = cluster.faults.add({ on: { resource: "deployments", verb: ["apply", "patch"] }, fault: "reset" });
    await cluster.update(App, "a", ({ spec }) => void (spec.suspended = true));
    await cluster.advance(1_000);
    expect(fault.hits.length).toBeGreaterThan(0);
    expect((await cluster.get(App, "a"))?.status).toMatchObject({ steps: { main: { replicas: expect.anything() } } });
    await operator.stop();
    fault.remove();
    await cluster.start(built);
    await cluster.settled();
    expect((await cluster.get(Deployment, "web"))?.spec?.replicas).toBe(0);
    await change(cluster, { suspended: false });
    expect((await cluster.get(Deployment, "web"))?.spec?.replicas).toBe(5);
    expect(await mainOf(cluster)).toBe(READY);
  });
});
