import { type JsonSchema, jsonEqual } from "@treadle/apimachinery";
import fc from "fast-check";
import { expect, test } from "vitest";
import { merged, reduced } from "./merge.ts";
import { shaped } from "./shape.ts";

const text: JsonSchema = { type: "string" };
const port: JsonSchema = {
  type: "object",
  properties: { port: { type: "integer" }, protocol: { type: "string", default: "TCP" }, name: text, tls: text },
  required: ["port"],
};
const schema: JsonSchema = {
  type: "object",
  properties: {
    host: text,
    issuer: { ...text, nullable: true },
    tls: { type: "object", properties: { issuer: text, secret: text } },
    labels: { type: "object", additionalProperties: text },
    pair: { type: "object", properties: { a: text, b: text }, "x-kubernetes-map-type": "atomic" },
    args: { type: "array", items: text },
    zones: { type: "array", items: text, "x-kubernetes-list-type": "set" },
    ports: { type: "array", items: port, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "protocol"] },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  },
};

test.for([
  { name: "a field that the client cannot see is kept", base: {}, mine: { issuer: "a" }, theirs: {}, want: { issuer: "a" } },
  { name: "a field that the client set wins", base: {}, mine: { issuer: "a" }, theirs: { issuer: "b" }, want: { issuer: "b" } },
  { name: "a field that the client removed is removed", base: { host: "x" }, mine: { host: "y" }, theirs: {}, want: {} },
  { name: "a field that the client changed wins", base: { host: "x" }, mine: { host: "y" }, theirs: { host: "z" }, want: { host: "z" } },
  {
    name: "a field that the client left is the hub's",
    base: { host: "x" },
    mine: { host: "y" },
    theirs: { host: "x" },
    want: { host: "y" },
  },
  { name: "a field that the way back invents is absent again", base: { host: "x" }, mine: {}, theirs: { host: "x" }, want: {} },
  { name: "an invented field that the client changed stays", base: { host: "x" }, mine: {}, theirs: { host: "z" }, want: { host: "z" } },
  { name: "null is a value that the client may set", base: {}, mine: { issuer: "a" }, theirs: { issuer: null }, want: { issuer: null } },
  { name: "null of the hub is kept", base: {}, mine: { issuer: null }, theirs: {}, want: { issuer: null } },
  {
    name: "objects are merged by field",
    base: { tls: { issuer: "a" } },
    mine: { tls: { issuer: "a", secret: "s" } },
    theirs: { tls: { issuer: "b" } },
    want: { tls: { issuer: "b", secret: "s" } },
  },
  {
    name: "an object that the client removed is removed with the fields that it cannot see",
    base: { tls: { issuer: "a" } },
    mine: { tls: { issuer: "a", secret: "s" } },
    theirs: {},
    want: {},
  },
  {
    name: "an object that the client emptied keeps the fields that it cannot see",
    base: { tls: { issuer: "a" } },
    mine: { tls: { issuer: "a", secret: "s" } },
    theirs: { tls: {} },
    want: { tls: { secret: "s" } },
  },
  {
    name: "entries of a map are merged",
    base: { labels: { a: "1", b: "1" } },
    mine: { labels: { a: "1", b: "1", "x/y": "2" } },
    theirs: { labels: { a: "9", c: "3" } },
    want: { labels: { a: "9", c: "3", "x/y": "2" } },
  },
  {
    name: "an atomic object is the client's where it changed",
    base: { pair: { a: "1" } },
    mine: { pair: { a: "1", b: "2" } },
    theirs: { pair: { a: "3" } },
    want: { pair: { a: "3" } },
  },
  {
    name: "an atomic object is the hub's where the client left it",
    base: { pair: { a: "1" }, host: "x" },
    mine: { pair: { a: "1", b: "2" }, host: "x" },
    theirs: { pair: { a: "1" }, host: "y" },
    want: { pair: { a: "1", b: "2" }, host: "y" },
  },
  {
    name: "an atomic list is the client's where the client changed it",
    base: { args: ["a"] },
    mine: { args: ["a", "b"] },
    theirs: { args: ["a", "c"] },
    want: { args: ["a", "c"] },
  },
  {
    name: "an atomic list is the hub's where the client left it",
    base: { args: ["a"], host: "x" },
    mine: { args: ["a", "b"], host: "x" },
    theirs: { args: ["a"], host: "y" },
    want: { args: ["a", "b"], host: "y" },
  },
  {
    name: "a set is merged by value",
    base: { zones: ["a", "b"] },
    mine: { zones: ["a", "hidden", "b"] },
    theirs: { zones: ["b", "c"] },
    want: { zones: ["hidden", "b", "c"] },
  },
  {
    name: "new items of a set are in the client's order",
    base: { zones: ["b"] },
    mine: { zones: ["a", "b"] },
    theirs: { zones: ["y", "b", "a"] },
    want: { zones: ["y", "b", "a"] },
  },
  {
    name: "items are merged by their keys, with the default of an absent key",
    base: { ports: [{ port: 80, protocol: "TCP" }] },
    mine: { ports: [{ port: 80, protocol: "TCP", tls: "a" }] },
    theirs: { ports: [{ port: 80, name: "web" }] },
    want: { ports: [{ port: 80, name: "web", tls: "a" }] },
  },
  {
    name: "an item that the client removed is removed with the fields that it cannot see",
    base: { ports: [{ port: 80 }, { port: 81 }] },
    mine: { ports: [{ port: 80, tls: "a" }, { port: 81 }] },
    theirs: { ports: [{ port: 81 }] },
    want: { ports: [{ port: 81 }] },
  },
  {
    name: "an item that the client cannot see keeps its place",
    base: { ports: [{ port: 1 }, { port: 3 }] },
    mine: { ports: [{ port: 1 }, { port: 2 }, { port: 3 }] },
    theirs: { ports: [{ port: 1 }, { port: 3 }, { port: 4 }] },
    want: { ports: [{ port: 1 }, { port: 2 }, { port: 3 }, { port: 4 }] },
  },
  {
    name: "the client's order wins over an order that only the way down makes",
    base: { ports: [{ port: 1 }, { port: 2 }, { port: 3 }] },
    mine: { ports: [{ port: 3 }, { port: 1 }, { port: 2 }] },
    theirs: { ports: [{ port: 1 }, { port: 2, name: "x" }, { port: 3 }] },
    want: { ports: [{ port: 1 }, { port: 2, name: "x" }, { port: 3 }] },
  },
  {
    name: "the client's order wins where the client moved items",
    base: { ports: [{ port: 1 }, { port: 3 }] },
    mine: { ports: [{ port: 1 }, { port: 2 }, { port: 3 }] },
    theirs: { ports: [{ port: 3 }, { port: 1 }] },
    want: { ports: [{ port: 3 }, { port: 1 }, { port: 2 }] },
  },
  {
    name: "a list with an item twice is atomic",
    base: { ports: [{ port: 1 }] },
    mine: { ports: [{ port: 1, tls: "a" }] },
    theirs: { ports: [{ port: 1 }, { port: 1 }] },
    want: { ports: [{ port: 1 }, { port: 1 }] },
  },
  {
    name: "fields without a schema are merged by field, and their lists are atomic",
    base: { free: { a: { b: 1 }, list: [1] } },
    mine: { free: { a: { b: 1, c: 2 }, list: [1, 2] } },
    theirs: { free: { a: { b: 5 }, list: [3] } },
    want: { free: { a: { b: 5, c: 2 }, list: [3] } },
  },
  {
    name: "another type is a change",
    base: { free: { a: 1 } },
    mine: { free: { a: { b: 1 } } },
    theirs: { free: { a: "x" } },
    want: { free: { a: "x" } },
  },
])("$name", ({ base, mine, theirs, want }) => {
  expect(merged({ base, mine, theirs }, schema)).toEqual(want);
  const kept = reduced({ base, mine, filled: base }, schema);
  expect(merged({ base: kept?.base, mine: kept?.mine, theirs }, schema)).toEqual(want);
});

