/** The suspension of a component: what becomes of each kind, of absent objects, and of resources that lack something. */
import "@treadle/testing/matchers";
import {
  ConfigMap,
  CronJob,
  DaemonSet,
  Deployment,
  Job,
  PersistentVolumeClaim,
  Secret,
  Service,
  StatefulSet,
} from "@treadle/apimachinery/kinds";
import { dependentApply } from "@treadle/dependents";
import { one } from "@treadle/reconcile";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import type { KindRecord } from "../src/kinds/kind-record.ts";
import {
  App,
  app,
  change,
  configMap,
  entries,
  eventsOf,
  handlerOf,
  jobSpec,
  login,
  main,
  mainOf,
  page,
  pages,
  secret,
  settled,
  told,
  web,
  workload,
  writes,
} from "./stage.ts";

const SUSPENDED = "True Suspended: Component is suspended.";
const READY = "True Healthy: Component is ready.";

const job = dependentApply(App, { name: "job", kind: Job, objectName: "job", desired: (owner) => ({ spec: jobSpec(owner) }) });
const all = [
  page("page"),
  web("deployment"),
  dependentApply(App, {
    name: "set",
    kind: StatefulSet,
    objectName: "set",
    desired: (owner) => ({ spec: { ...workload("set", owner), replicas: 2, serviceName: "set" } }),
  }),
  dependentApply(App, {
    name: "daemons",
    kind: DaemonSet,
    objectName: "daemons",
    desired: (owner) => {
      const { selector, template } = workload("daemons", owner);
      return { spec: { selector, template } };
    },
  }),
  job,
  dependentApply(App, {
    name: "cron",
    kind: CronJob,
    objectName: "cron",
    desired: (owner) => ({ spec: { schedule: "0 0 1 1 *", jobTemplate: { spec: jobSpec(owner) } } }),
  }),
  dependentApply(App, {
    name: "service",
    kind: Service,
    objectName: "service",
    desired: { spec: { selector: { app: "deployment" }, ports: [{ port: 80 }] } },
  }),
  dependentApply(App, {
    name: "claim",
    kind: PersistentVolumeClaim,
    objectName: "claim",
    desired: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
  }),
];

async function clusterOf(spec: object, ...steps: object[]): Promise<TestCluster> {
  const cluster = await startTestCluster({ workloads: true });
  await cluster.start(handlerOf(...steps));
  await cluster.apply(app(spec));
  await cluster.settled();
  return cluster;
}

interface Existing {
  readonly deployment: number | undefined;
  readonly set: number | undefined;
  readonly cron: boolean | undefined;
  readonly others: readonly string[];
}

async function existing(cluster: TestCluster): Promise<Existing> {
  const others = [ConfigMap, DaemonSet, Job, Service, PersistentVolumeClaim] as const;
  const lists = await Promise.all(
    others.map(async (kind) => ((await cluster.list(kind as typeof ConfigMap)).length > 0 ? [kind.kind] : [])),
  );
  return {
    deployment: (await cluster.get(Deployment, "deployment"))?.spec?.replicas,
    set: (await cluster.get(StatefulSet, "set"))?.spec?.replicas,
    cron: (await cluster.get(CronJob, "cron"))?.spec?.suspend,
    others: lists.flat(),
  };
}

const OFF = { deployment: 0, set: 0, cron: true, others: ["ConfigMap", "Service", "PersistentVolumeClaim"] };
const OFF_ENTRIES = {
  page: "Ready Healthy",
  deployment: "Ready Suspended",
  set: "Ready Suspended",
  cron: "Ready Suspended",
  service: "Ready Operational",
};

