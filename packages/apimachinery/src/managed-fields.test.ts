import { describe, expect, test } from "vitest";
import { conditionsWrittenBy, keepOwnManagedFields } from "./managed-fields.ts";
import type { KubernetesObject, ManagedFieldsEntry } from "./objects.ts";

const leaf = { ".": {}, "f:type": {}, "f:status": {}, "f:reason": {}, "f:message": {}, "f:lastTransitionTime": {} };
const entry = (
  manager: string,
  conditions: Readonly<Record<string, object>>,
  more: Partial<ManagedFieldsEntry> = {},
): ManagedFieldsEntry => ({
  manager,
  operation: "Update",
  apiVersion: "example.dev/v1",
  time: "2026-01-01T00:00:00Z",
  fieldsType: "FieldsV1",
  subresource: "status",
  fieldsV1: {
    "f:status": {
      "f:conditions": Object.fromEntries([
        [".", {}],
        ...Object.entries(conditions).map(([type, fields]) => [`k:{"type":"${type}"}`, fields]),
      ]),
      "f:url": {},
    },
  },
  ...more,
});
const object = (managedFields?: readonly ManagedFieldsEntry[]): KubernetesObject => ({
  apiVersion: "example.dev/v1",
  kind: "Widget",
  metadata: { name: "w", resourceVersion: "5", ...(managedFields === undefined ? {} : { managedFields }) },
});

describe("conditionsWrittenBy", () => {
  test("conditions of the Update and Apply entries of one manager are returned", () => {
    const given = object([entry("me", { A: leaf }), entry("me", { B: leaf }, { operation: "Apply" }), entry("you", { C: leaf })]);
    expect(conditionsWrittenBy(given, "me")).toEqual(new Set(["A", "B"]));
    expect(conditionsWrittenBy(given, "you")).toEqual(new Set(["C"]));
    expect(conditionsWrittenBy(given, "nobody")).toEqual(new Set());
  });

  test("a condition whose status another manager wrote since is not returned", () => {
    const { "f:status": _, ...rest } = leaf;
    const given = object([entry("me", { A: rest, B: leaf }), entry("you", { A: { "f:status": {}, "f:lastTransitionTime": {} } })]);
    expect(conditionsWrittenBy(given, "me")).toEqual(new Set(["B"]));
    expect(conditionsWrittenBy(given, "you")).toEqual(new Set(["A"]));
  });

  test("a condition that two managers wrote by Apply is returned for both", () => {
    const given = object([entry("me", { A: leaf }, { operation: "Apply" }), entry("you", { A: leaf }, { operation: "Apply" })]);
    expect(conditionsWrittenBy(given, "me")).toEqual(new Set(["A"]));
  });

  test.for([
    { name: "an atomic list names no conditions", fieldsV1: { "f:status": { "f:conditions": {} } } },
    { name: "no status", fieldsV1: { "f:spec": {} } },
    { name: "a list of values", fieldsV1: { "f:status": { "f:conditions": { 'v:"A"': {} } } } },
    { name: "keys of another list-map", fieldsV1: { "f:status": { "f:conditions": { 'k:{"name":"A"}': {} } } } },
    { name: "a key that is not JSON", fieldsV1: { "f:status": { "f:conditions": { "k:{": {} } } } },
    { name: "no object at all", fieldsV1: { "f:status": null } },
  ])("$name gives no condition", ({ fieldsV1 }) => {
    expect(conditionsWrittenBy(object([entry("me", {}, { fieldsV1 })]), "me")).toEqual(new Set());
  });

  test("a type with quotes in it is read as JSON", () => {
    const fieldsV1 = { "f:status": { "f:conditions": { 'k:{"type":"a\\"b"}': {} } } };
    expect(conditionsWrittenBy(object([entry("me", {}, { fieldsV1 })]), "me")).toEqual(new Set(['a"b']));
  });

  test("an object without managedFields gives no condition", () => {
    expect(conditionsWrittenBy(object(), "me")).toEqual(new Set());
  });
});

describe("keepOwnManagedFields", () => {
  test("only conditions of the given managers are kept, and conditionsWrittenBy returns the same", () => {
    const { "f:status": _, ...taken } = leaf;
    const given = object([
      entry("me", { A: leaf, Taken: taken }),
      entry("old", { B: leaf }),
      entry("you", { C: leaf, Taken: { "f:status": {} } }),
      entry("me", {}, { subresource: "", fieldsV1: { "f:spec": {} } }),
    ]);
    const kept = keepOwnManagedFields(given, new Set(["me", "old"]));
    for (const manager of ["me", "old"]) expect(conditionsWrittenBy(kept, manager)).toEqual(conditionsWrittenBy(given, manager));
    expect(kept.metadata.managedFields?.map(({ manager }) => manager)).toEqual(["me", "old"]);
    expect(JSON.stringify(kept)).not.toContain("f:url");
    expect(kept.metadata).toMatchObject({ name: "w", resourceVersion: "5" });
  });

  test("entries of unit managers of ours are kept whole, other entries are dropped", () => {
    const fieldsV1 = { "f:data": { "f:a": {} } };
    const applied = entry("me/config/uid", {}, { operation: "Apply", subresource: "", fieldsV1 });
    const given = object([
      entry("you/config/uid", {}, { operation: "Apply", subresource: "", fieldsV1 }),
      applied,
      entry("me/config/uid", {}, { subresource: "", fieldsV1 }),
      entry("me/config/uid", {}, { operation: "Apply", fieldsV1 }),
      entry("meandyou/config/uid", {}, { operation: "Apply", subresource: "", fieldsV1 }),
    ]);
    expect(keepOwnManagedFields(given, new Set(["me"])).metadata.managedFields).toEqual([applied]);
  });

  test("an object without entries of ours has no member managedFields", () => {
    const kept = keepOwnManagedFields(object([entry("you", { C: leaf })]), new Set(["me"]));
    expect("managedFields" in kept.metadata).toBe(false);
  });

  test("the argument does not change, frozen or not", () => {
    const given = object([entry("me", { A: leaf })]);
    const copy = structuredClone(given);
    keepOwnManagedFields(Object.freeze(given), new Set(["me"]));
    expect(given).toEqual(copy);
    const bare = object();
    expect(keepOwnManagedFields(bare, new Set(["me"]))).toBe(bare);
  });
});
