/** What a component says and sends: entries of the status, events, and requests in steady state. */
import "@treadle/testing/matchers";
import { ConfigMap, DaemonSet, Deployment, Service } from "@treadle/apimachinery/kinds";
import { dependentApply, dependentsOf } from "@treadle/dependents";
import { conditions, handler } from "@treadle/reconcile";
import { fakeWorld } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { component } from "../src/component.ts";
import { App, app, change, configMap, entries, eventsOf, login, main, mainOf, page, secret, settled, told, web, writes } from "./stage.ts";

const READY = "True Healthy: Component is ready.";
const service = dependentApply(App, {
  name: "service",
  kind: Service,
  objectName: "service",
  desired: { spec: { ports: [{ port: 80 }] } },
});

const daemonSpec = {
  selector: { matchLabels: { app: "daemons" } },
  template: { metadata: { labels: { app: "daemons" } }, spec: { containers: [{ name: "main", image: "main:1" }] } },
};

describe("the entries of a component", () => {
  test("name step, kind and object, with the words of the component", async () => {
    const world = await settled(main([page("page"), web("web")]));
    const found = dependentsOf((await world.get(App, "a")) ?? {});
    expect(found).toMatchObject([
      { step: "page", apiVersion: "v1", kind: "ConfigMap", name: "page", namespace: "default", type: "Ready", reason: "Healthy" },
      { step: "web", apiVersion: "apps/v1", kind: "Deployment", name: "web", type: "Pending", reason: "Creating" },
    ]);
    expect(found.every(({ lastTransitionTime }) => lastTransitionTime === "2026-01-01T00:00:00Z")).toBe(true);
  });

  test("change their time only with their type", async () => {
    const world = await settled(main([web("web")]));
    const timeOf = async (): Promise<unknown> => dependentsOf((await world.get(App, "a")) ?? {})[0]?.lastTransitionTime;
    await world.advance(10_000);
    await change(world, { text: "two" });
    expect(await timeOf()).toBe("2026-01-01T00:00:00Z");
    await world.makeReady(Deployment, "web");
    await world.settled();
    expect(await timeOf()).toBe("2026-01-01T00:00:10Z");
  });

  test("are those of a step in the list, when the step moves into a component", async () => {
    const step = page("page");
    const listed = handler(App).step(conditions()).step(step).build();
    const before = fakeWorld(listed, { objects: [app()] });
    await before.settled();
    const [object, owner] = [await before.get(ConfigMap, "page"), await before.get(App, "a")];
    const after = await settled(main([step]), { objects: [object as object], spec: {} });
    expect(owner).toBeDefined();
    expect((await after.get(ConfigMap, "page"))?.metadata.labels).toEqual(object?.metadata.labels);
  });

  test("of other steps are not modified while the component is off", async () => {
    const other = component(App, { name: "other", condition: "OtherReady", resources: [page("two")] });
    const world = await settled([main([page("one")]), other]);
    await change(world, { on: false });
    expect(await entries(world)).toEqual({ two: "Ready Healthy" });
  });
});

describe("the events of a component", () => {
  test("are recorded for each change, and for nothing else", async () => {
    const world = await settled(main([page("page"), web("web"), service]));
    await world.makeReady(Deployment, "web");
    await world.settled();
    expect(eventsOf(world)).toEqual([
      'CreatedConfigMap: component "main" created ConfigMap default/page',
      'CreatedDeployment: component "main" created Deployment default/web',
      'CreatedService: component "main" created Service default/service',
    ]);
    await change(world, { text: "two" });
    expect(eventsOf(world).slice(3)).toEqual([
      'UpdatedConfigMap: component "main" updated ConfigMap default/page',
      'UpdatedDeployment: component "main" updated Deployment default/web',
    ]);
    await world.update(ConfigMap, "page", (object) => void (object.data = { text: "other" }));
    await world.settled();
    expect(eventsOf(world).slice(5)).toEqual(['UpdatedConfigMap: component "main" updated ConfigMap default/page']);
    await change(world, { on: false });
    expect(eventsOf(world).slice(6).toSorted()).toEqual([
      'ResourceDeleted: component "main" deleted ConfigMap default/page',
      'ResourceDeleted: component "main" deleted Deployment default/web',
      'ResourceDeleted: component "main" deleted Service default/service',
    ]);
  });

  test("are recorded for an object that is deleted because it is not wanted", async () => {
    const world = await settled(main([page("page", { when: ({ spec }: App) => spec.text === "one" })]));
    await change(world, { text: "two" });
    expect(eventsOf(world).at(-1)).toBe('ResourceDeleted: component "main" deleted ConfigMap default/page');
    expect(await mainOf(world)).toBe(READY);
  });

  test("are recorded for an object that gets another name", async () => {
    const world = await settled(main([page("page", { objectName: ({ spec }: App) => `page-${spec.text}` })]));
    await change(world, { text: "two" });
    expect(eventsOf(world).slice(1)).toEqual([
      'CreatedConfigMap: component "main" created ConfigMap default/page-two',
      'ResourceDeleted: component "main" deleted ConfigMap default/page-one',
    ]);
  });

  test("are recorded once for an object that is released", async () => {
    const world = await settled(main([page("page", { orphanWhen: ({ spec }: App) => spec.text === "two" })]));
    await change(world, { text: "two" });
    for (let i = 0; i < 3; i++) await world.pass("a");
    expect(eventsOf(world).slice(1)).toEqual(['ResourceOrphaned: component "main" released ConfigMap default/page']);
  });

  test("are not recorded for objects that another writer creates", async () => {
    const world = await settled(main([login()]), { objects: [secret("login")] });
    expect(await mainOf(world)).toBe(READY);
    expect(eventsOf(world)).toEqual([]);
  });
});

