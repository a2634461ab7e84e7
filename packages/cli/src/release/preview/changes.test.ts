import type { KubernetesObject } from "@treadle/apimachinery";
import type { NewEntry, RunObject } from "@treadle/dependents/unstable/run";
import { expect, test } from "vitest";
import { type Change, changesOf, countsOf, hasDifference } from "./changes.ts";
import type { DryWrite } from "./recorder.ts";
import { refusalText } from "./refusal.ts";

const IDENTITY = { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "a" };
const ID = "ConfigMap/default/a";

function object(given: Partial<RunObject> = {}): RunObject {
  return {
    ...IDENTITY,
    wave: 0,
    isInstance: false,
    phase: "Ready",
    state: { type: "Ready", reason: "Ready", message: "" },
    isReady: true,
    isAwaited: true,
    operation: { type: "unchanged" },
    error: undefined,
    ...given,
  };
}

function live(value: string, labels: Readonly<Record<string, string>> = {}): KubernetesObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", namespace: "default", labels },
    data: { value },
  } as KubernetesObject;
}

function write(given: Partial<DryWrite>): ReadonlyMap<string, DryWrite> {
  return new Map([[ID, { verb: "apply", before: undefined, after: undefined, conflicts: [], ...given }]]);
}

function failed(reason: string, message: string): Partial<RunObject> {
  return { isReady: false, phase: "Waiting", state: { type: "Failed", reason, message } };
}

const one = (given: Partial<RunObject>, writes: ReadonlyMap<string, DryWrite> = new Map()): Change | undefined =>
  changesOf({ objects: [object(given)], leaving: [] }, writes)[0];

test.for([
  { name: "an unchanged object", given: {}, writes: write({ before: live("1"), after: live("1") }), want: { action: "none" } },
  { name: "a new object", given: { operation: { type: "created" } }, writes: write({ after: live("1") }), want: { action: "create" } },
  {
    name: "a changed object",
    given: { operation: { type: "updated", paths: ["data.value"] } },
    writes: write({ before: live("1"), after: live("2") }),
    want: { action: "update", fields: [{ path: "data.value", before: '"1"', after: '"2"' }] },
  },
  {
    name: "an object that only gets marks",
    given: { operation: { type: "updated", paths: [] } },
    writes: write({ before: live("1"), after: live("1", { "releases.treadle.dev/owner-id": "x" }) }),
    want: { action: "update", message: "the release takes it; no field changes" },
  },
  {
    name: "a field of another manager",
    given: failed("ERR_INVALID", "refused"),
    writes: write({ before: live("1"), conflicts: [{ manager: "hpa", field: "data.value" }] }),
    want: { action: "refuse", reason: "FieldConflict", message: "data.value set by hpa" },
  },
  {
    name: "an object of another release",
    given: failed("NotOurs", "ConfigMap a is not ours: it belongs to Release x/y, managed by releases.treadle.dev"),
    writes: write({}),
    want: { action: "refuse", reason: "NotOurs", message: "it belongs to Release x/y, managed by releases.treadle.dev" },
  },
  {
    name: "an object of nobody",
    given: failed("NotOurs", 'ConfigMap a is not ours: it has no controller; adopt: "ifUnowned" takes it over'),
    writes: write({}),
    want: { action: "refuse", reason: "Unowned" },
  },
  {
    name: "an instance of a CRD of the release",
    given: { ...failed("KindNotServed", ""), isInstance: true },
    writes: write({}),
    want: { action: "create", isUnchecked: true },
  },
  { name: "a kind that nobody defines", given: failed("KindNotServed", "no kind"), writes: write({}), want: { action: "refuse" } },
  {
    name: "an object in a namespace that is missing",
    given: {},
    writes: write({ namespace: "missing" }),
    want: { reason: "NamespaceNotFound" },
  },
] as const)("$name", ({ given, writes, want }) => {
  expect(one(given as Partial<RunObject>, writes)).toMatchObject(want);
});

test("a namespace that the run makes is a change, before the objects in it", () => {
  const changes = changesOf({ objects: [object({ operation: { type: "created" } })], leaving: [] }, write({ namespace: "made" }));
  expect(changes.map(({ object: { kind, name }, action }) => [kind, name, action])).toEqual([
    ["Namespace", "default", "create"],
    ["ConfigMap", "a", "create"],
  ]);
});

test("objects that are no longer in the sources are deleted, or stay with a reason", () => {
  const leaving = [
    { ...IDENTITY, name: "old", type: "Pending", reason: "WaitingForRemoval", message: "" },
    { ...IDENTITY, kind: "CustomResourceDefinition", name: "crd", type: "Pending", reason: "DeletionBlocked", message: "in use" },
  ] satisfies readonly NewEntry[];
  const changes = changesOf({ objects: [], leaving }, new Map());
  expect(changes.map(({ action, message }) => [action, message])).toEqual([
    ["delete", undefined],
    ["none", "in use"],
  ]);
  expect([countsOf(changes).delete, hasDifference(changes), hasDifference([])]).toEqual([1, true, false]);
});

test("a refusal names ten objects, and each advice once", () => {
  const refused = Array.from(
    { length: 12 },
    (_, i): Change => ({ object: { ...IDENTITY, name: `a${i}` }, action: "refuse", fields: [], reason: "Unowned", message: "it exists" }),
  );
  const lines = refusalText(refused, { namespace: "ops", name: "shop" }).split("\n");
  expect(lines).toHaveLength(13);
  expect(lines.at(-2)).toBe("- and 2 more");
  expect(lines.filter((line) => line.startsWith("--adopt"))).toHaveLength(1);
});