test("members with the names of JavaScript are members like others", () => {
  const named = (json: string): unknown => JSON.parse(json);
  const base = named('{"labels":{"constructor":"a"}}');
  const mine = named('{"labels":{"constructor":"a","__proto__":"kept","toString":"kept"}}');
  const theirs = named('{"labels":{"constructor":"b","__proto__":"b"}}');
  const kept = reduced({ base, mine, filled: base }, schema);
  expect(JSON.stringify(kept?.mine)).toBe('{"labels":{"__proto__":"kept","toString":"kept"}}');
  for (const sides of [
    { base, mine },
    { base: kept?.base, mine: kept?.mine },
  ]) {
    const result = merged({ ...sides, theirs }, schema);
    expect(JSON.parse(JSON.stringify(result))).toEqual(named('{"labels":{"constructor":"b","__proto__":"b","toString":"kept"}}'));
    expect(Object.getPrototypeOf((result as { labels: object }).labels)).toBe(Object.prototype);
  }
});

test("a value that only the hub's defaults add is not kept", () => {
  const base = { ports: [{ port: 80 }] };
  const mine = { ports: [{ port: 80, protocol: "TCP" }] };
  expect(reduced({ base, mine, filled: shaped(base, schema, true) }, schema)).toBeUndefined();
});

