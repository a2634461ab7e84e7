/** Kinds of a set that the server serves late, kinds without a watch, and objects whose labels a user removed. */
import "@treadle/testing/matchers";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import type { FakeWorld } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { dependentsOf, type Manifest, object } from "../../src/index.ts";
import { condition, config, HANDLER, namesOf, type Options, Platform, settled, Widget } from "./platforms.ts";

const widget = object(Widget, { metadata: { name: "w" }, spec: { size: 2 } });

describe("a kind that is not served", () => {
  test.for([
    { name: "of a list", kinds: [ConfigMap, Widget] },
    { name: "of any", kinds: "any" },
  ] as const)("$name stops no other object, and is applied within 2 s of its CRD", async ({ kinds }) => {
    const world = await settled(
      { kinds, objects: () => [config("good"), widget, config("later", {}, { apply: 1 })] },
      { missing: [Widget] },
    );
    expect(await namesOf(world)).toEqual(["good"]);
    expect(await condition(world)).toMatchObject({
      status: "Unknown",
      reason: "Pending",
      message: expect.stringContaining("Widget default/w"),
    });
    expect(dependentsOf((await world.get(Platform, "a")) ?? {}).find(({ name }) => name === "w")).toMatchObject({
      type: "Pending",
      reason: "KindNotServed",
    });
    await world.advance(3_600_000);
    await world.settled();
    expect(await condition(world)).toMatchObject({ reason: "Pending" });
    await world.install(Widget);
    await world.settled();
    for (let ms = 0; ms < 2_000; ms += 100) {
      await world.advance(100);
      await world.settled();
    }
    expect((await world.get(Widget, "w"))?.spec).toEqual({ size: 2 });
    expect(await namesOf(world)).toEqual(["good", "later"]);
    expect(await condition(world)).toMatchObject({ status: "True", message: "3 objects are ready" });
  });

  test("does not keep its owner from being deleted", async () => {
    const world = await settled({ kinds: [ConfigMap, Widget], objects: () => [config("good"), widget] }, { missing: [Widget] });
    await world.delete(Platform, "a");
    await world.settled();
    expect([await namesOf(world), await world.get(Platform, "a")]).toEqual([[], undefined]);
  });
});

describe("a kind that is not watched", () => {
  const unwatched = async (more: Partial<Options>): Promise<FakeWorld> =>
    await settled({ kinds: [{ kind: ConfigMap, watched: false }, Secret], ...more }, { kinds: [ConfigMap] });
  const textOf = async (world: FakeWorld, name: string): Promise<unknown> => (await world.get(ConfigMap, name))?.data?.["text"];
  const spoil = async (world: FakeWorld, name: string): Promise<void> => {
    await world.update(ConfigMap, name, (each) => void (each.data = { text: "theirs" }));
    await world.settled();
  };
  const later = async (world: FakeWorld, ms: number): Promise<void> => {
    await world.advance(ms);
    await world.settled();
  };

  test("is read and applied again when the time of each object has passed, and never if it is applied once", async () => {
    const world = await unwatched({
      objects: () => [
        config("hourly", { text: "ours" }),
        config("often", { text: "ours" }, { reapplyMs: 60_000 }),
        config("once", { text: "ours" }, { reconcile: "once" }),
      ],
    });
    for (const name of ["hourly", "often", "once"]) await spoil(world, name);
    expect(world.dueIn("a")).toBeLessThanOrEqual(60_000);
    world.requests.clear();
    await world.pass("a");
    expect(world.requests.summary()).toEqual({});
    await later(world, 61_000);
    expect([await textOf(world, "hourly"), await textOf(world, "often"), await textOf(world, "once")]).toEqual([
      "theirs",
      "ours",
      "theirs",
    ]);
    expect(world.requests.filter({ kind: ConfigMap, verb: "apply" }).map(({ name }) => name)).toEqual(["often"]);
    await later(world, 3_600_000);
    expect([await textOf(world, "hourly"), await textOf(world, "once")]).toEqual(["ours", "theirs"]);
  });

  test("follows a new desired state at once, and its dropped objects are removed", async () => {
    const world = await unwatched({});
    await world.update(Platform, "a", ({ spec }) => void Object.assign(spec, { text: "new", names: ["two", "three"] }));
    await world.settled();
    expect(await namesOf(world)).toEqual(["three", "two"]);
    expect(await textOf(world, "two")).toBe("new");
    await world.delete(Platform, "a");
    await world.settled();
    await later(world, 60_000);
    expect([await namesOf(world), await world.get(Platform, "a")]).toEqual([[], undefined]);
  });

  test("has objects that are purged without an error in the pass that creates them", async () => {
    const world = await unwatched({ objects: () => [config("job", {}, { purge: 0 }), config("late", {}, { apply: 1 })] });
    expect(await namesOf(world)).toEqual(["late"]);
    expect(await condition(world)).toMatchObject({ status: "True" });
    expect(world.events.filter(({ type }) => type === "Warning")).toEqual([]);
  });

  test("has objects that are purged, also when the wave ends in a later pass", async () => {
    const bad: Manifest = { ...config("late"), metadata: { name: "late", labels: { a: "not valid!" } } };
    const world = await unwatched({
      objects: ({ spec }) => [config("job", {}, { purge: 0 }), spec.text === "hello" ? bad : config("late")],
    });
    expect(await namesOf(world)).toEqual(["job"]);
    await world.update(Platform, "a", ({ spec }) => void (spec.text = "two"));
    await world.settled();
    await later(world, 60_000);
    expect(await namesOf(world)).toEqual(["late"]);
    await later(world, 3_600_000);
    expect(await namesOf(world)).toEqual(["late"]);
    expect(await condition(world)).toMatchObject({ status: "True" });
  });
});

