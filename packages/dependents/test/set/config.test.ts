/** What an author decides in code about one object of a set. */
import "@treadle/testing/matchers";
import { ConfigMap, Deployment, Secret } from "@treadle/apimachinery/kinds";
import type { FakeWorld } from "@treadle/testing";
import { startTestCluster } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import {
  configured,
  type DependentEntry,
  dependentsOf,
  type DependentState,
  object,
  type ObjectConfig,
  type RenderedObject,
} from "../../src/index.ts";
import { condition, config, HANDLER, namesOf, type Options, Platform, platform, platforms, settled, worldOf } from "./platforms.ts";

const objects = (...all: readonly RenderedObject[]): Partial<Options> => ({ objects: () => all });
const state = (type: string, message = ""): DependentState => ({ type, reason: type === "Ready" ? "Ready" : "Told", message });
const entriesOf = async (world: FakeWorld): Promise<readonly DependentEntry[]> => dependentsOf((await world.get(Platform, "a")) ?? {});
const said = async (world: FakeWorld): Promise<readonly string[]> =>
  (await entriesOf(world)).map(({ name, type, reason, message }) => [name, type, reason, message].filter((text) => text !== "").join(" "));
const marksOf = async (world: FakeWorld, name: string): Promise<readonly string[]> => {
  const { labels = {}, annotations = {} } = (await world.get(ConfigMap, name))?.metadata ?? {};
  return [...Object.keys(labels), ...Object.keys(annotations)].toSorted();
};
const writes = (world: FakeWorld): number =>
  world.requests.filter({ resource: "configmaps", verb: ["apply", "patch", "create", "update"] }).length;
const setText = async (world: FakeWorld, text: string): Promise<void> => {
  await world.update(Platform, "a", ({ spec }) => void (spec.text = text));
  await world.settled();
};
/** One object whose configuration follows from `spec.text`. */
const byText = (configs: Readonly<Record<string, ObjectConfig>>): Partial<Options> => ({
  objects: ({ spec }) => [configured(config("one", { a: "b" }), configs[spec.text] ?? {})],
});

