/** References in a handler: which changes start a pass, and what a stored choice reads. */
import { defineResource, type KubernetesObject, type ObjectOf } from "@treadle/apimachinery";
import { type AnyHandler, conditions, handler, step } from "@treadle/reconcile";
import { fakeWorld } from "@treadle/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { reference, type References } from "./reference.ts";
import { REFERENCE_CHOICES, type ReferenceChoices } from "./references/choices.ts";
import { readsOfReferences } from "./references/reads.ts";
import { resolveReferences } from "./references/resolve.ts";
import { WaitingGraph } from "./references/waiting-graph.ts";

const common = { group: "store.example.com", version: "v1", scope: "Namespaced" } as const;
const Bucket = defineResource({ ...common, kind: "Bucket", spec: z.object({}), status: z.object({}) });
const Database = defineResource({
  ...common,
  kind: "Database",
  stepState: true,
  spec: z.object({ bucket: z.string().optional(), tier: z.string().optional() }),
  status: z.object({ bucket: z.string() }),
});
type Database = ObjectOf<typeof Database>;

/** A step that uses its references as `managed()` does. */
function users(references: References<Database>): AnyHandler {
  const waiting = new WaitingGraph();
  const given = references as References<KubernetesObject>; // They are called with Databases only.
  const choicesOf = (object: KubernetesObject): ReferenceChoices | undefined =>
    (object as Database & { status?: { steps?: { use?: { choices?: ReferenceChoices } } } }).status?.steps?.use?.choices;
  const use = step(Database, {
    name: "use",
    conditions: ["Synced"],
    reads: readsOfReferences(given, choicesOf),
    state: z.object({ choices: REFERENCE_CHOICES.default({}) }),
    do(req) {
      const answer = resolveReferences(given, { object: req.object, values: req.reads, choices: req.state.choices, waiting });
      if (answer.type === "waiting") return req.conditions.false("Synced", "WaitingForReference", answer.message).wait();
      req.status.bucket = answer.names["bucket"] ?? "none";
      req.conditions.true("Synced");
      return undefined;
    },
  });
  return handler(Database).step(conditions()).step(use).build();
}

const ready = (at: string): object => ({
  conditions: [{ type: "Ready", status: at, reason: "Available", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }],
});
function bucket(name: string, status = "True", labels: Readonly<Record<string, string>> = {}): object {
  const metadata = { name, labels, annotations: { "treadle.dev/external-name": `ext-${name}` } };
  return { apiVersion: "store.example.com/v1", kind: "Bucket", metadata, spec: {}, status: ready(status) };
}
const database = (spec: object): object => ({ apiVersion: "store.example.com/v1", kind: "Database", metadata: { name: "db" }, spec });

test("a step with a reference runs when the other object becomes ready", async () => {
  const world = fakeWorld(users({ bucket: reference(Bucket, (db) => db.spec.bucket) }), {
    objects: [database({ bucket: "b" }), bucket("b", "False")],
  });
  await world.settled();
  const waits = (await world.get(Database, "db"))?.status?.conditions?.find(({ type }) => type === "Synced");
  expect(waits).toMatchObject({ reason: "WaitingForReference", message: `reference "bucket": Bucket default/b is not Ready: Available` });
  await world.makeReady(Bucket, "b");
  await world.settled();
  expect((await world.get(Database, "db"))?.status?.bucket).toBe("ext-b");
});

test("a reference with always follows the spec, and one with once keeps its first object", async () => {
  for (const [resolve, want] of [
    ["always", "ext-c"],
    ["once", "ext-b"],
  ] as const) {
    const world = fakeWorld(users({ bucket: reference(Bucket, (db) => db.spec.bucket, { resolve }) }), {
      objects: [database({ bucket: "b" }), bucket("b"), bucket("c")],
    });
    await world.settled();
    await world.update(Database, "db", ({ spec }) => void (spec.bucket = "c"));
    await world.settled();
    expect((await world.get(Database, "db"))?.status?.bucket, resolve).toBe(want);
  }
});

test("a chosen object that loses its labels stays the choice, and a new external name of it starts a pass", async () => {
  const selector = { matchLabels: (db: Database) => ({ tier: db.spec.tier ?? "" }) };
  const gold = { tier: "gold" };
  const world = fakeWorld(users({ bucket: reference(Bucket, selector, { resolve: "once" }) }), {
    objects: [database({ tier: "gold" }), bucket("b", "True", gold)],
  });
  await world.settled();
  await world.create(Bucket, bucket("a", "True", gold) as never);
  await world.update(Bucket, "b", ({ metadata }) => void (metadata.labels = {}));
  await world.settled();
  expect((await world.get(Database, "db"))?.status?.bucket).toBe("ext-b");
  await world.update(Bucket, "b", ({ metadata }) => void (metadata.annotations = { "treadle.dev/external-name": "new" }));
  await world.settled();
  expect((await world.get(Database, "db"))?.status?.bucket).toBe("new");
  expect(world.undeclared).toEqual([]);
});

test.for<{ name: string; call: () => unknown; want: string }>([
  { name: "a value that is not a kind", call: () => reference(undefined as never, () => "b"), want: "must be a kind" },
  { name: "a name instead of a function", call: () => reference(Bucket, "b" as never), want: "must be a function that names the object" },
  { name: "labels instead of a function", call: () => reference(Bucket, { matchLabels: {} } as never), want: "{ matchLabels:" },
  { name: "an unknown policy", call: () => reference(Bucket, () => "b", { resolve: "x" as never }), want: `use "always" or "once"` },
])("reference() refuses $name", ({ call, want }) => {
  expect(call).toThrow(want);
});