describe("a settled component", () => {
  test("sends no request, and records no event", async () => {
    const world = await settled(main([login(), page("page"), web("web"), service], { graceMs: 60_000 }), { objects: [secret("login")] });
    await world.makeReady(Deployment, "web");
    await world.settled();
    expect(await mainOf(world)).toBe(READY);
    await world.pass("a");
    const before = world.events.length;
    world.requests.clear();
    for (let i = 0; i < 5; i++) {
      await world.pass("a");
      await world.advance(600_000);
      await world.settled();
    }
    expect([...world.requests].filter(({ verb }) => verb !== "watch")).toEqual([]);
    expect(world.events).toHaveLength(before);
  });

  test.for<{ name: string; steps: object; spec?: object; objects?: readonly object[]; want: RegExp }>([
    { name: "is blocked", steps: main([page("one"), page("two")]), spec: { held: ["one"] }, want: /^False Blocked/ },
    { name: "converges", steps: main([web("web")], { graceMs: 1_000 }), want: /^False Down/ },
    { name: "is not ours", steps: main([page("one")]), objects: [configMap("one")], want: /^False Blocked/ },
    { name: "waits for its barrier", steps: main([page("one")], { until: () => "not yet" }), want: /^False PrerequisiteNotMet/ },
  ])("that $name sends no request either", async ({ steps, spec = {}, objects = [], want }) => {
    const world = await settled(steps, { spec, objects });
    await world.advance(1_000);
    await world.settled();
    await world.pass("a");
    world.requests.clear();
    for (let i = 0; i < 3; i++) {
      await world.pass("a");
      await world.advance(600_000);
      await world.settled();
    }
    expect(await mainOf(world)).toMatch(want);
    expect([...world.requests].filter(({ verb }) => verb !== "watch")).toEqual([]);
  });

  test("with ten resources has converged with ten writes and one write of the status", async () => {
    const names = Array.from({ length: 10 }, (_, i) => `page-${i}`);
    const world = await settled(main(names.map((name) => page(name))));
    expect(writes(world).filter((each) => each.startsWith("apply"))).toHaveLength(10);
    expect(writes(world).filter((each) => each === "patch apps/status a")).toHaveLength(1);
    expect(await told(world)).toMatchObject({ MainReady: READY });
  });
});

describe("Ready", () => {
  test("is the worst of the components", async () => {
    const other = component(App, { name: "other", condition: "OtherReady", resources: [web("web")] });
    const world = await settled([main([page("one")]), other], { spec: { held: ["one"] } });
    expect((await told(world))["Ready"]).toMatch(/^False (Blocked: MainReady: one: one is held|Creating: OtherReady: web: )/);
  });

  test("is True while an unwanted object is being deleted", async () => {
    const kept = page("page", {
      when: ({ spec }: App) => spec.text === "one",
      desired: () => ({ metadata: { finalizers: ["test.treadle.dev/keep"] } }),
    });
    const world = await settled(main([kept, page("other")]));
    await change(world, { text: "two" });
    expect(await mainOf(world)).toBe(READY);
    expect(await entries(world)).toEqual({ page: "Ready Disabling", other: "Ready Healthy" });
    await change(world, { suspended: true });
    expect(await mainOf(world)).toBe("True Suspended: Component is suspended.");
    await change(world, { on: false });
    expect(await mainOf(world)).toBe("False Disabling: waiting for the deletion of ConfigMap page");
    expect(await entries(world)).toEqual({ page: "Pending Disabling" });
  });

  test("is False while an unwanted object that a suspension deletes is being deleted", async () => {
    const daemons = dependentApply(App, {
      name: "daemons",
      kind: DaemonSet,
      objectName: "daemons",
      when: ({ spec }) => spec.text === "one",
      desired: () => ({ metadata: { finalizers: ["test.treadle.dev/keep"] }, spec: daemonSpec }),
    });
    const world = await settled(main([daemons]));
    await change(world, { suspended: true, text: "two" });
    expect(await mainOf(world)).toBe("False Suspending: daemons: it is being deleted");
    expect(await entries(world)).toEqual({ daemons: "Pending Suspending" });
    await world.update(DaemonSet, "daemons", ({ metadata }) => void (metadata.finalizers = []));
    await world.settled();
    expect(await mainOf(world)).toBe("True Suspended: Component is suspended.");
  });
});