describe("the state of an object", () => {
  const twoStates: Partial<Options> = {
    objects: ({ spec }) => [
      configured(config("one"), { id: "first", state: state(spec.text === "hello" ? "Pending" : "Ready", spec.text) }),
      configured(config("two"), { id: "second", state: { ...state("Failed", "no disk"), attributes: [{ name: "disk", value: "a" }] } }),
    ],
  };

  test("replaces the health of each of two objects of one kind", async () => {
    const world = await settled(twoStates);
    expect(await said(world)).toEqual(["one Pending Told hello", "two Failed Told no disk"]);
    expect((await entriesOf(world))[1]?.attributes).toContainEqual({ name: "disk", value: "a" });
    expect(await condition(world)).toMatchObject({ status: "False", reason: "Error", message: "ConfigMap default/two: no disk" });
  });

  test("is reported in the pass that renders it, and writes no object", async () => {
    const world = await settled(twoStates);
    world.requests.clear();
    await world.update(Platform, "a", ({ spec }) => void (spec.text = "done"));
    await world.pass("a");
    expect(await said(world)).toEqual(["one Ready Ready done", "two Failed Told no disk"]);
    expect(writes(world)).toBe(0);
  });

  test("of Ready makes an object ready that its health would not", async () => {
    const container = { name: "web", image: "web:1" };
    const spec = {
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [container] } },
    };
    const server = object(Deployment, { metadata: { name: "web" }, spec });
    const world = await settled(objects(configured(server, { state: state("Ready") })));
    expect(await condition(world)).toMatchObject({ status: "True" });
  });

  test.for(["Pending", "Failed", "Unknown", "Warming"])("of %s does not make the set ready", async (type) => {
    const world = await settled(objects(configured(config("one"), { state: state(type, "wait") })));
    expect((await condition(world))?.status).not.toBe("True");
    expect(await said(world)).toEqual([`one ${type} Told wait`]);
  });

  test("does not begin the waves again", async () => {
    const world = await settled({
      objects: ({ spec }) => [
        configured(config("early"), { state: state(spec.text === "hello" ? "Ready" : "Pending", spec.text) }),
        config("late", { a: "b" }, { apply: 1 }),
      ],
    });
    await setText(world, "wait");
    await world.update(ConfigMap, "late", (map) => void (map.data = { text: "drifted" }));
    await world.settled();
    // The wave has begun, so drift in it is reverted.
    expect((await world.get(ConfigMap, "late"))?.data).toMatchObject({ a: "b" });
  });

  test("holds up later waves until it is Ready", async () => {
    const world = await settled({
      objects: ({ spec }) => [
        configured(config("early"), { state: state(spec.text === "hello" ? "Pending" : "Ready") }),
        config("late", {}, { apply: 1 }),
      ],
    });
    expect(await namesOf(world)).toEqual(["early"]);
    await setText(world, "go");
    expect(await namesOf(world)).toEqual(["early", "late"]);
  });

  test("does not hide that the object belongs to another owner, and its siblings are applied", async () => {
    const boss = { apiVersion: "v1", kind: "ConfigMap", name: "boss", uid: "boss", controller: true };
    const foreign = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one", ownerReferences: [boss] }, data: { a: "theirs" } };
    const world = await settled(objects(configured(config("one"), { state: state("Ready") }), config("two")), { objects: [foreign] });
    expect((await entriesOf(world)).map(({ reason }) => reason)).toEqual(["NotOurs", "Ready"]);
    expect((await world.get(ConfigMap, "one"))?.data).toEqual({ a: "theirs" });
  });

  test.for([
    { name: "in the order of the list", order: (list: readonly RenderedObject[]) => list },
    { name: "in the reverse order", order: (list: readonly RenderedObject[]) => list.toReversed() },
  ])("decides about the condition by the worst object, $name", async ({ order }) => {
    const all = ["Ready", "Pending", "Unknown", "Failed"].map((type) =>
      configured(config(type.toLowerCase()), { state: state(type, `it is ${type}`) }),
    );
    const world = await settled(objects(...order(all)));
    expect(await condition(world)).toMatchObject({ status: "False", reason: "Error", message: "ConfigMap default/failed: it is Failed" });
    expect(await entriesOf(world)).toHaveLength(4);
  });

  test("of an object of another writer counts when it exists", async () => {
    const world = await settled(objects(configured(config("one"), { created: false, state: state("Ready") })));
    expect(await said(world)).toEqual(["one Pending NotFound ConfigMap one does not exist yet, and another writer is to create it"]);
    await world.create(ConfigMap, { metadata: { name: "one" } });
    await world.settled();
    expect(await said(world)).toEqual(["one Ready Ready"]);
  });
});

test("the entry of an object is removed when it is no longer rendered", async () => {
  const world = await settled({
    objects: ({ spec }) => spec.names.map((name) => configured(config(name), { state: state("Ready", name) })),
  });
  await world.update(Platform, "a", ({ spec }) => void (spec.names = ["two"]));
  await world.settled();
  expect(await said(world)).toEqual(["two Ready Ready two"]);
});

describe("an object that the owner does not own", () => {
  test("carries the label of the step alone, and leads to a pass when it changes", async () => {
    const world = await settled(byText({ hello: { owned: false } }));
    expect(await marksOf(world, "one")).toEqual([`${HANDLER}/dependent`]);
    await world.update(ConfigMap, "one", (map) => void (map.data = { a: "changed" }));
    await world.settled();
    expect((await world.get(ConfigMap, "one"))?.data).toEqual({ a: "b" });
  });

  test.for([
    { name: "owned: false", other: { owned: false }, marks: [`${HANDLER}/dependent`] },
    { name: "owned: false and updated: false", other: { owned: false, updated: false }, marks: [`${HANDLER}/dependent`] },
    { name: "created: false", other: { created: false }, marks: [] },
  ])("is released when it was the owner's before, with $name", async ({ other, marks }) => {
    const world = await settled(byText({ other }));
    const before = await world.get(ConfigMap, "one");
    await setText(world, "other");
    expect(await marksOf(world, "one")).toEqual(marks);
    expect((await world.get(ConfigMap, "one"))?.metadata.uid).toBe(before?.metadata.uid);
    expect((await world.get(ConfigMap, "one"))?.data).toEqual({ a: "b" });
    await world.delete(Platform, "a");
    await world.settled();
    expect(await namesOf(world)).toEqual(["one"]);
  });

  test("is taken when it is the owner's again, and deleted with it", async () => {
    const world = await settled(byText({ hello: { owned: false } }));
    await setText(world, "mine");
    expect(await marksOf(world, "one")).toContain(`${HANDLER}/owner-id`);
    await world.delete(Platform, "a");
    await world.settled();
    expect(await namesOf(world)).toEqual([]);
  });

  test("stays when it is dropped after a restart, although the status names it", { tags: ["memory"] }, async () => {
    await using cluster = await startTestCluster({ objects: [platform({ names: ["one", "two"] })] });
    const render = (names: readonly string[]): Partial<Options> => ({
      objects: () => names.map((name) => (name === "one" ? configured(config(name), { owned: false }) : config(name))),
    });
    const first = await cluster.start(platforms(render(["one", "two"])));
    await first.settled();
    await first.stop();
    await (await cluster.start(platforms(render([])))).settled();
    expect((await cluster.list(ConfigMap, "default")).map(({ metadata }) => metadata.name)).toEqual(["one"]);
    const owner = await cluster.get(Platform, "a");
    expect(dependentsOf(owner ?? {})).toEqual([]);
    expect(JSON.stringify(owner?.status)).not.toContain("others");
  });
});