test("an equal item of a list leaves its keys alone", () => {
  const base = { ports: [{ port: 1, name: "one" }, { port: 2 }] };
  const mine = {
    ports: [
      { port: 1, name: "one" },
      { port: 2, tls: "a" },
    ],
  };
  expect(reduced({ base, mine, filled: base }, schema)).toEqual({
    base: { ports: [{ port: 1 }, { port: 2 }] },
    mine: { ports: [{ port: 1 }, { port: 2, tls: "a" }] },
  });
});

/*
 * Properties:
 * 1. A client that changes nothing gets the hub.
 * 2. Where nothing is lost on the way, the client's object is the result.
 * 3. The merge of the reduced parts is the merge of the whole, whatever the client did.
 */
const word = fc.constantFrom("a", "b");
const some = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<object> => fc.record(fields, { requiredKeys: [] });
const objects = some({
  host: word,
  issuer: fc.option(word, { nil: null }),
  tls: some({ issuer: word, secret: word }),
  labels: fc.dictionary(fc.constantFrom("x", "y", "__proto__"), word),
  pair: some({ a: word, b: word }),
  args: fc.array(word, { maxLength: 3 }),
  zones: fc.uniqueArray(fc.constantFrom("a", "b", "c", "d")),
  ports: fc.uniqueArray(
    fc.record(
      { port: fc.constantFrom(1, 2, 3, 4), name: word, tls: word, protocol: fc.constantFrom("TCP", "UDP") },
      { requiredKeys: ["port"] },
    ),
    { selector: ({ port, protocol }) => `${port}${protocol ?? "TCP"}` },
  ),
  free: fc.dictionary(word, fc.oneof(word, fc.array(word), fc.dictionary(word, word))),
});

/** Compares as JSON, because dictionaries may have no prototype. */
function expectSame(is: unknown, want: unknown): void {
  expect(jsonEqual(is, want), JSON.stringify({ is, want })).toBe(true);
}

test("a client that changes nothing gets the hub", () => {
  fc.assert(fc.property(objects, objects, (base, mine) => expectSame(merged({ base, mine, theirs: base }, schema), mine)));
});

test("the client's object is the result where nothing is lost", () => {
  fc.assert(fc.property(objects, objects, (hub, theirs) => expectSame(merged({ base: hub, mine: hub, theirs }, schema), theirs)));
});

test("the merge of the reduced parts is the merge of the whole", () => {
  fc.assert(
    fc.property(objects, objects, objects, (base, mine, theirs) => {
      const kept = reduced({ base, mine, filled: base }, schema);
      expectSame(merged({ base: kept?.base, mine: kept?.mine, theirs }, schema), merged({ base, mine, theirs }, schema));
    }),
    { numRuns: 1000 },
  );
});

test("values that only defaults add change nothing but defaults in the result", () => {
  const filled = (value: unknown): unknown => shaped(value, schema, true);
  fc.assert(
    fc.property(objects, objects, objects, (base, given, theirs) => {
      const mine = filled(given);
      const kept = reduced({ base, mine, filled: filled(base) }, schema);
      const parts = merged({ base: kept?.base, mine: kept?.mine, theirs }, schema);
      expectSame(filled(parts), filled(merged({ base, mine, theirs }, schema)));
    }),
    { numRuns: 1000 },
  );
});
