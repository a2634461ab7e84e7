/** dependentApply with invalid options and results: the error names them, and no object is lost. */
import "@treadle/testing/matchers";
import { Secret } from "@treadle/apimachinery/kinds";
import { conditions, handler } from "@treadle/reconcile";
import { dependentApply } from "../src/index.ts";
import { describe, expect, test } from "vitest";
import { fakeWorld } from "@treadle/testing";
import { entries, type Options, page, said, Site, site, worldOf } from "./sites.ts";

const building = (options: Partial<Options>) => (): unknown => handler(Site).step(conditions()).step(page(options)).build();
const self = { name: "self", kind: Site as never, objectName: undefined as never, adopt: "force" } as const;

describe("build() refuses", () => {
  test.for<{ name: string; options: Partial<Options>; says: RegExp }>([
    { name: "a dependent that is its owner", options: self, says: /is the owner itself: set objectName/ },
    {
      name: "owned: true with created: false and without adopt",
      options: { created: false, owned: true },
      says: /may not take it: set adopt/,
    },
    {
      name: "watched: false with a namespace function",
      options: { watched: false, namespace: () => "n1" },
      says: /could lose sight of its object/,
    },
  ])("$name", ({ options, says }) => {
    expect(building(options)).toThrow(says);
  });

  test.for<{ name: string; options: Partial<Options> }>([
    { name: "a child of the owner's kind with another name", options: { ...self, objectName: "child" } },
    { name: "owned: true with created: false and adopt", options: { created: false, owned: true, adopt: "ifUnowned" } },
    { name: "a constant namespace with watched: false", options: { watched: false, namespace: "n1" } },
    { name: "an unowned object with watched: false", options: { watched: false, owned: false, namespace: () => "n1" } },
  ])("but not $name", ({ options }) => {
    expect(building(options)).not.toThrow();
  });
});

test("a dependent whose computed name is that of its owner fails, and the owner can be deleted", async () => {
  const same = dependentApply(Site, { name: "self", kind: Site, adopt: "force", objectName: (owner) => owner.metadata.name, desired: {} });
  const world = fakeWorld(handler(Site).step(conditions()).step(same).build(), { objects: [site()] });
  await world.settled();
  expect(await said(world)).toEqual(["self Failed/InvalidStep"]);
  expect((await entries(world))[0]?.message).toContain("is the owner itself: set objectName");
  expect((await world.get(Site, "a"))?.metadata.ownerReferences).toBeUndefined();
  await world.delete(Site, "a");
  await world.settled();
  expect(await world.get(Site, "a")).toBeUndefined();
});

test.for([
  { name: "a Map", data: { deep: [new Map([["a", "b"]])] }, says: "at data.deep[0] a Map" },
  { name: "a Set", data: new Set(["a"]), says: "at data a Set" },
  { name: "bytes", data: { a: Buffer.from("hunter2") }, says: "at data.a a Buffer" },
  { name: "a toJSON that is inherited", data: Object.create({ toJSON: () => ({ a: "1" }) }) as object, says: "at data" },
  { name: "a function", data: { a: () => "x" }, says: "at data.a a function" },
  { name: "a number that is not finite", data: { a: Number.NaN }, says: "at data.a the number NaN" },
])("$name in desired is refused, with its path", async ({ data, says }) => {
  const world = worldOf({ desired: () => ({ data: data as never }) });
  await world.settled();
  expect(await said(world)).toEqual(["page Failed/InvalidStep"]);
  expect((await entries(world))[0]?.message).toContain(says);
});

test("a circle in desired is refused, with its path; the same object twice is not a circle", async () => {
  const circle: { data: Record<string, unknown> } = { data: {} };
  circle.data["x"] = circle;
  const world = worldOf({ desired: () => circle as never });
  await world.settled();
  expect((await entries(world))[0]?.message).toContain("at data.x itself, a circle");
  const labels = { a: "b" };
  const twice = worldOf({ desired: () => ({ metadata: { labels, annotations: labels }, data: labels }) });
  await twice.settled();
  expect(await said(twice)).toEqual(["page Ready"]);
});

test("a Secret with values that are not texts is not sent, and no text repeats its values", async () => {
  const given = { data: { pin: 12345678 as never }, stringData: { a: { b: "hunter2" } as never } };
  const secret = dependentApply(Site, { name: "secret", kind: Secret, desired: () => given });
  const world = fakeWorld(handler(Site).step(conditions()).step(secret).build(), { objects: [site()] });
  await world.settled();
  expect((await entries(world))[0]?.message).toContain("data.pin of a Secret must be a text");
  expect(world.requests.filter({ resource: "secrets", verb: "apply" }).length).toBe(0);
  expect(JSON.stringify([await entries(world), world.logs, world.events])).not.toMatch(/hunter2|12345678/);
});
