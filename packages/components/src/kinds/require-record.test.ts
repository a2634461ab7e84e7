import { ConfigMap } from "@treadle/apimachinery/kinds";
import { expect, test } from "vitest";
import { requireRecord } from "./require-record.ts";

const OF = "kinds: the record of the kind ConfigMap: ";

test.for([
  { name: "that is null", record: null, want: "kinds: a kind record must be an object, and is null" },
  { name: "that is a list", record: [], want: "kinds: a kind record must be an object, and is a list" },
  { name: "that is a function", record: () => ({}), want: "kinds: a kind record must be an object, and is a function" },
  { name: "without a kind", record: { kind: undefined }, want: "kinds: kind must be a kind" },
  { name: "with the name of a kind", record: { kind: "ConfigMap" }, want: "kinds: kind must be a kind" },
  { name: "with a kind without a plural", record: { kind: { ...ConfigMap, plural: "" } }, want: "kinds: kind must be a kind" },
  { name: "with a kind of another scope", record: { kind: { ...ConfigMap, scope: "Global" } }, want: "kinds: kind must be a kind" },
  { name: "without a category", record: { category: undefined }, want: `${OF}category must be one of workload, task, integration, static` },
  { name: "of another category", record: { category: "constructor" }, want: `${OF}category must be one of` },
  { name: "with a word as state", record: { state: "Healthy" }, want: `${OF}state must be a function, and is a string` },
  { name: "with null as grace", record: { grace: null }, want: `${OF}grace must be a function, and is null` },
  { name: "with true as isSuspended", record: { isSuspended: true }, want: `${OF}isSuspended must be a function, and is true` },
  { name: "with true as suspend", record: { suspend: true }, want: `${OF}suspend must be an object with merge or delete, and is true` },
  { name: "with a list as suspend.merge", record: { suspend: { merge: [] } }, want: `${OF}suspend.merge must be an object` },
  { name: "with a function as suspend.merge", record: { suspend: { merge: () => ({}) } }, want: `${OF}suspend.merge must be an object` },
  { name: "with a text as suspend.delete", record: { suspend: { delete: "no" } }, want: `${OF}suspend.delete must be true or false` },
  { name: "with a text as immutable", record: { immutable: "spec" }, want: `${OF}immutable must be a list of paths` },
  { name: "with a number in immutable", record: { immutable: ["spec", 1] }, want: `${OF}immutable must be a list of paths` },
  // oxlint-disable-next-line no-sparse-arrays
  { name: "with a hole in immutable", record: { immutable: [, "spec"] }, want: `${OF}immutable must be a list of paths` },
])("a record $name is refused", ({ record, want }) => {
  const isWhole = record === null || Array.isArray(record) || typeof record === "function";
  const given: unknown = isWhole ? record : { kind: ConfigMap, category: "static", ...record };
  expect(() => requireRecord("kinds", given)).toThrow(TypeError);
  expect(() => requireRecord("kinds", given)).toThrow(want);
});

test("a promise instead of a record is refused, and may reject later", () => {
  expect(() => requireRecord("kinds", Promise.reject(new Error("later")))).toThrow("must be an object, and is a promise");
});