describe("a component with a resource of each kind", () => {
  test("is suspended and resumed by the rule of each kind", async () => {
    await using cluster = await clusterOf({ replicas: 3 }, main(all));
    const before = await existing(cluster);
    expect(before).toMatchObject({ deployment: 3, set: 2, others: ["ConfigMap", "DaemonSet", "Job", "Service", "PersistentVolumeClaim"] });
    await change(cluster, { suspended: true });
    expect(await existing(cluster)).toEqual(OFF);
    expect(await told(cluster)).toMatchObject({ MainReady: SUSPENDED, Ready: expect.stringMatching(/^True/) });
    expect(await entries(cluster)).toMatchObject(OFF_ENTRIES);
    await change(cluster, { suspended: false });
    expect(await existing(cluster)).toEqual({ ...before, cron: before.cron ?? false });
  });

  test("is created suspended, and what would be deleted is not created", async () => {
    await using cluster = await clusterOf({ replicas: 3, suspended: true }, main(all));
    expect(await existing(cluster)).toEqual(OFF);
    expect(await mainOf(cluster)).toBe(SUSPENDED);
    expect(cluster.requests.count({ kind: Job, verb: ["apply", "create"] })).toBe(0);
    expect(cluster.requests.count({ kind: DaemonSet, verb: ["apply", "create"] })).toBe(0);
  });

  test("sends nothing in steady state, and records no event", async () => {
    const world = await settled(main([page("page"), web("web"), job]), { spec: { suspended: true } });
    await world.makeReady(Deployment, "web");
    await world.settled();
    expect(await mainOf(world)).toBe(SUSPENDED);
    const events = world.events.length;
    world.requests.clear();
    for (let i = 0; i < 3; i++) await world.pass("a");
    expect(writes(world)).toEqual([]);
    expect([...world.requests]).toEqual([]);
    expect(world.events).toHaveLength(events);
  });
});

describe("a Job", () => {
  test("is suspended first, and deleted only after it was seen suspended", async () => {
    const world = await settled(main([job]));
    await world.updateStatus(Job, "job", (object) => void (object.status = { active: 1 }));
    await change(world, { suspended: true });
    expect((await world.get(Job, "job"))?.spec?.suspend).toBe(true);
    expect(await mainOf(world)).toBe("False Suspending: job: it is being suspended");
    expect(await entries(world)).toEqual({ job: "Pending Suspending" });
    await world.updateStatus(Job, "job", (object) => void (object.status = { active: 0 }));
    await world.settled();
    expect(await world.get(Job, "job")).toBeUndefined();
    expect(await mainOf(world)).toBe(SUSPENDED);
    expect(eventsOf(world).at(-1)).toBe('ResourceDeleted: component "main" deleted Job default/job');
    await world.pass("a");
    expect(await world.get(Job, "job")).toBeUndefined();
  });

  test("that runs once and was complete does not run again after a suspension", async () => {
    const once = dependentApply(App, {
      name: "job",
      kind: Job,
      objectName: "job",
      once: true,
      desired: (owner) => ({ spec: jobSpec(owner) }),
    });
    const world = await settled(main([once]));
    await world.makeReady(Job, "job");
    await world.settled();
    expect(await mainOf(world)).toBe("True Completed: Component is ready.");
    await change(world, { suspended: true });
    expect(await mainOf(world)).toBe(SUSPENDED);
    await change(world, { suspended: false });
    expect(await mainOf(world)).toBe("True Completed: Component is ready.");
    expect(await world.list(Job)).toEqual([]);
  });
});

describe("the condition of a suspended component", () => {
  test("goes from PendingSuspension over Suspending to Suspended", async () => {
    const world = await settled(main([web("web"), page("page")]), { spec: { replicas: 2 } });
    await world.makeReady(Deployment, "web");
    await change(world, { suspended: true });
    expect(await mainOf(world)).toBe("False PendingSuspension: web: its controller has not seen the suspension yet");
    expect(await entries(world)).toEqual({ web: "Pending PendingSuspension", page: "Ready Healthy" });
    await world.updateStatus(Deployment, "web", ({ metadata, status }) => void (status!.observedGeneration = metadata.generation!));
    await world.settled();
    expect(await mainOf(world)).toBe("False Suspending: web: it is being suspended");
    await world.makeReady(Deployment, "web");
    await world.settled();
    expect(await mainOf(world)).toBe(SUSPENDED);
    expect(await entries(world)).toEqual({ web: "Ready Suspended", page: "Ready Healthy" });
  });

  test("is Suspended without a resource that can be suspended", async () => {
    const world = await settled(main([page("page")]), { spec: { suspended: true } });
    expect(await mainOf(world)).toBe(SUSPENDED);
    expect(await pages(world)).toEqual(["page"]);
  });

  test("by an empty list, which would always hold, is refused", () => {
    expect(() => main([page("page")], { suspended: [] })).toThrow(
      'component "main": suspended is an empty list, which always holds: leave it out, or name a gate',
    );
  });

  test("is Suspended without resources", async () => {
    const world = await settled(main([]), { spec: { suspended: true } });
    expect(await mainOf(world)).toBe(SUSPENDED);
  });
});

