/** Objects of a kind that the set does not watch: they are read, and applied again from time to time. */
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import type { FakeWorld } from "@treadle/testing";
import { expect, test } from "vitest";
import { type Manifest, object, type ObjectPolicies } from "../../src/index.ts";
import { condition, config, Platform, settled, type Options } from "./platforms.ts";

const HOUR_MS = 3_600_000;
const READY = { status: "True", reason: "Ready" };

const secret = (policies: ObjectPolicies = {}): Manifest =>
  object(Secret, { metadata: { name: "key" }, stringData: { key: "a" } }, policies);
const worldWith = async (objects: Options["objects"], existing: readonly object[] = []): Promise<FakeWorld> =>
  await settled({ kinds: [ConfigMap, { kind: Secret, watched: false }], objects }, { kinds: [Secret], objects: existing });

test("an object that is not watched is applied again after its interval", async () => {
  const world = await worldWith(() => [secret({ reapplyMs: HOUR_MS })]);
  expect(await condition(world)).toMatchObject(READY);
  await world.delete(Secret, "key");
  await world.settled();
  expect(await world.get(Secret, "key")).toBeUndefined();
  await world.advance(HOUR_MS);
  await world.settled();
  expect(await world.get(Secret, "key")).toBeDefined();
});

test("an object that is not watched and is applied once is not created again", async () => {
  const world = await worldWith(() => [secret({ reconcile: "once" })]);
  expect(await world.get(Secret, "key")).toBeDefined();
  await world.delete(Secret, "key");
  await world.advance(2 * HOUR_MS);
  await world.settled();
  expect(await world.get(Secret, "key")).toBeUndefined();
});

test("an object that is not watched is purged at the end of its wave, without an error", async () => {
  const world = await worldWith(() => [secret({ purge: 0 }), config("late", {}, { apply: 1 })]);
  expect(await condition(world)).toMatchObject(READY);
  expect(await world.get(Secret, "key")).toBeUndefined();
  expect(await world.get(ConfigMap, "late")).toBeDefined();
  expect(world.events.filter(({ type }) => type === "Warning")).toEqual([]);
});

test("an object that is not watched is purged at the end of a wave that a later pass ends", async () => {
  const theirs = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "late" } };
  const world = await worldWith(() => [secret({ purge: 1 }), config("late", {}, { apply: 1, adopt: "never" })], [theirs]);
  expect(await world.get(Secret, "key")).toBeDefined();
  await world.delete(ConfigMap, "late");
  await world.advance(60_000);
  await world.settled();
  expect(await condition(world)).toMatchObject(READY);
  expect(await world.get(Secret, "key")).toBeUndefined();
});

test("an object that is not watched is removed when it is no longer rendered, and with its owner", async () => {
  const world = await worldWith(({ spec }) => spec.names.map((name) => ({ ...secret(), metadata: { name } })));
  await world.update(Platform, "a", ({ spec }) => void (spec.names = ["two"]));
  await world.settled();
  expect((await world.list(Secret, "default")).map(({ metadata }) => metadata.name)).toEqual(["two"]);
  await world.delete(Platform, "a");
  await world.settled();
  expect(await world.list(Secret, "default")).toEqual([]);
  expect(await world.get(Platform, "a")).toBeUndefined();
});
