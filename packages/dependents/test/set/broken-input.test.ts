/** Hostile answers of authors' functions, and repetition while something is wrong. */
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { describe, expect, test } from "vitest";
import type { Manifest } from "../../src/index.ts";
import { config, condition, namesOf, Platform, settled, worldOf, type Options } from "./platforms.ts";

/** No controller sets a condition of a ConfigMap. */
const unready = config("one", {}, { statusHint: { conditions: ["Served"] } });

describe("a function of the author", () => {
  test.for<{ name: string; options: Partial<Options>; says: RegExp }>([
    {
      name: "timeoutMs that throws",
      options: {
        timeoutMs: () => {
          throw new Error("no time");
        },
      },
      says: /timeoutMs/,
    },
    { name: "timeoutMs that returns NaN", options: { timeoutMs: () => Number.NaN }, says: /timeoutMs/ },
    { name: "alsoGuards that returns a text", options: { alsoGuards: (() => "x") as never }, says: /alsoGuards/ },
    { name: "alsoGuards that returns a promise", options: { alsoGuards: (async () => []) as never }, says: /alsoGuards/ },
    {
      name: "alsoGuards that throws",
      options: {
        alsoGuards: (() => {
          throw new Error("no guards");
        }) as never,
      },
      says: /alsoGuards/,
    },
    { name: "alsoGuards with null", options: { alsoGuards: (() => [null]) as never }, says: /alsoGuards/ },
    { name: "placement with a slash", options: { placement: () => ({ namespace: "kube-system/configmaps" }) }, says: /namespace/ },
    { name: "placement with dots", options: { placement: () => ({ namespace: ".." }) }, says: /namespace/ },
    {
      name: "policies with a getter that throws",
      options: {
        policies: () => ({
          get adopt(): never {
            throw new Error("no adopt");
          },
        }),
      },
      says: /policies/,
    },
    { name: "suspended that returns a promise", options: { suspended: (async () => true) as never }, says: /suspended/ },
    {
      name: "objects with a getter that throws",
      options: {
        objects: () =>
          [
            {
              // oxlint-disable-next-line unicorn/no-thenable -- the point of the test
              get then(): never {
                throw new Error("boom");
              },
            },
          ] as never,
      },
      says: /object 0/,
    },
    {
      name: "objects as a proxy that throws",
      options: {
        objects: () =>
          [
            new Proxy(
              {},
              {
                get() {
                  throw new Error("boom");
                },
                ownKeys() {
                  throw new Error("boom");
                },
              },
            ),
          ] as never,
      },
      says: /object 0/,
    },
  ])("$name ends in the condition", async ({ options, says }) => {
    const world = worldOf({ objects: () => [unready], ...options });
    await world.pass("a");
    const said = await condition(world);
    expect(said?.message).toMatch(says);
    expect(said).toMatchObject({ status: "False", reason: "Error" });
  });

  test("a very long time limit fires no pass", async () => {
    const world = worldOf({ timeoutMs: () => 1e15, objects: () => [unready] });
    await world.settled();
    expect(world.dueIn("a") ?? 1e9).toBeGreaterThan(1_000);
    await world.advance(600_000);
    await world.settled();
    expect(world.passes.length).toBeLessThan(10);
  });

  test("a list with 10,000 problems makes no huge message", async () => {
    const world = worldOf({
      objects: () =>
        Array.from({ length: 10_000 }, () => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "x" } })) as never,
    });
    await world.pass("a");
    expect((await condition(world))?.message.length).toBeLessThan(2_000);
    expect(JSON.stringify(await world.get(Platform, "a")).length).toBeLessThan(20_000);
    expect(Math.max(...world.logs.map((line) => JSON.stringify(line).length))).toBeLessThan(20_000);
  });

  test("a renderer that hangs is reported", async () => {
    const world = worldOf({ objects: () => new Promise<never>(() => undefined), phaseTimeoutMs: 1_000 });
    const pass = world.pass("a");
    for (let i = 0; i < 20; i++) await world.advance(1_000);
    await pass;
    expect(await condition(world)).toMatchObject({ status: "False", reason: "StepTimeout" });
  });
});

describe("an object that the server refuses", () => {
  test("makes one event in 20 passes, and one status", async () => {
    const world = worldOf({
      objects: () => [
        config("one"),
        { apiVersion: "v1", kind: "Service", metadata: { name: "bad" }, spec: { ports: [{ port: -1 }] } } as Manifest,
      ],
    });
    await world.settled();
    for (let i = 0; i < 20; i++) {
      await world.advance(600_000);
      await world.settled();
    }
    const events = world.events.filter(({ reason }) => reason === "UpdateError");
    expect(world.requests.filter({ subresource: "status" }).length).toBeLessThan(6);
    expect(events.length).toBeLessThan(3);
  });
});

describe("an object that is applied once and purged", () => {
  test("is not created again when a user deletes it before its purge", async () => {
    const world = await settled({
      objects: () => [config("migration", {}, { reconcile: "once", purge: 1 }), unready],
    });
    expect(await namesOf(world)).toEqual(["migration", "one"]);
    await world.delete(ConfigMap, "migration");
    await world.settled();
    expect(await namesOf(world)).toEqual(["one"]);
  });
});
