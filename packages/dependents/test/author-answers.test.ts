/** Answers of the author's functions that are not valid: the entry and Ready name the step, and what is wrong. */
import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { conditions, handler } from "@treadle/reconcile";
import { type FakeWorld, fakeWorld } from "@treadle/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { dependentApply, type DependentFields, dependentsOf, type DependentStep } from "../src/index.ts";

const Desk = defineResource({
  group: "example.dev",
  version: "v1",
  kind: "Desk",
  scope: "Namespaced",
  dependents: true,
  stepState: true,
  spec: z.object({}),
  status: z.object({}),
});
type Desk = ObjectOf<typeof Desk>;
type Options = DependentFields<Desk, typeof ConfigMap, string, readonly [], {}, readonly DependentStep<Desk>[]>;
const DESK = { apiVersion: "example.dev/v1", kind: "Desk", metadata: { name: "a", namespace: "default" }, spec: {} };

/** The options are those of untyped code. */
async function settled(options: { readonly [Option in keyof Options]?: unknown }): Promise<FakeWorld> {
  const part = dependentApply(Desk, { name: "part", kind: ConfigMap, desired: {}, ...options } as never);
  const world = fakeWorld(handler(Desk).step(conditions()).step(part).build(), { objects: [DESK] });
  await world.settled();
  return world;
}
const readyMessage = async (world: FakeWorld): Promise<string | undefined> =>
  (await world.get(Desk, "a"))?.status?.conditions?.find(({ type }) => type === "Ready")?.message;

test.for([
  { name: "a text", attributes: "no" },
  { name: "a list with null", attributes: [null] },
  { name: "a list with undefined", attributes: [undefined] },
  { name: "a value that is a number", attributes: [{ name: "n", value: 5 }] },
])("status with attributes that are not a list of texts is refused: $name", async ({ attributes }) => {
  const world = await settled({ status: (entry: object) => ({ ...entry, attributes }) });
  expect(await readyMessage(world)).toContain('step "part": status must return attributes');
});

test.for(["type", "reason", "message"])("a long %s of status is shortened", async (field) => {
  const world = await settled({ status: (entry: object) => ({ ...entry, [field]: "x".repeat(100_000) }) });
  expect(JSON.stringify((await world.get(Desk, "a"))?.status).length).toBeLessThan(10_000);
});

test("long attributes of status are shortened", async () => {
  const huge = "x".repeat(100_000);
  const attributes = Array.from({ length: 100 }, () => ({ name: huge, value: huge }));
  const world = await settled({ status: (entry: object) => ({ ...entry, attributes }) });
  expect(JSON.stringify((await world.get(Desk, "a"))?.status).length).toBeLessThan(100_000);
});

test("a hole in the list of each is refused", async () => {
  const items: unknown[] = [];
  items[1] = { key: "b" };
  const world = await settled({ each: () => items });
  expect(await world.list(ConfigMap)).toEqual([]);
  expect(await readyMessage(world)).toContain("returned item 0 with the key nothing");
});

test.for([
  { name: "null as metadata", desired: { metadata: null }, path: "metadata" },
  { name: "a text as metadata", desired: { metadata: "x" }, path: "metadata" },
  { name: "a list of labels", desired: { metadata: { labels: ["a"] } }, path: "metadata.labels" },
  { name: "a text as annotations", desired: { metadata: { annotations: "a" } }, path: "metadata.annotations" },
  { name: "a text as finalizers", desired: { metadata: { finalizers: "a" } }, path: "metadata.finalizers" },
])("desired with $name is refused", async ({ desired, path }) => {
  const world = await settled({ desired: () => desired });
  expect(await world.list(ConfigMap)).toEqual([]);
  const [entry] = dependentsOf((await world.get(Desk, "a")) ?? {});
  expect(entry?.message).toContain('step "part": desired must have');
  expect(entry?.message).toContain(`as ${path},`);
});

const circle: Record<string, unknown> = {};
circle["self"] = circle;

test.for([
  { name: "a circle", data: circle, text: "a circle" },
  { name: "a bigint", data: { a: 1n }, text: "a bigint" },
])("desired of an object that runs once with $name is refused", async ({ data, text }) => {
  const world = await settled({ once: true, desired: () => ({ data }) });
  const [entry] = dependentsOf((await world.get(Desk, "a")) ?? {});
  expect(entry?.message).toContain(text);
  expect(entry?.message).toContain('step "part": desired');
});
