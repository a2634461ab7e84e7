/** Desired values that a live object does not have. The writer of the others does not count. */
import { expect, test } from "vitest";
import { containsField, textOfPath } from "./owned-fields.ts";
import { hasValues, pathsBelow, valueDifferences } from "./values.ts";

test.for<{ name: string; wanted: object; live: object; want: readonly string[] }>([
  { name: "equal values", wanted: { data: { a: "1" } }, live: { data: { a: "1" } }, want: [] },
  { name: "a field that is not desired", wanted: { data: { a: "1" } }, live: { data: { a: "1", b: "1" }, spec: {} }, want: [] },
  { name: "another value", wanted: { data: { a: "1" } }, live: { data: { a: "2" } }, want: ["data.a"] },
  { name: "a missing value", wanted: { data: { a: "1" } }, live: { data: {} }, want: ["data.a"] },
  { name: "a missing object", wanted: { data: { a: "1" } }, live: {}, want: ["data"] },
  { name: "an empty object, which servers drop", wanted: { data: {} }, live: {}, want: [] },
  { name: "a desired null", wanted: { data: null, spec: { a: null } }, live: { spec: {} }, want: [] },
  { name: "another type", wanted: { spec: { a: [1] } }, live: { spec: { a: "1" } }, want: ["spec.a"] },
  { name: "an inherited member", wanted: { spec: { toString: "x" } }, live: { spec: {} }, want: ["spec.toString"] },
  { name: "a default inside an element", wanted: { spec: { l: [{ a: 1 }] } }, live: { spec: { l: [{ a: 1, b: 2 }] } }, want: [] },
  {
    name: "another value inside an element",
    wanted: { spec: { l: [{ a: 1 }] } },
    live: { spec: { l: [{ a: 2 }] } },
    want: ["spec.l[0].a"],
  },
  { name: "one more element", wanted: { spec: { l: [1] } }, live: { spec: { l: [1, 2] } }, want: ["spec.l"] },
  {
    name: "several values",
    wanted: { data: { a: "1", b: "1" }, spec: { c: 1 } },
    live: { data: { a: "2" }, spec: { c: 2 } },
    want: ["data.a", "data.b", "spec.c"],
  },
  { name: "the identity", wanted: { apiVersion: "v1", kind: "A", metadata: { name: "a" } }, live: { metadata: { name: "b" } }, want: [] },
  {
    name: "a label",
    wanted: { metadata: { labels: { a: "1" } } },
    live: { metadata: { labels: { b: "1" } } },
    want: ["metadata.labels.a"],
  },
  {
    name: "a finalizer",
    wanted: { metadata: { finalizers: ["a"] } },
    live: { metadata: { finalizers: ["b"] } },
    want: ["metadata.finalizers"],
  },
  { name: "a foreign finalizer", wanted: { metadata: { finalizers: ["a"] } }, live: { metadata: { finalizers: ["b", "a"] } }, want: [] },
])("$name: $want", ({ wanted, live, want }) => {
  expect(valueDifferences(wanted, live).map(({ path }) => textOfPath(path))).toEqual(want);
  expect(valueDifferences(wanted, live, 1).map(({ path }) => textOfPath(path))).toEqual(want.slice(0, 1));
});

test("a difference has the live value, for those who remember what a server made of it", () => {
  expect(valueDifferences({ spec: { cpu: "1000m" } }, { spec: { cpu: "1" } })).toEqual([{ path: ["f:spec", "f:cpu"], live: "1" }]);
});

test.for([
  { live: { a: 1, b: 2 }, wanted: { a: 1 }, want: true },
  { live: { a: 1 }, wanted: { a: 1, b: 2 }, want: false },
  { live: "a", wanted: undefined, want: true },
])("$live has the values of $wanted is $want", ({ live, wanted, want }) => {
  expect(hasValues(live, wanted)).toBe(want);
});

test.for([
  { path: ["f:data"], want: ["data.a"] },
  { path: ["f:data", "f:b"], want: ["data.b"] },
  { path: ["f:list", 'k:{"name":"x"}'], want: ['list[{"name":"x"}]'] },
])("below $path the differing fields are $want", ({ path, want }) => {
  const wanted = { data: { a: "1", b: "1" }, list: [{ name: "x" }] };
  const live = { data: { a: "2", b: "1" }, list: [{ name: "x" }] };
  expect(pathsBelow(path, { wanted, live }).map(textOfPath)).toEqual(want);
});

const leaf = {};
test.for<{ name: string; set: object; path: readonly string[]; want: boolean }>([
  { name: "the field itself", set: { "f:data": { "f:a": leaf } }, path: ["f:data", "f:a"], want: true },
  { name: "another field", set: { "f:data": { "f:b": leaf } }, path: ["f:data", "f:a"], want: false },
  { name: "the map alone", set: { "f:data": { ".": leaf } }, path: ["f:data", "f:a"], want: false },
  { name: "a field below", set: { "f:data": { "f:b": leaf } }, path: ["f:data"], want: true },
  { name: "the value as a whole", set: { "f:data": leaf }, path: ["f:data", "f:a"], want: true },
  { name: "an element by its key", set: { "f:list": { 'k:{"name":"x"}': { "f:v": leaf } } }, path: ["f:list", "i:0", "f:v"], want: true },
  { name: "another element", set: { "f:list": { 'k:{"name":"y"}': { "f:v": leaf } } }, path: ["f:list", "i:0", "f:v"], want: false },
  { name: "an element of a set", set: { "f:words": { 'v:"w"': leaf } }, path: ["f:words", "i:0"], want: true },
])("a set has $name: $want", ({ set, path, want }) => {
  expect(containsField(set as never, path, { data: { a: "1" }, list: [{ name: "x", v: 1 }], words: ["w"] })).toBe(want);
});