describe("an object that is not updated", () => {
  test("keeps its first desired state over a restart, and is created again with the present one", { tags: ["memory"] }, async () => {
    await using cluster = await startTestCluster({ objects: [platform()] });
    const options: Partial<Options> = {
      objects: ({ spec }) => [configured(object(Secret, { metadata: { name: "s" }, stringData: { text: spec.text } }), { updated: false })],
    };
    const text = async (): Promise<string> => Buffer.from((await cluster.get(Secret, "s"))?.data?.["text"] ?? "", "base64").toString();
    const first = await cluster.start(platforms(options));
    await first.settled();
    await cluster.update(Platform, "a", ({ spec }) => void (spec.text = "new"));
    await first.settled();
    expect(await text()).toBe("hello");
    await first.stop();
    const second = await cluster.start(platforms(options));
    await second.settled();
    expect(await text()).toBe("hello");
    await cluster.delete(Secret, "s");
    await second.settled();
    expect(await text()).toBe("new");
  });

  test("is not created again with the policy once", async () => {
    const world = await settled(objects(configured(config("one", {}, { reconcile: "once" }), { updated: false })));
    await world.delete(ConfigMap, "one");
    await world.settled();
    expect(await namesOf(world)).toEqual([]);
    expect(await condition(world)).toMatchObject({ status: "True" });
  });
});

describe("an object that the set does not wait for", () => {
  const broken = object(Deployment, { metadata: { name: "broken" }, spec: {} as never });
  const unchecked: ObjectConfig = { checkedForReadiness: false };

  test("that fails is logged and retried with backoff, and holds up neither waves nor after nor Ready", async () => {
    const world = await settled(
      objects(configured(broken, unchecked), config("next", {}, { after: ["Deployment.apps/broken"] }), config("late", {}, { apply: 1 })),
    );
    expect(await namesOf(world)).toEqual(["late", "next"]);
    expect(await condition(world)).toEqual({ status: "True", reason: "Ready", message: "2 objects are ready" });
    expect((await entriesOf(world)).map(({ name }) => name)).toEqual(["next", "late"]);
    expect(await world.get(Platform, "a")).toBeReady();
    const tries = (): number => world.requests.filter({ resource: "deployments", verb: ["apply", "patch"] }).length;
    const before = tries();
    for (let seconds = 0; seconds < 60; seconds++) {
      await world.advance(1_000);
      await world.settled();
    }
    expect(tries() - before).toBeGreaterThan(1);
    expect(tries() - before).toBeLessThan(20);
    expect(world.logs.filter(({ text }) => text.startsWith("the dependent is not as desired, and its owner does not wait"))).not.toEqual(
      [],
    );
  });

  test("that is not ready holds up nothing, and a settled pass sends no request", async () => {
    const container = { name: "web", image: "web:1" };
    const spec = {
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [container] } },
    };
    const world = await settled(
      objects(configured(object(Deployment, { metadata: { name: "web" }, spec }), unchecked), config("late", {}, { apply: 1 })),
    );
    expect(await namesOf(world)).toEqual(["late"]);
    expect(await condition(world)).toMatchObject({ status: "True" });
    world.requests.clear();
    await world.pass("a");
    expect(world.requests.summary()).toEqual({});
  });

  test("and that is applied once is not created again after a restart", { tags: ["memory"] }, async () => {
    await using cluster = await startTestCluster({ objects: [platform()] });
    const options = objects(configured(config("one", {}, { reconcile: "once" }), unchecked));
    const first = await cluster.start(platforms(options));
    await first.settled();
    await first.stop();
    await cluster.delete(ConfigMap, "one");
    await (await cluster.start(platforms(options))).settled();
    expect(await cluster.get(ConfigMap, "one")).toBeUndefined();
  });
});

