/** Sets with the order "given": the rendered order, without stages, ranks and readiness. */
import "@treadle/testing/matchers";
import { crdOf } from "@treadle/apimachinery";
import { ConfigMap, Deployment, Job, Namespace, Secret } from "@treadle/apimachinery/kinds";
import type { FakeWorld } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { type Manifest, object, type ObjectPolicies } from "../../src/index.ts";
import { condition, config, namesOf, type Options, Platform, settled, Widget, worldOf } from "./platforms.ts";

const given = (objects: readonly Manifest[]): Partial<Options> => ({ order: "given", objects: () => objects });
const space = (name: string, policies: ObjectPolicies = {}): Manifest => object(Namespace, { metadata: { name } }, policies);
const inSpace = (name: string, namespace: string): Manifest => object(ConfigMap, { metadata: { name, namespace } });
const container = { name: "web", image: "web:1" };
const job = (name: string, policies: ObjectPolicies = {}): Manifest =>
  object(Job, { metadata: { name }, spec: { template: { spec: { restartPolicy: "Never", containers: [container] } } } }, policies);

/** The first writes of all objects, in their order. */
const applied = (world: FakeWorld): readonly string[] => [
  ...new Set(
    world.requests
      .filter({ verb: ["apply", "patch", "create"] })
      .filter(({ resource }) => resource !== "platforms" && resource !== "events")
      .map(({ name }) => name ?? ""),
  ),
];

describe('a set with the order "given"', () => {
  test("applies its objects in rendered order, whatever their kinds", async () => {
    const secret = object(Secret, { metadata: { name: "secret" }, stringData: { a: "b" } });
    const world = await settled(given([config("a"), space("z"), secret, config("b")]));
    expect(applied(world)).toEqual(["a", "z", "secret", "b"]);
    expect(await condition(world)).toMatchObject({ status: "True", message: "4 objects are ready" });
  });

  test("applies later objects while an earlier one is not ready, and is ready when all are", async () => {
    const world = await settled(given([job("slow"), config("later")]));
    expect(applied(world)).toEqual(["slow", "later"]);
    expect(await condition(world)).toMatchObject({ status: "Unknown", reason: "Processing" });
    await world.makeReady(Job, "slow");
    await world.settled();
    expect(await condition(world)).toMatchObject({ status: "True" });
  });

  test("goes on after an object that the server refuses", async () => {
    const broken = object(Deployment, { metadata: { name: "broken" }, spec: {} as never });
    const world = await settled(given([broken, config("later")]));
    expect(await namesOf(world)).toEqual(["later"]);
    expect(await condition(world)).toMatchObject({ status: "False", reason: "Error" });
  });

  test("begins a wave when the objects of the waves before are ready", async () => {
    const world = await settled(given([config("late", {}, { apply: 1 }), job("early")]));
    expect(applied(world)).toEqual(["early"]);
    await world.makeReady(Job, "early");
    await world.settled();
    expect(applied(world)).toEqual(["early", "late"]);
  });

  test("applies an object when those in its after are ready, in the same pass if they are", async () => {
    const world = worldOf(given([config("last", {}, { after: ["ConfigMap/middle"] }), config("middle"), config("free")]));
    await world.pass("a");
    expect(applied(world)).toEqual(["middle", "free", "last"]);
  });

  test("accepts an after that names an object of a later stage of the canonical order", async () => {
    const widget = object(Widget, { metadata: { name: "one" }, spec: { size: 1 } });
    const objects = [crdOf(Widget) as unknown as Manifest, config("last", {}, { after: ["Widget.widgets.dev/one"] }), widget];
    expect(await condition(await settled({ objects: () => objects }))).toMatchObject({ reason: "Error" });
    const world = await settled(given(objects));
    await world.advance(10_000);
    expect(await condition(world)).toMatchObject({ status: "True" });
  });

  test("applies an object after its Namespace of the set, although the Namespace is rendered later", async () => {
    const world = worldOf(given([inSpace("inside", "z"), config("free"), space("z")]));
    await world.pass("a");
    expect(applied(world)).toEqual(["free", "z", "inside"]);
  });

  test("applies an instance that is rendered before its CRD", async () => {
    const widget = object(Widget, { metadata: { name: "one" }, spec: { size: 1 } });
    const world = await settled(given([widget, crdOf(Widget) as unknown as Manifest]));
    await world.advance(10_000);
    expect(await world.get(Widget, "one")).toBeDefined();
    expect(await condition(world)).toMatchObject({ status: "True" });
  });

  test("purges an object at the end of its wave", async () => {
    const world = await settled(given([job("migrate", { purge: 0 }), config("later")]));
    expect(await world.get(Job, "migrate")).toBeDefined();
    await world.makeReady(Job, "migrate");
    await world.settled();
    expect(await world.get(Job, "migrate")).toBeUndefined();
    expect(await namesOf(world)).toEqual(["later"]);
  });

  test("removes its objects in the canonical order", async () => {
    const world = await settled(given([space("z"), config("a"), job("slow")]));
    await world.makeReady(Job, "slow");
    await world.settled();
    world.requests.clear();
    await world.delete(Platform, "a");
    await world.settled();
    const deleted = world.requests.filter({ verb: "delete" }).map(({ name }) => name);
    expect(deleted).toEqual(["slow", "a", "z"]);
  });

  test("sends no request in a pass in which nothing has changed", async () => {
    const world = await settled(given([config("a"), space("z"), config("b")]));
    world.requests.clear();
    await world.pass("a");
    expect(world.requests.summary()).toEqual({});
  });

  test("is refused with another word", () => {
    expect(() => worldOf({ order: "random" as never })).toThrow('dependentSet "stack": order must be "canonical" or "given", not "random"');
  });
});
