/** Sets of many objects: what the status shows of them, and that no object is taken for contested. */
import "@treadle/testing/matchers";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { dependentsOf, type Manifest } from "../../src/index.ts";
import { condition, config, Platform, platform, platforms, settled } from "./platforms.ts";

const named = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `table-${i}`);

test("400 objects of one kind are written in one pass, and none is called contested", async () => {
  await using cluster = await startTestCluster({ objects: [platform()] });
  const names = named(400);
  const operator = await cluster.start(platforms({ objects: ({ spec }) => names.map((name) => config(name, { text: spec.text })) }));
  await operator.settled();
  expect(cluster.requests.filter({ kind: ConfigMap, verb: "apply" }).length).toBe(400);
  for (const text of ["two", "three"]) {
    await cluster.update(Platform, "a", ({ spec }) => void (spec.text = text));
    await operator.settled();
  }
  const owner = await cluster.get(Platform, "a");
  expect(owner).toBeReady();
  expect(cluster.requests.filter({ kind: ConfigMap, verb: "apply" }).length).toBe(1_200);
  const found = owner?.status?.conditions?.find(({ type }) => type === "StackReady");
  expect(found?.message).toBe("400 objects are ready");
  expect(dependentsOf(owner ?? {})).toEqual([]);
  expect(JSON.stringify([operator.logs, operator.events])).not.toMatch(/[Cc]ontested|differs again/);
});

test("an object that another writer changes again and again is called contested, and the others are not", {
  tags: ["memory"],
}, async () => {
  await using cluster = await startTestCluster({ objects: [platform({ names: named(30) })] });
  const operator = await cluster.start(platforms());
  await operator.settled();
  for (let i = 0; i < 25; i++) {
    await cluster.update(ConfigMap, "table-7", (object) => void (object.data = { text: `theirs ${i}` }));
    await operator.settled({ horizonMs: 0 });
  }
  const entries = dependentsOf((await cluster.get(Platform, "a")) ?? {});
  expect(entries.filter(({ reason }) => reason === "Contested").map(({ name }) => name)).toEqual(["table-7"]);
  expect(entries.find(({ name }) => name === "table-7")?.message).toMatch(
    /^ConfigMap table-7 differs again after each write, last at data/,
  );
  expect(entries.filter(({ type }) => type === "Ready").length).toBe(29);
});

test("the status of more than 100 objects shows those that are not ready, the worst first, with short messages", async () => {
  const bad = (name: string): Manifest => ({ ...config(name), metadata: { name, labels: { a: `not valid ${"!".repeat(300)}` } } });
  const late = named(200).map((name) => config(`late-${name}`, {}, { apply: 1 }));
  const world = await settled({ objects: () => [...named(130).map((name) => config(name)), ...late, bad("bad-1"), bad("bad-2")] });
  const entries = dependentsOf((await world.get(Platform, "a")) ?? {});
  expect(entries.length).toBe(100);
  expect(entries.slice(0, 3).map(({ name, type }) => `${name} ${type}`)).toEqual(["bad-1 Failed", "bad-2 Failed", "late-table-0 Pending"]);
  expect(entries.every(({ type, message }) => type !== "Ready" && message.length <= 200)).toBe(true);
  expect((await condition(world))?.message.length).toBeLessThanOrEqual(1_000);
});

test("the status of up to 100 objects shows all of them, with phase, wave and policies", async () => {
  const world = await settled({
    objects: () => named(100).map((name, i) => config(name, {}, i === 99 ? { apply: 3, onRemoval: "orphan" } : {})),
  });
  const entries = dependentsOf((await world.get(Platform, "a")) ?? {});
  expect(entries.length).toBe(100);
  expect(entries.find(({ name }) => name === "table-99")).toMatchObject({
    type: "Ready",
    lastTransitionTime: "2026-01-01T00:00:00Z",
    attributes: [
      { name: "phase", value: "Ready" },
      { name: "wave", value: "3" },
      { name: "policies", value: '{"apply":3,"onRemoval":"orphan"}' },
    ],
  });
});

test.for([
  { name: "that are ready", count: 1_000, policies: {} },
  { name: "that are applied once", count: 1_000, policies: { reconcile: "once" } },
] as const)("the custom resource of $count objects $name stays below 64 KB", { tags: ["memory"] }, async ({ count, policies }) => {
  const world = await settled({ objects: () => named(count).map((name) => config(name, {}, policies)) });
  const owner = await world.get(Platform, "a");
  expect(await condition(world)).toMatchObject({ status: "True", message: `${count} objects are ready` });
  expect(JSON.stringify(owner?.status).length).toBeLessThan(64 * 1024);
  await world.update(Platform, "a", ({ spec }) => void (spec.names = []));
  await world.settled();
  expect(JSON.stringify((await world.get(Platform, "a"))?.status).length).toBeLessThan(64 * 1024);
});

test("the custom resource of 5,000 objects that cannot be applied stays below 64 KB", { tags: ["memory"] }, async () => {
  const objects = named(5_000).map((name) => config(name, {}, { adopt: "never", apply: 1 }));
  const world = await settled(
    { objects: () => [config("blocked", {}, { adopt: "never" }), ...objects] },
    { objects: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "blocked" } }] },
  );
  const owner = await world.get(Platform, "a");
  expect(dependentsOf(owner ?? {}).length).toBe(100);
  expect(JSON.stringify(owner?.status).length).toBeLessThan(64 * 1024);
});
