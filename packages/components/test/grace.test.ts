/** The grace period of a component, and the words of its condition while it converges and after. */
import "@treadle/testing/matchers";
import { CronJob, Deployment, Ingress, Job, Secret, Service } from "@treadle/apimachinery/kinds";
import { dependentApply } from "@treadle/dependents";
import { type FakeWorld, startTestCluster } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { component } from "../src/component.ts";
import { App, app, change, entries, handlerOf, jobSpec, login, main, mainOf, page, secret, settled, told, web } from "./stage.ts";

const READY = "True Healthy: Component is ready.";
const GRACE = { graceMs: 60_000 };
const job = (options: object = {}) =>
  dependentApply(App, { name: "job", kind: Job, objectName: "job", desired: (owner) => ({ spec: jobSpec(owner) }), ...options });
/** Two of three replicas are ready. */
const partly = (world: FakeWorld): Promise<unknown> =>
  world.updateStatus(Deployment, "web", (object) => {
    object.status = {
      observedGeneration: object.metadata.generation!,
      replicas: 3,
      readyReplicas: 2,
      availableReplicas: 2,
      updatedReplicas: 3,
    };
  });
async function pass(world: FakeWorld, ms: number): Promise<string | undefined> {
  await world.advance(ms);
  await world.settled();
  return await mainOf(world);
}
const clockOf = async (world: FakeWorld): Promise<unknown> =>
  ((await world.get(App, "a"))?.status as { steps?: { main?: { grace?: unknown } } } | undefined)?.steps?.main?.grace;

