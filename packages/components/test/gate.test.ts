/** The gate of a component: what is deleted, in which order, and what the condition reports meanwhile. */
import "@treadle/testing/matchers";
import { kind } from "@treadle/apimachinery";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { dependentApply } from "@treadle/dependents";
import { startTestCluster } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import {
  App,
  app,
  change,
  configMap,
  entries,
  eventsOf,
  handlerOf,
  login,
  main,
  mainOf,
  page,
  pages,
  secret,
  settled,
  told,
  writes,
} from "./stage.ts";
import { component } from "../src/component.ts";

const kept = (name: string) => page(name, { desired: () => ({ metadata: { finalizers: ["test.treadle.dev/keep"] } }) });
const free = (world: { update: Function }, name: string) =>
  world.update(ConfigMap, name, (object: { metadata: { finalizers?: string[] } }) => void (object.metadata.finalizers = []));

describe("a component that is off", () => {
  test("deletes its objects in reverse order, and names those that remain", async () => {
    const world = await settled(main([kept("one"), kept("two"), kept("three")]));
    expect(await told(world)).toMatchObject({ MainReady: "True Healthy: Component is ready.", Ready: expect.stringMatching(/^True/) });
    world.requests.clear();
    await change(world, { on: false });
    const seen: string[] = [];
    for (const name of ["three", "two", "one"]) {
      seen.push((await mainOf(world)) ?? "");
      await free(world, name);
      await world.settled();
    }
    expect(seen).toEqual([
      "False Disabling: waiting for the deletion of ConfigMap one, ConfigMap two, ConfigMap three",
      "False Disabling: waiting for the deletion of ConfigMap one, ConfigMap two",
      "False Disabling: waiting for the deletion of ConfigMap one",
    ]);
    expect(writes(world).filter((each) => each.startsWith("delete"))).toEqual([
      "delete configmaps three",
      "delete configmaps two",
      "delete configmaps one",
    ]);
    expect(await told(world)).toMatchObject({ MainReady: "True Disabled: Component is disabled.", Ready: expect.stringMatching(/^True/) });
    expect(await entries(world)).toEqual({});
    expect(await pages(world)).toEqual([]);
    expect(eventsOf(world).filter((each) => each.startsWith("ResourceDeleted"))).toEqual([
      'ResourceDeleted: component "main" deleted ConfigMap default/three',
      'ResourceDeleted: component "main" deleted ConfigMap default/two',
      'ResourceDeleted: component "main" deleted ConfigMap default/one',
    ]);
  });

  test("does not modify objects that it does not create", async () => {
    const labelled = login({ updated: false });
    const world = await settled(main([labelled, page("one")]), { objects: [secret("login")] });
    const before = await world.get(Secret, "login");
    await change(world, { on: false });
    expect(await mainOf(world)).toBe("True Disabled: Component is disabled.");
    expect(await world.get(Secret, "login")).toEqual(before);
    expect(await pages(world)).toEqual([]);
  });

  test("does not delete an object that it writes, but does not create", async () => {
    const world = await settled(main([page("one", { created: false })]), { objects: [configMap("one", { other: "yes" })] });
    expect((await world.get(ConfigMap, "one"))?.data).toEqual({ other: "yes", text: "one" });
    await change(world, { on: false });
    expect(await mainOf(world)).toBe("True Disabled: Component is disabled.");
    expect(await pages(world)).toEqual(["one"]);
  });

  test("does not delete an object of another writer", async () => {
    const world = await settled(main([page("one")]), { objects: [configMap("one")] });
    expect(await mainOf(world)).toMatch(/^False Blocked: one: ConfigMap one is not ours/);
    await change(world, { on: false });
    expect(await mainOf(world)).toBe("True Disabled: Component is disabled.");
    expect(await pages(world)).toEqual(["one"]);
  });

  test("releases an object that is to be released", async () => {
    const world = await settled(main([page("one", { orphanWhen: ({ spec }: App) => !spec.on })]));
    await change(world, { on: false });
    expect(await mainOf(world)).toBe("True Disabled: Component is disabled.");
    expect(await pages(world)).toEqual(["one"]);
    expect(eventsOf(world)).toContain('ResourceOrphaned: component "main" released ConfigMap default/one');
  });

  test("is Disabled also while it is suspended", async () => {
    const world = await settled(main([page("one")]), { spec: { suspended: true } });
    await change(world, { on: false });
    expect(await mainOf(world)).toBe("True Disabled: Component is disabled.");
    expect(await pages(world)).toEqual([]);
  });

  test("costs no request and no event in steady state", async () => {
    const world = await settled(main([page("one")]), { spec: { on: false } });
    const before = world.events.length;
    world.requests.clear();
    for (let i = 0; i < 3; i++) await world.pass("a");
    expect(writes(world)).toEqual([]);
    expect(world.events).toHaveLength(before);
  });

  test("asks the barrier again when it is on again", async () => {
    let asked = 0;
    const steps = main([page("one")], { until: () => (asked++, true) });
    const world = await settled(steps);
    expect(asked).toBe(1);
    await change(world, { text: "two" });
    expect(asked).toBe(1);
    await change(world, { on: false });
    await change(world, { on: true });
    expect(asked).toBe(2);
    expect(await mainOf(world)).toBe("True Healthy: Component is ready.");
  });

  test("does not wait for a kind that the server does not serve", async () => {
    const Thing = kind({ group: "missing.dev", version: "v1", kind: "Thing", plural: "things" });
    const thing = dependentApply(App, { name: "thing", kind: Thing, objectName: "thing", desired: {} });
    const world = await settled(main([page("one"), thing]), { missing: [Thing] });
    expect(await mainOf(world)).toMatch(/^False Error: thing: .*Thing/);
    expect(await told(world)).toMatchObject({ Ready: expect.stringMatching(/^False Error/) });
    await change(world, { on: false });
    expect(await mainOf(world)).toBe("True Disabled: Component is disabled.");
    expect(await pages(world)).toEqual([]);
    await change(world, { on: true });
    expect(await mainOf(world)).toMatch(/^False Error: thing: .*Thing/);
    await world.install(Thing);
    await world.settled();
    expect(await mainOf(world)).toBe("True Operational: Component is ready.");
  });
});