describe("an object whose labels a user removed", () => {
  const strip = async (world: FakeWorld, name: string, more: (object: { data?: unknown }) => void = () => undefined): Promise<void> => {
    await world.update(ConfigMap, name, (each) => {
      each.metadata.labels = {};
      more(each);
    });
  };

  test("gets them again, with its content", async () => {
    const world = await settled();
    await strip(world, "one", (each) => void (each.data = { text: "theirs" }));
    await world.settled();
    const { metadata, data } = (await world.get(ConfigMap, "one")) ?? {};
    expect([metadata?.labels?.[`${HANDLER}/dependent`], data]).toEqual(["stack", { text: "hello" }]);
  });

  test.for(["delete", "orphan"] as const)("and that is dropped at the same time, is removed by its policy: %s", async (onRemoval) => {
    const world = await settled({ defaults: { onRemoval } });
    await strip(world, "one", (each) => void (each.data = { text: "theirs" }));
    await world.update(Platform, "a", ({ spec }) => void (spec.names = ["two"]));
    await world.settled();
    expect(await namesOf(world)).toEqual(onRemoval === "delete" ? ["two"] : ["one", "two"]);
    const { annotations = {}, managedFields = [] } = (await world.get(ConfigMap, "one"))?.metadata ?? {};
    expect(Object.keys(annotations).filter((key) => key.startsWith(HANDLER))).toEqual([]);
    expect(managedFields.filter(({ manager = "" }) => manager.startsWith(HANDLER))).toEqual([]);
  });

  test("is deleted with its owner", async () => {
    const world = await settled();
    await strip(world, "one");
    await world.delete(Platform, "a");
    await world.settled();
    expect([await namesOf(world), await world.get(Platform, "a")]).toEqual([[], undefined]);
  });

  test("and all other marks, stays when it is dropped, because nothing tells whose it is", async () => {
    const world = await settled();
    await world.delete(ConfigMap, "one");
    await world.create(ConfigMap, { metadata: { name: "one" }, data: { text: "theirs" } });
    await world.update(Platform, "a", ({ spec }) => void (spec.names = ["two"]));
    await world.settled();
    expect((await world.get(ConfigMap, "one"))?.data).toEqual({ text: "theirs" });
  });
});

test("a copy of an object of the set stays, whatever its policies are", async () => {
  const world = await settled({
    replaces: true,
    objects: () => [config("one"), config("two", {}, { update: "replace" })],
  });
  for (const name of ["one", "two"]) {
    const { metadata, data } = (await world.get(ConfigMap, name)) ?? {};
    const { labels, annotations } = metadata ?? {};
    await world.create(ConfigMap, { metadata: { name: `${name}-copy`, labels, annotations } as never, data: data ?? {} });
  }
  await world.settled();
  expect(await namesOf(world)).toEqual(["one", "one-copy", "two", "two-copy"]);
  await world.delete(Platform, "a");
  await world.settled();
  expect(await namesOf(world)).toEqual(["one-copy", "two-copy"]);
});