describe("the grace period", () => {
  test("ends without another event: Down without a ready replica", async () => {
    const world = await settled(main([web("web")], GRACE), { spec: { replicas: 3 } });
    expect(await mainOf(world)).toMatch(/^False Creating: web: /);
    expect(world.dueIn("a")).toBe(60_000);
    expect(await pass(world, 59_999)).toMatch(/^False Creating: /);
    expect(await pass(world, 1)).toMatch(/^False Down: not ready within 60 s: web: /);
    expect(await told(world)).toMatchObject({ Ready: expect.stringMatching(/^False Down/) });
    await world.makeReady(Deployment, "web");
    await world.settled();
    expect(await mainOf(world)).toBe(READY);
    expect(await clockOf(world)).toBeUndefined();
  });

  test("Degraded with some ready replicas, and Down when they are lost", async () => {
    const world = await settled(main([web("web")], GRACE), { spec: { replicas: 3 } });
    await partly(world);
    expect(await pass(world, 60_000)).toMatch(/^False Degraded: not ready within 60 s: web: /);
    await world.updateStatus(Deployment, "web", ({ status }) => void Object.assign(status!, { readyReplicas: 0, availableReplicas: 0 }));
    await world.settled();
    expect(await mainOf(world)).toMatch(/^False Down: /);
  });

  test("the worst grade wins, and the message names its resources only", async () => {
    const world = await settled(main([web("web"), web("other"), page("page")], GRACE), { spec: { replicas: 3 } });
    await partly(world);
    expect(await pass(world, 60_000)).toMatch(/^False Down: not ready within 60 s: other: [^;]*$/);
  });

  test("without a graded resource it is Down", async () => {
    const world = await settled(main([job()], GRACE));
    expect(await pass(world, 60_000)).toMatch(/^False Down: not ready within 60 s: job: /);
  });

  test("Healthy only by grace keeps its word, and is logged once", async () => {
    const world = await settled(main([web("web"), job()], GRACE));
    await world.makeReady(Deployment, "web");
    const warned = (): number => world.logs.filter(({ level, text }) => level === "warn" && text.includes("grace period")).length;
    expect(await pass(world, 60_000)).toMatch(/^False TaskPending: job: /);
    expect(warned()).toBe(1);
    for (let i = 0; i < 3; i++) await world.pass("a");
    expect(warned()).toBe(1);
  });

  test("Healthy only by grace is not logged with warnOfGrace: false", async () => {
    const world = await settled(main([web("web"), job()], { ...GRACE, warnOfGrace: false }));
    await world.makeReady(Deployment, "web");
    expect(await pass(world, 60_000)).toMatch(/^False TaskPending: job: /);
    expect(world.logs.filter(({ level }) => level === "warn")).toEqual([]);
  });

  test("of 0 never ends", async () => {
    const world = await settled(main([web("web")]), { spec: { replicas: 3 } });
    expect(await pass(world, 86_400_000)).toMatch(/^False Creating: /);
    expect((await world.get(App, "a"))?.status).not.toMatchObject({ steps: expect.anything() });
  });

  test.for([-1, Number.NaN, Number.POSITIVE_INFINITY, "60"])("of %s is a TypeError", (graceMs) => {
    expect(() => main([page("page")], { graceMs: graceMs as number })).toThrow(TypeError);
  });

  test("starts again when the spec changes, also after its end", async () => {
    const world = await settled(main([web("web")], GRACE));
    expect(await pass(world, 50_000)).toMatch(/^False Creating: /);
    await change(world, { held: ["other"] });
    expect(await pass(world, 59_000)).toMatch(/^False Creating: /);
    expect(await pass(world, 1_000)).toMatch(/^False Down: /);
    await change(world, { text: "two" });
    expect(await mainOf(world)).toMatch(/^False Creating: /);
    expect(await pass(world, 60_000)).toMatch(/^False Down: /);
  });

  test("starts again when the desired state changes without the spec", async () => {
    const user = login({ absent: "ignore" });
    const desired = (owner: App, { vars }: { vars: object }): object => ({
      metadata: { annotations: vars },
      spec: { ...web, ...specOf(owner) },
    });
    const world = await settled(main([user, web("web", { needs: [user], desired })], GRACE), { objects: [secret("login")] });
    expect(await pass(world, 50_000)).toMatch(/^False Creating: /);
    await world.apply(secret("login", "bert"));
    await world.settled();
    expect(await pass(world, 50_000)).toMatch(/^False Creating: /);
    expect(await pass(world, 10_000)).toMatch(/^False Down: /);
  });

  test("does not start again in a restarted operator", { tags: ["memory"] }, async () => {
    const built = handlerOf(main([web("web", { desired: (owner: App) => ({ spec: specOf(owner) }) })], GRACE));
    await using cluster = await startTestCluster();
    const operator = await cluster.start(built);
    await cluster.apply(app());
    await cluster.settled();
    await cluster.advance(40_000);
    await operator.stop();
    await cluster.start(built);
    await cluster.advance(19_000);
    expect(await mainOf(cluster)).toMatch(/^False Creating: /);
    await cluster.advance(2_000);
    expect(await mainOf(cluster)).toMatch(/^False Down: /);
  });

  test("does not start again in a restarted operator after an item of each was removed", { tags: ["memory"] }, async () => {
    const many = web("many", {
      each: (owner: App) => owner.spec.names.map((key) => ({ key })),
      objectName: (_owner: App, { key }: { key: string }) => `many-${key}`,
      until: undefined,
      desired: (owner: App) => ({ spec: specOf(owner) }),
    });
    const built = handlerOf(main([many], GRACE));
    await using cluster = await startTestCluster();
    const operator = await cluster.start(built);
    await cluster.apply(app({ names: ["x", "y"] }));
    await cluster.settled();
    await cluster.update(App, "a", ({ spec }) => void (spec.names = ["x"]));
    await cluster.settled();
    await cluster.advance(40_000);
    await operator.stop();
    await cluster.start(built);
    await cluster.advance(21_000);
    expect(await mainOf(cluster)).toMatch(/^False Down: /);
  });

  test("stands still while a resource is blocked, and goes on after it", async () => {
    const world = await settled(main([login(), web("web")], GRACE), { objects: [secret("login")] });
    expect(await pass(world, 40_000)).toMatch(/^False Creating: /);
    await world.delete(Secret, "login");
    await world.settled();
    expect(await pass(world, 500_000)).toMatch(/^False Blocked: login/);
    await world.apply(secret("login"));
    await world.settled();
    expect(await pass(world, 19_000)).toMatch(/^False (Creating|Updating): /);
    expect(await pass(world, 1_000)).toMatch(/^False Down: /);
  });

  test("stands still in an error", async () => {
    let isBroken = false;
    const broken = page("page", {
      desired: () => {
        if (isBroken) throw new Error("boom");
        return {};
      },
      until: undefined,
    });
    const world = await settled(main([web("web"), broken], GRACE));
    await world.advance(40_000);
    isBroken = true;
    await world.update(App, "a", ({ metadata }) => void (metadata.annotations = { touch: "it" }));
    await world.settled();
    expect(await mainOf(world)).toMatch(/^False Error: /);
    await world.advance(500_000);
    isBroken = false;
    await world.advance(world.dueIn("a") ?? 0);
    await world.settled();
    expect(await mainOf(world)).toMatch(/^False Creating: /);
  });

  test("does not run before the component may begin", async () => {
    const world = await settled(main([web("web")], { ...GRACE, until: ({ spec }) => (spec.text === "go" ? true : "not yet") }));
    expect(await pass(world, 500_000)).toMatch(/^False PrerequisiteNotMet: /);
    await change(world, { text: "go" });
    expect(await pass(world, 59_000)).toMatch(/^False Creating: /);
    expect(await pass(world, 1_000)).toMatch(/^False Down: /);
  });

  test("starts again after a suspension and after the component was off", async () => {
    for (const spec of [{ suspended: true }, { on: false }]) {
      const world = await settled(main([web("web")], GRACE));
      await world.advance(50_000);
      await change(world, spec);
      await world.advance(500_000);
      await change(world, { suspended: false, on: true });
      expect(await mainOf(world)).toMatch(/^False (Creating|Updating|Scaling): /);
      expect(await pass(world, 59_000)).toMatch(/^False (Creating|Updating|Scaling): /);
      expect(await pass(world, 1_000)).toMatch(/^False Down: /);
    }
  });
});

