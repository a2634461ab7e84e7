/** What a renderer must not return: each object is reported with kind and name, nothing is written, and the owner can be deleted. */
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { describe, expect, test } from "vitest";
import { dependentsOf, type Manifest } from "../../src/index.ts";
import { condition, config, namesOf, Platform, settled, worldOf } from "./platforms.ts";

const good = config("good");
const map = (metadata: unknown, more: object = {}): object => ({ apiVersion: "v1", kind: "ConfigMap", metadata, ...more });
const circle: Record<string, unknown> = { ...map({ name: "x" }) };
circle["data"] = { circle };

describe("a set is refused before its first write for", () => {
  test.for<{ name: string; bad: unknown; says: string }>([
    { name: "a number", bad: 7, says: 'object 1 of set "stack" is a number: return objects with apiVersion, kind and metadata' },
    { name: "null", bad: null, says: 'object 1 of set "stack" is null: leave out what is not desired' },
    { name: "a list in the list", bad: [good], says: 'object 1 of set "stack" is a list: return one flat list' },
    { name: "a promise in the list", bad: Promise.resolve(good), says: 'object 1 of set "stack" is a promise: await it' },
    { name: "a circle", bad: circle, says: 'object 1 of set "stack" (ConfigMap x) holds at data.circle itself, a circle' },
    { name: "a Map", bad: map({ name: "x" }, { data: new Map() }), says: "(ConfigMap x) holds at data a Map" },
    { name: "no kind", bad: { apiVersion: "v1", metadata: { name: "x" } }, says: "(x) has nothing as kind: set it" },
    { name: "no apiVersion", bad: { kind: "ConfigMap", metadata: { name: "x" } }, says: "(ConfigMap x) has nothing as apiVersion: set it" },
    { name: "no metadata", bad: { apiVersion: "v1", kind: "ConfigMap" }, says: "(ConfigMap) has nothing as metadata" },
    { name: "no name", bad: map({}), says: "(ConfigMap) has nothing as metadata.name: set it" },
    { name: "a generated name", bad: map({ generateName: "x-" }), says: "(ConfigMap) has metadata.generateName: set metadata.name" },
    { name: "a name that leaves the path", bad: map({ name: ".." }), says: 'has ".." as metadata.name' },
    { name: "a label that is not a text", bad: map({ name: "x", labels: { a: 1 } }), says: 'has a number in metadata.labels as "a"' },
    {
      name: "a list of objects",
      bad: { apiVersion: "v1", kind: "List", items: [] },
      says: "(List) is a list of objects: return its items",
    },
  ])("$name", async ({ bad, says }) => {
    const world = await settled({ objects: () => [good, bad as Manifest] });
    expect(await condition(world)).toMatchObject({ status: "False", reason: "Error", message: expect.stringContaining(says) });
    expect(await namesOf(world)).toEqual([]);
    await world.delete(Platform, "a");
    await world.settled();
    expect(await world.get(Platform, "a")).toBeUndefined();
  });

  test.for<{ name: string; bad: readonly unknown[]; entry: string; says: string }>([
    {
      name: "an object twice",
      bad: [config("x"), config("x", { a: "b" })],
      entry: "ConfigMap/x",
      says: "ConfigMap default/x: the set renders this object twice, as objects 1 and 2: remove one, or change its name or namespace",
    },
    {
      name: "a kind that is not in kinds",
      bad: [{ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "x" } }],
      entry: "ServiceAccount/x",
      says: "ServiceAccount x: its kind is not in kinds: add ServiceAccount (v1) to kinds of the set",
    },
    {
      name: "a version that is not in kinds",
      bad: [{ apiVersion: "apps/v1beta1", kind: "Deployment", metadata: { name: "x" } }],
      entry: "Deployment/x",
      says: "Deployment x: it has the apiVersion apps/v1beta1, and kinds lists Deployment in the version v1: use one version in both",
    },
    {
      name: "a policy of no meaning",
      bad: [map({ name: "x", annotations: { "treadle.dev/delete-policy": "keep" } })],
      entry: "ConfigMap/x",
      says: 'ConfigMap default/x: the annotation treadle.dev/delete-policy is "keep": write delete, orphan, orphan-on-apply or orphan-on-delete',
    },
    {
      name: "the namespace of its owner",
      bad: [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } }],
      entry: "Namespace/default",
      says: "Namespace default: the Namespace cannot be deleted before the owner, which it would delete: set onRemoval (delete-policy) to orphan",
    },
  ])("$name, in the condition and in its entry", async ({ bad, entry, says }) => {
    const world = await settled({ objects: () => [good, ...(bad as readonly Manifest[])] });
    expect(await condition(world)).toEqual({ status: "False", reason: "Error", message: says });
    const entries = dependentsOf((await world.get(Platform, "a")) ?? {});
    expect(entries.map(({ kind, name, type, reason }) => `${kind}/${name} ${type}/${reason}`)).toEqual([`${entry} Failed/Refused`]);
    expect(says.startsWith(entries[0]?.message.replace("…", "") ?? "no entry")).toBe(true);
    expect(await namesOf(world)).toEqual([]);
  });

  test("its owner, whether its kind is in kinds or not", async () => {
    const owner = { apiVersion: "example.dev/v1", kind: "Platform", metadata: { name: "a" }, spec: {} } as Manifest;
    for (const kinds of [[ConfigMap], [ConfigMap, Platform]]) {
      const world = await settled({ kinds, objects: () => [good, owner] });
      expect((await condition(world))?.message).toMatch(/^Platform (default\/)?a: the owner of the set cannot be one of its objects/);
      expect((await world.get(Platform, "a"))?.metadata.labels).toBeUndefined();
    }
  });

  test("several objects, and names them all", async () => {
    const world = await settled({ objects: () => [7, map({}), config("x"), config("x")] as readonly Manifest[] });
    const { message = "" } = (await condition(world)) ?? {};
    expect(message).toMatch(/^3 problems: object 0 of set .*; object 1 of set .*; ConfigMap default\/x: the set renders this object twice/);
  });
});