describe("what a suspended component applies", () => {
  test("follows the spec: static objects, and the template of a workload", async () => {
    const world = await settled(main([page("page"), web("web")]), { spec: { suspended: true, replicas: 2 } });
    await change(world, { text: "two", replicas: 4 });
    expect((await world.get(ConfigMap, "page"))?.data).toEqual({ text: "two" });
    const { spec } = (await world.get(Deployment, "web")) ?? {};
    expect(spec?.template.spec?.containers[0]?.image).toBe("main:two");
    expect(spec?.replicas).toBe(0);
    await change(world, { suspended: false });
    expect((await world.get(Deployment, "web"))?.spec?.replicas).toBe(4);
  });

  test("does not ask until", async () => {
    const world = await settled(main([page("page"), web("web")]), { spec: { suspended: true, held: ["page", "web"] } });
    expect(await pages(world)).toEqual(["page"]);
    expect((await world.get(Deployment, "web"))?.spec?.replicas).toBe(0);
  });

  test("until is asked again in the first pass after a suspension that does not change the owner", async () => {
    const paused = main([page("page", { until: () => "held" })], {
      reads: { pause: one(ConfigMap, () => "pause") },
      suspended: ((_owner: App, { reads }: { reads: { pause: unknown } }) => reads.pause !== undefined) as never,
    });
    const world = await settled(paused, { objects: [configMap("pause")] });
    for (let i = 0; i < 2; i++) await world.pass("a");
    expect(await mainOf(world)).toBe(SUSPENDED);
    await world.delete(ConfigMap, "pause");
    await world.pass("a");
    expect(await mainOf(world)).toBe("False Blocked: page: held");
  });

  test("unwanted objects are removed", async () => {
    const world = await settled(main([page("page", { when: ({ spec }: App) => spec.text === "one" }), web("web")]));
    await change(world, { suspended: true });
    expect(await pages(world)).toEqual(["page"]);
    await change(world, { text: "two" });
    expect(await pages(world)).toEqual([]);
  });

  test("does not touch an object of another writer, and is Suspended", async () => {
    const foreign = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web" },
      spec: { ...workload("web", { spec: {} as never }), replicas: 2 },
    };
    const world = await settled(main([web("web"), page("page")]), { objects: [foreign], spec: { suspended: true } });
    expect((await world.get(Deployment, "web"))?.spec?.replicas).toBe(2);
    expect(await mainOf(world)).toBe(SUSPENDED);
    expect(await pages(world)).toEqual(["page"]);
  });

  test("an object that the component does not create is not suspended", async () => {
    const foreign = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web" },
      spec: { ...workload("web", { spec: {} as never }), replicas: 2 },
    };
    const world = await settled(main([web("web", { created: false, updated: false })]), { objects: [foreign], spec: { suspended: true } });
    expect((await world.get(Deployment, "web"))?.spec?.replicas).toBe(2);
    expect(await mainOf(world)).toBe(SUSPENDED);
  });
});