test("a removal that fails with a transient error does not change the condition for 60 s", async () => {
  const optional = page("two", { when: ({ spec }) => !spec.scaled });
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(handlerOf(main([page("one"), optional])));
  await cluster.apply(app());
  await cluster.settled();
  const fault = cluster.faults.add({ on: { resource: "configmaps", verb: "delete" }, fault: { type: "serverError", status: 503 } });
  await cluster.update(App, "a", ({ spec }) => void (spec.scaled = true));
  await cluster.advance(50_000);
  expect(fault.hits.length).toBeGreaterThan(1);
  expect(await mainOf(cluster)).toBe("True Healthy: Component is ready.");
  await cluster.advance(100_000);
  expect(await mainOf(cluster)).toMatch(/^False Error: two: cannot delete ConfigMap/);
  fault.remove();
  await cluster.advance(600_000);
  expect(await mainOf(cluster)).toBe("True Healthy: Component is ready.");
  expect(await pages(cluster)).toEqual(["one"]);
});

describe("a gate that gives no answer", () => {
  const boom = new Error("boom");
  test.for<{ name: string; enabled: () => never; says: string }>([
    {
      name: "throws",
      enabled: () => {
        throw boom;
      },
      says: "boom",
    },
    { name: "returns a promise", enabled: (() => Promise.resolve(true)) as never, says: "enabled returned a promise" },
    { name: "returns a rejected promise", enabled: (() => Promise.reject(boom)) as never, says: "enabled returned a promise" },
    { name: "returns a text", enabled: (() => "yes") as never, says: "enabled returned a string" },
  ])("that $name is FeatureGateError: nothing is deleted, and other components go on", async ({ enabled, says }) => {
    let isBroken = false;
    const broken = main([page("one")], { enabled: (() => (isBroken ? enabled() : true)) as never });
    const other = component(App, { name: "other", condition: "OtherReady", resources: [page("two")] });
    const world = await settled([broken, other]);
    isBroken = true;
    await change(world, { text: "two" });
    const conditions = await told(world);
    expect(conditions["MainReady"]).toMatch(/^False FeatureGateError: /);
    expect(conditions["MainReady"]).toContain(says);
    expect(conditions["OtherReady"]).toBe("True Healthy: Component is ready.");
    expect(conditions["Ready"]).toMatch(/^False/);
    expect(await pages(world)).toEqual(["one", "two"]);
    expect((await world.get(ConfigMap, "two"))?.data).toEqual({ text: "two" });
    isBroken = false;
    await world.advance(world.dueIn("a") ?? 0);
    await world.settled();
    expect((await told(world))["MainReady"]).toBe("True Healthy: Component is ready.");
  });
});