function specOf({ spec }: App): object {
  return {
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image: `main:${spec.text}` }] } },
  };
}

describe("Failing", () => {
  test("is reported at once, and does not wait for the grace period", async () => {
    const world = await settled(main([web("web"), web("other")], GRACE));
    await world.updateStatus(Deployment, "web", (object) => {
      object.status = {
        observedGeneration: object.metadata.generation!,
        conditions: [{ type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded", message: "stuck" }] as never,
      };
    });
    await world.settled();
    expect(await mainOf(world)).toMatch(/^False Failing: web: [^;]*$/);
    expect(await entries(world)).toMatchObject({ web: "Failed Failing", other: "Pending Creating" });
    expect(await pass(world, 500_000)).toMatch(/^False Failing: /);
  });

  test("of a Job is TaskFailing", async () => {
    const world = await settled(main([job()]));
    await world.updateStatus(Job, "job", (object) => {
      object.status = { conditions: [{ type: "Failed", status: "True", reason: "BackoffLimitExceeded", message: "too often" }] };
    });
    await world.settled();
    expect(await mainOf(world)).toMatch(/^False TaskFailing: job: /);
  });
});

describe("the word of a workload", () => {
  test("is Creating, then Healthy, then Scaling or Updating by what changes", async () => {
    const world = await settled(main([web("web")]), { spec: { replicas: 1 } });
    const ready = async (): Promise<void> => {
      await world.makeReady(Deployment, "web");
      await world.settled();
      expect(await mainOf(world)).toBe(READY);
    };
    expect(await mainOf(world)).toMatch(/^False Creating: web: /);
    await ready();
    await change(world, { replicas: 2 });
    expect(await mainOf(world)).toMatch(/^False Scaling: web: /);
    await ready();
    await change(world, { text: "two" });
    expect(await mainOf(world)).toMatch(/^False Updating: web: /);
    await ready();
    await partly(world);
    await world.settled();
    expect(await mainOf(world)).toMatch(/^False Scaling: web: /);
  });

  test("stays Creating when the spec changes before it is ready", async () => {
    const world = await settled(main([web("web")]));
    await change(world, { text: "two" });
    expect(await mainOf(world)).toMatch(/^False Creating: /);
  });
});

describe("the ready word", () => {
  const cron = dependentApply(App, {
    name: "cron",
    kind: CronJob,
    objectName: "cron",
    desired: (owner) => ({ spec: { schedule: "0 0 * * *", jobTemplate: { spec: jobSpec(owner) } } }),
  });
  const service = dependentApply(App, {
    name: "service",
    kind: Service,
    objectName: "service",
    desired: { spec: { ports: [{ port: 80 }] } },
  });
  test.for<{ name: string; resources: readonly object[]; want: string }>([
    { name: "Healthy without resources", resources: [], want: "Healthy" },
    { name: "Healthy for static objects only", resources: [page("page")], want: "Healthy" },
    { name: "Completed for a Job", resources: [job()], want: "Completed" },
    { name: "Completed for a Job and static objects", resources: [page("page"), job()], want: "Completed" },
    { name: "Operational for a Service and a Job", resources: [job(), service], want: "Operational" },
    { name: "Operational for a CronJob", resources: [cron], want: "Operational" },
    { name: "Healthy for a Deployment, a Service and a Job", resources: [job(), service, web("web")], want: "Healthy" },
    {
      name: "Operational if the Deployment is not checked",
      resources: [service, web("web", { checkedForReadiness: false })],
      want: "Operational",
    },
  ])("is $name", async ({ resources, want }) => {
    const world = await settled(main(resources, GRACE));
    if ((await world.get(Job, "job")) !== undefined) await world.makeReady(Job, "job");
    if ((await world.get(Deployment, "web")) !== undefined) await world.makeReady(Deployment, "web");
    await world.settled();
    expect(await mainOf(world)).toBe(`True ${want}: Component is ready.`);
    expect(await clockOf(world)).toBeUndefined();
  });

  test("one component that is not ready does not change the others", async () => {
    const ingress = dependentApply(App, {
      name: "ingress",
      kind: Ingress,
      objectName: "ingress",
      desired: { spec: { defaultBackend: { service: { name: "web", port: { number: 80 } } } } },
    });
    const other = component(App, { name: "other", condition: "OtherReady", resources: [ingress] });
    const world = await settled([main([page("page")]), other]);
    expect(await told(world)).toMatchObject({
      MainReady: READY,
      OtherReady: expect.stringMatching(/^False OperationPending: ingress: /),
      Ready: expect.stringMatching(/^False OperationPending: OtherReady: ingress: /),
    });
  });
});