describe("a resource of a suspended component whose values are missing", () => {
  const user = login();
  const needing = web("needing", {
    needs: [user],
    desired: (owner: App, { vars }: { vars: { user: string } }) => ({
      metadata: { annotations: vars },
      spec: workload("needing", owner),
    }),
  });

  test("is left as it is, and does not hold up the others", async () => {
    const world = await settled(main([user, needing, web("web"), page("page")]), { objects: [secret("login")], spec: { replicas: 2 } });
    await world.makeReady(Deployment, "needing");
    await world.makeReady(Deployment, "web");
    await world.settled();
    expect(await mainOf(world)).toBe(READY);
    await world.delete(Secret, "login");
    await change(world, { suspended: true });
    await world.makeReady(Deployment, "web");
    await world.settled();
    expect((await world.get(Deployment, "needing"))?.spec?.replicas).toBe(2);
    expect((await world.get(Deployment, "web"))?.spec?.replicas).toBe(0);
    // It still runs, so the component is not suspended yet.
    expect(await mainOf(world)).toMatch(/^False PendingSuspension: needing: /);
    expect(await entries(world)).toMatchObject({ login: "Ready Suspended", needing: "Pending PendingSuspension", web: "Ready Suspended" });
  });

  test("a resource that depends on it is suspended", async () => {
    const world = await settled(main([user, needing, web("web", { dependsOn: [needing] })]), {
      objects: [secret("login")],
      spec: { replicas: 2 },
    });
    await world.makeReady(Deployment, "needing");
    await world.settled();
    await world.makeReady(Deployment, "web");
    await world.settled();
    await world.delete(Secret, "login");
    await change(world, { suspended: true });
    expect((await world.get(Deployment, "web"))?.spec?.replicas).toBe(0);
    expect((await world.get(Deployment, "needing"))?.spec?.replicas).toBe(2);
  });

  test("is not created", async () => {
    const world = await settled(main([user, needing, page("page")]), { spec: { suspended: true } });
    expect(await world.list(Deployment)).toEqual([]);
    expect(await pages(world)).toEqual(["page"]);
    expect(await mainOf(world)).toBe(SUSPENDED);
  });
});

describe("an error during the suspension", () => {
  test("is Error with its resource, and the others are suspended", async () => {
    const broken = page("broken", {
      desired: () => {
        throw new Error("boom");
      },
    });
    const world = await settled(main([broken, web("web", { dependsOn: [] })]), { spec: { suspended: true } });
    expect(await mainOf(world)).toMatch(/^False Error: broken: .*boom/);
    expect((await world.get(Deployment, "web"))?.spec?.replicas).toBe(0);
  });

  test("a workload whose name cannot be computed does not hold up the suspension of the others", async () => {
    const objectName = ({ spec }: App): string => {
      if (spec.text === "two") throw new Error("no name");
      return "broken";
    };
    const world = await settled(main([web("web"), web("broken", { objectName })]), { spec: { replicas: 2 } });
    await change(world, { suspended: true, text: "two" });
    expect(await mainOf(world)).toBe('False Error: broken: step "broken": objectName threw: no name');
    expect((await world.get(Deployment, "web"))?.spec?.replicas).toBe(0);
  });

  test("a record whose isSuspended returns a promise deletes nothing", async () => {
    const kinds = [{ kind: ConfigMap, category: "static", suspend: { delete: true }, isSuspended: async () => true }];
    const world = await settled(main([page("page")], { kinds: kinds as never }));
    await change(world, { suspended: true });
    expect(await mainOf(world)).toMatch(/^False Error: page: .*isSuspended returned a promise/);
    expect(await pages(world)).toEqual(["page"]);
  });
});

test("the fields that suspend an object are merged by the keys of lists, as those of a layer", async () => {
  const record: KindRecord<typeof Deployment> = {
    kind: Deployment,
    category: "workload",
    suspend: { merge: { spec: { template: { spec: { containers: { main: { args: ["sleep"] } } } } } } },
  };
  const world = await settled(main([web("web")], { kinds: [record] }), { spec: { suspended: true } });
  const live = await world.get(Deployment, "web");
  expect(live?.spec?.template.spec?.containers).toMatchObject([{ name: "main", image: "main:one", args: ["sleep"] }]);
});
