import type { KubernetesObject } from "@treadle/apimachinery";
import { defineResource } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { z } from "zod";
import { reference, type Reference } from "../reference.ts";
import type { ReferenceChoices } from "./choices.ts";
import { type ResolvedReferences, resolveReferences } from "./resolve.ts";
import { WaitingGraph } from "./waiting-graph.ts";

const Bucket = defineResource({
  group: "store.example.com",
  version: "v1",
  kind: "Bucket",
  scope: "Namespaced",
  spec: z.object({}),
  status: z.object({}),
});

interface Given {
  readonly name: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly external?: string;
  /** The annotation of the external name. */
  readonly annotation?: string;
  readonly ready?: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly condition?: string;
  readonly deleted?: boolean;
  readonly controller?: string;
  readonly spec?: object;
}

function object(given: Given): KubernetesObject {
  const { name, kind = "Bucket", namespace = "default", external, ready, reason = "Creating", condition = "Ready", spec = {} } = given;
  const owner = { apiVersion: "v1", kind: "Owner", name: "o", uid: given.controller ?? "", controller: true };
  return {
    apiVersion: "store.example.com/v1",
    kind,
    metadata: {
      name,
      namespace,
      ...(external === undefined ? {} : { annotations: { [given.annotation ?? "treadle.dev/external-name"]: external } }),
      ...(given.deleted === true ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
      ...(given.controller === undefined ? {} : { ownerReferences: [owner] }),
    },
    spec,
    ...(ready === undefined
      ? {}
      : { status: { conditions: [{ type: condition, status: ready, reason, message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }] } }),
  } as KubernetesObject;
}

interface Database extends KubernetesObject {
  readonly spec: { readonly bucket?: string | null; readonly tier?: string };
}
const database = (spec: Database["spec"] = { bucket: "b" }): Given => ({ name: "db", kind: "Database", spec });
const byName = (db: Database): string | undefined => db.spec.bucket ?? undefined;
const byLabel = { matchLabels: (db: Database) => ({ tier: db.spec.tier ?? "gold" }) };

function resolve(
  given: Reference<Database, string | undefined>,
  { self = database(), value, chosen, choices = {} }: { self?: Given; value?: unknown; chosen?: Given; choices?: ReferenceChoices },
): ResolvedReferences {
  const values = { "reference/bucket": value, "reference/bucket/chosen": chosen === undefined ? undefined : object(chosen) };
  return resolveReferences({ bucket: given } as never, { object: object(self), values, choices, waiting: new WaitingGraph() });
}

test.for<{ name: string; value?: Given; spec?: Database["spec"]; options?: object; want: string | undefined; waits?: string }>([
  { name: "a ready object", value: { name: "b", external: "ext", ready: "True" }, want: "ext" },
  { name: "a missing object", want: undefined, waits: "Bucket default/b does not exist" },
  { name: "a new object", value: { name: "b" }, want: undefined, waits: "Bucket default/b has no condition Ready yet" },
  {
    name: "an object that is not ready",
    value: { name: "b", external: "ext", ready: "False" },
    want: undefined,
    waits: "Bucket default/b is not Ready: Creating",
  },
  {
    name: "an object that was not observed",
    value: { name: "b", external: "ext", ready: "Unknown", reason: "NotObserved" },
    want: undefined,
    waits: "Bucket default/b is not Ready: NotObserved",
  },
  {
    name: "an object that is being deleted",
    value: { name: "b", external: "ext", ready: "True", deleted: true },
    want: undefined,
    waits: "Bucket default/b is being deleted",
  },
  {
    name: "a ready object without a name",
    value: { name: "b", ready: "True" },
    want: undefined,
    waits: "Bucket default/b is Ready, and has no annotation treadle.dev/external-name",
  },
  { name: "an empty field", spec: {}, want: undefined, waits: "it is empty: the object names no Bucket" },
  { name: "a field with null", spec: { bucket: null }, want: undefined, waits: "it is empty: the object names no Bucket" },
  { name: "a field with an empty text", spec: { bucket: "" }, want: undefined, waits: "it is empty: the object names no Bucket" },
  { name: "an empty field of an optional reference", spec: {}, options: { optional: true }, want: undefined },
  { name: "a missing object of an optional reference", options: { optional: true }, want: undefined },
  {
    name: "a ready object of an optional reference",
    value: { name: "b", external: "e", ready: "True" },
    options: { optional: true },
    want: "e",
  },
  {
    name: "a ready object of a step with a prefix",
    value: {
      name: "b",
      external: "e",
      annotation: "treadle.dev/backup-bucket-external-name",
      ready: "True",
      condition: "BackupBucketReady",
    },
    options: { prefix: "BackupBucket" },
    want: "e",
  },
  {
    name: "the condition of another prefix",
    value: { name: "b", external: "e", ready: "True" },
    options: { prefix: "Backup" },
    want: undefined,
    waits: "Bucket default/b has no condition BackupReady yet",
  },
])("a reference by name resolves $name", ({ value, spec, options, want, waits }) => {
  const answer = resolve(reference(Bucket, byName, options), {
    self: database(spec),
    value: value === undefined ? undefined : object(value),
  });
  if (waits !== undefined) expect(answer).toEqual({ type: "waiting", message: `reference "bucket": ${waits}` });
  else expect(answer).toEqual({ type: "resolved", names: { bucket: want } });
});

const ready = (name: string, more: Partial<Given> = {}): Given => ({ name, external: `ext-${name}`, ready: "True", ...more });

test.for<{ name: string; values: readonly Given[]; self?: Partial<Given>; matchController?: boolean; want?: string; waits?: string }>([
  { name: "the first ready one by name", values: [ready("c"), ready("b"), { name: "a" }], want: "ext-b" },
  { name: "none, if none exists", values: [], waits: "no Bucket with the labels tier=gold exists" },
  { name: "none, if the only one is not ready", values: [{ name: "a" }], waits: "Bucket default/a has no condition Ready yet" },
  {
    name: "none, if several are not ready",
    values: [{ name: "b" }, ready("a", { deleted: true })],
    waits: "none of 2 Bucket with the labels tier=gold is ready; Bucket default/a is being deleted",
  },
  {
    name: "one of the same controller",
    values: [ready("a"), ready("b", { controller: "u2" }), ready("c", { controller: "u1" })],
    self: { controller: "u1" },
    matchController: true,
    want: "ext-c",
  },
  {
    name: "none of another controller",
    values: [ready("a", { controller: "u2" })],
    self: { controller: "u1" },
    matchController: true,
    waits: "no Bucket with the labels tier=gold and the same controller exists",
  },
  {
    name: "none for an object without a controller",
    values: [ready("a")],
    matchController: true,
    waits: "this object has no controller, and the reference asks for a Bucket with the labels tier=gold of the same controller",
  },
  { name: "not the object itself", values: [ready("db", { kind: "Database" }), ready("z")], want: "ext-z" },
  {
    name: "nothing, if only the object itself matches",
    values: [ready("db", { kind: "Database" })],
    waits: "it selects only itself: no other Bucket with the labels tier=gold exists",
  },
])("a reference by selector chooses $name", ({ values, self = {}, matchController = false, want, waits }) => {
  const given = reference(Bucket, { ...byLabel, matchController });
  const answer = resolve(given, { self: { ...database(), ...self }, value: values.map(object) });
  if (waits !== undefined) expect(answer).toEqual({ type: "waiting", message: `reference "bucket": ${waits}` });
  else expect(answer).toEqual({ type: "resolved", names: { bucket: want } });
});

const kept = { bucket: { name: "b", namespace: "default", externalName: "ext-b" } };
const both = { byName: reference(Bucket, byName, { resolve: "once" }), byLabel: reference(Bucket, byLabel, { resolve: "once" }) };

test.for<{
  name: string;
  by: keyof typeof both;
  value?: unknown;
  chosen?: Given;
  before?: ReferenceChoices;
  want: string;
  after: ReferenceChoices;
}>([
  { name: "stores the first choice by name", by: "byName", value: object(ready("b")), want: "ext-b", after: kept },
  { name: "stores the first choice by label", by: "byLabel", value: [object(ready("b"))], want: "ext-b", after: kept },
  {
    name: "keeps the choice when a field names another object",
    by: "byName",
    value: object(ready("other")),
    before: kept,
    want: "ext-b",
    after: kept,
  },
  {
    name: "keeps the choice when an object with an earlier name matches",
    by: "byLabel",
    value: [object(ready("a"))],
    chosen: ready("b"),
    before: kept,
    want: "ext-b",
    after: kept,
  },
  { name: "keeps the choice when no object matches", by: "byLabel", value: [], before: kept, want: "ext-b", after: kept },
  {
    name: "keeps the name of a chosen object that is being deleted",
    by: "byLabel",
    value: [],
    chosen: ready("b", { deleted: true }),
    before: kept,
    want: "ext-b",
    after: kept,
  },
  {
    name: "follows a new external name of the chosen object",
    by: "byLabel",
    value: [],
    chosen: ready("b", { external: "new" }),
    before: kept,
    want: "new",
    after: { bucket: { name: "b", namespace: "default", externalName: "new" } },
  },
])("a reference with once $name", ({ by, value, chosen, before = {}, want, after }) => {
  const choices = structuredClone(before);
  const answer = resolve(both[by], { value, choices, ...(chosen === undefined ? {} : { chosen }) });
  expect(answer).toEqual({ type: "resolved", names: { bucket: want } });
  expect(choices).toEqual(after);
});

test("a reference with always stores nothing", () => {
  const choices: ReferenceChoices = {};
  resolve(reference(Bucket, byLabel), { value: [object(ready("b"))], choices });
  expect(choices).toEqual({});
});

test("a reference with once that waits stores nothing", () => {
  const choices: ReferenceChoices = {};
  expect(resolve(both.byName, { value: object({ name: "b" }), choices }).type).toBe("waiting");
  expect(choices).toEqual({});
});

test("all references that wait are in one message", () => {
  const references = { a: reference(Bucket, () => "x"), b: reference(Bucket, () => "y"), c: reference(Bucket, () => "z") };
  const values = { "reference/b": object(ready("y")) };
  const answer = resolveReferences(references, { object: object(database()), values, choices: {}, waiting: new WaitingGraph() });
  const message = `reference "a": Bucket default/x does not exist; reference "c": Bucket default/z does not exist`;
  expect(answer).toEqual({ type: "waiting", message });
});

test("an object that refers to itself waits, and the message says so", () => {
  const references = { parent: reference(Bucket, () => "b") };
  const self = object(ready("b"));
  const values = { "reference/parent": self };
  const answer = resolveReferences(references, { object: self, values, choices: {}, waiting: new WaitingGraph() });
  expect(answer).toEqual({ type: "waiting", message: `reference "parent": Bucket default/b refers to itself` });
});

/** Resolves the reference of the bucket `name` to the bucket `to`, as a pass does. */
function pass(waiting: WaitingGraph, name: string, to: Given | string): string {
  const references = { other: reference(Bucket, () => (typeof to === "string" ? to : to.name)) };
  const values = { "reference/other": typeof to === "string" ? undefined : object(to) };
  const answer = resolveReferences(references, { object: object({ name }), values, choices: {}, waiting });
  return answer.type === "waiting" ? answer.message : "resolved";
}

test("a circle of references is named by the object that closes it, until one of them is changed", () => {
  const waiting = new WaitingGraph();
  expect(pass(waiting, "a", { name: "b" })).not.toContain("circle");
  expect(pass(waiting, "b", { name: "c" })).not.toContain("circle");
  const circle = "a circle of references: Bucket default/c -> Bucket default/a -> Bucket default/b -> Bucket default/c";
  expect(pass(waiting, "c", { name: "a" })).toBe(`reference "other": Bucket default/a has no condition Ready yet; ${circle}`);
  expect(pass(waiting, "a", { name: "b" })).toContain("a circle of references: Bucket default/a -> ");
  expect(pass(waiting, "b", ready("z"))).toBe("resolved");
  expect(pass(waiting, "a", { name: "b" })).not.toContain("circle");
});

test("a deleted object is not part of a circle", () => {
  const waiting = new WaitingGraph();
  pass(waiting, "c", { name: "a" });
  pass(waiting, "b", "c");
  expect(pass(waiting, "a", { name: "b" })).not.toContain("circle");
});

test("references of different groups with one kind are no circle", () => {
  const waiting = new WaitingGraph();
  pass(waiting, "a", { name: "b" });
  const other = { ...object({ name: "b" }), apiVersion: "other.example.com/v1" };
  const references = { other: reference(Bucket, () => "a") };
  const values = { "reference/other": object({ name: "a" }) };
  const answer = resolveReferences(references, { object: other, values, choices: {}, waiting });
  expect(answer).toMatchObject({ message: `reference "other": Bucket default/a has no condition Ready yet` });
});