describe("an object that is not watched although its kind is", () => {
  test("is applied again when the owner owns it no more", async () => {
    const world = await settled(byText({ hello: { watched: false }, other: { watched: false, owned: false } }));
    await setText(world, "other");
    expect(await marksOf(world, "one")).toEqual([`${HANDLER}/dependent`]);
  });

  test("costs no request in a settled pass", async () => {
    const world = await settled(byText({ hello: { watched: false } }));
    world.requests.clear();
    await world.pass("a");
    expect(world.requests.summary()).toEqual({});
  });

  test("is removed when it is no longer rendered", async () => {
    const world = await settled({ objects: ({ spec }) => (spec.text === "hello" ? [configured(config("one"), { watched: false })] : []) });
    await setText(world, "none");
    expect(await namesOf(world)).toEqual([]);
  });
});

describe("a set refuses", () => {
  test.for<{ name: string; given: RenderedObject; says: string }>([
    {
      name: "onRemoval of an object that it does not own",
      given: configured(config("one", {}, { onRemoval: "orphan" }), { owned: false }),
      says: "onRemoval (delete-policy) is set, but with owned: false the set never removes it: remove one of both",
    },
    {
      name: "purge of an object of another writer",
      given: configured(config("one", {}, { purge: 0 }), { created: false }),
      says: "purge (purge-order) is set, but with created: false and so owned: false the set never deletes it: remove one of both",
    },
    {
      name: "recreate of an object of another writer",
      given: configured(config("one", {}, { update: "recreate" }), { created: false, updated: true }),
      says: "update (update-policy) is recreate, but with owned: false it has fields of other writers",
    },
    {
      name: "replace of an object that it owns and does not create",
      given: configured(config("one", {}, { update: "replace" }), { created: false, updated: true, owned: true }),
      says: "update (update-policy) is replace, but with created: false it has fields of other writers",
    },
    {
      name: "once for an object of another writer",
      given: configured(config("one", {}, { reconcile: "once" }), { created: false }),
      says: "reconcile (reconcile-policy) is once, but created: false: another writer creates it; remove one of both",
    },
    {
      name: "an update of an object of another writer that it may not take",
      given: configured(config("one", {}, { adopt: "never" }), { created: false, updated: true }),
      says: "adopt (adoption-policy) is never: set if-unowned or force, or remove updated",
    },
    {
      name: "a state of another form",
      given: configured(config("one"), { state: { type: "Ready" } as never }),
      says: "as state in its configuration: write type, reason and message as texts",
    },
  ])("$name, and writes nothing", async ({ given, says }) => {
    const world = await settled({ replaces: true, ...objects(given, config("two")) });
    expect((await condition(world))?.message).toContain(says);
    expect(await namesOf(world)).toEqual([]);
  });

  test("no policy of an outer level for an object that it does not own", async () => {
    const defaults = { onRemoval: "orphan-on-apply", update: "recreate", reconcile: "once" } as const;
    const world = worldOf({ defaults, ...objects(configured(config("one"), { created: false, updated: true })) });
    await world.create(ConfigMap, { metadata: { name: "one" }, data: { theirs: "x" }, immutable: false });
    await world.settled();
    expect(await condition(world)).toMatchObject({ status: "True" });
    await world.delete(ConfigMap, "one");
    await world.settled();
    expect(await said(world)).toEqual(["one Pending NotFound ConfigMap one does not exist yet, and another writer is to create it"]);
  });
});