describe("objects that a renderer refuses to return", () => {
  test.for<{ name: string; objects: () => never; says: string }>([
    {
      name: "an error",
      objects: () => {
        throw new Error("no database");
      },
      says: 'step "stack": objects threw: no database',
    },
    {
      name: "a rejection that is not an error",
      objects: () => Promise.reject({ a: 1 }) as never,
      says: 'step "stack": objects threw an object, not an error',
    },
    {
      name: "no list",
      objects: () => ({ good }) as never,
      says: 'step "stack": objects returned an object, not a list: return a list of objects, or [] for no objects',
    },
    {
      name: "nothing",
      objects: () => undefined as never,
      says: 'step "stack": objects returned nothing, not a list: return a list of objects, or [] for no objects',
    },
  ])("because of $name: the objects of before stay", async ({ objects, says }) => {
    const world = await settled({ objects: ({ spec }) => (spec.text === "hello" ? [good] : objects()) });
    await world.update(Platform, "a", ({ spec }) => void (spec.text = "two"));
    await world.settled();
    expect(await condition(world)).toEqual({ status: "False", reason: "Error", message: says });
    expect(await namesOf(world)).toEqual(["good"]);
    expect(dependentsOf((await world.get(Platform, "a")) ?? {}).map(({ name, type }) => `${name} ${type}`)).toEqual(["good Ready"]);
    await world.update(Platform, "a", ({ spec }) => void (spec.text = "hello"));
    await world.settled();
    expect(await condition(world)).toMatchObject({ status: "True", message: "1 object is ready" });
  });

  test("because of a promise that hangs end at the deadline of the phase", async () => {
    let isAborted = false;
    const world = worldOf({
      phaseTimeoutMs: 5_000,
      objects: (_, { signal }) =>
        new Promise(() => {
          signal.addEventListener("abort", () => void (isAborted = true));
        }),
    });
    const pass = world.pass("a");
    await world.advance(5_000);
    await pass;
    expect(await condition(world)).toMatchObject({
      status: "False",
      message: expect.stringMatching(/step "stack".* did not finish within 5 s/),
    });
    expect(isAborted).toBe(true);
  });
});

describe("an object that its set refuses", () => {
  test("keeps its entry and its phase, and the others are not modified", async () => {
    const world = await settled({
      objects: ({ spec }) => [config("one", { text: spec.text }), config("two", {}, spec.text === "hello" ? {} : { apply: 70_000 })],
    });
    await world.update(Platform, "a", ({ spec }) => void (spec.text = "two"));
    await world.settled();
    const entries = dependentsOf((await world.get(Platform, "a")) ?? {});
    expect(
      entries.map(({ name, type, attributes }) => `${name} ${type} ${attributes?.find((each) => each.name === "phase")?.value}`),
    ).toEqual(["one Ready Ready", "two Failed Ready"]);
    expect((await world.get(ConfigMap, "one"))?.data).toEqual({ text: "hello" });
  });

  test("shows no value of a Secret", async () => {
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "x" }, data: { pin: 12_345_678 } } as Manifest;
    const world = await settled({ objects: () => [good, secret] });
    expect((await condition(world))?.message).toBe(
      'Secret default/x: step "stack": data.pin of a Secret must be a text, not a number: it is not sent',
    );
    expect(await world.get(Secret, "x")).toBeUndefined();
    expect(JSON.stringify([await world.get(Platform, "a"), world.logs, world.events])).not.toContain("12345678");
    expect(await namesOf(world)).toEqual(["good"]);
  });
});
