/** The life of a set: install, drift, upgrade, removal. */
import "@treadle/testing/matchers";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { describe, expect, test } from "vitest";
import { condition, config, namesOf, Platform, settled, worldOf } from "./platforms.ts";

describe("a set", () => {
  test("creates its objects and is ready", async () => {
    const world = await settled();
    expect(await namesOf(world)).toEqual(["one", "two"]);
    expect(await condition(world)).toEqual({ status: "True", reason: "Ready", message: "2 objects are ready" });
    expect((await world.get(Platform, "a"))?.status).toMatchObject({ state: "Ready", revision: 1 });
  });

  test("sends no request in a pass in which nothing has changed", async () => {
    const world = await settled();
    world.requests.clear();
    await world.pass("a");
    await world.pass("a");
    expect(world.requests.summary()).toEqual({});
  });

  test("reverts a changed object and recreates a deleted one", async () => {
    const world = await settled();
    await world.update(ConfigMap, "one", (object) => void (object.data = { text: "changed" }));
    await world.delete(ConfigMap, "two");
    await world.settled();
    expect((await world.get(ConfigMap, "one"))?.data).toEqual({ text: "hello" });
    expect(await namesOf(world)).toEqual(["one", "two"]);
    const reverted = world.events.find(({ reason }) => reason === "DriftReverted");
    expect(reverted?.note).toMatch(/^set "stack": ConfigMap default\/one: data.*, which kubectl had changed$/);
  });

  test("removes an object that is no longer rendered, after the others are ready", async () => {
    const world = await settled();
    await world.update(Platform, "a", ({ spec }) => void (spec.names = ["two", "three"]));
    await world.settled();
    expect(await namesOf(world)).toEqual(["three", "two"]);
    expect((await world.get(Platform, "a"))?.status).toMatchObject({ revision: 2 });
  });

  test("removes everything when its owner is deleted", async () => {
    const world = await settled();
    await world.delete(Platform, "a");
    await world.settled();
    expect(await namesOf(world)).toEqual([]);
    expect(await world.get(Platform, "a")).toBeUndefined();
  });

  test("applies waves one after the other", async () => {
    const world = worldOf({ objects: () => [config("late", {}, { apply: 1 }), config("early")] });
    await world.settled();
    expect(await namesOf(world)).toEqual(["early", "late"]);
    expect(world.requests.filter({ kind: ConfigMap, verb: ["apply", "patch", "create"] }).map(({ name }) => name)).toEqual([
      "early",
      "late",
    ]);
  });
});
