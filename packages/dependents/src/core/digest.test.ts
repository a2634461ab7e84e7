import { expect, test } from "vitest";
import { digestOf } from "./body.ts";

test("the digest does not depend on the order of members, at any depth", () => {
  expect(digestOf({ a: 1, b: { c: [{ d: 1, e: 2 }], f: 2 } })).toBe(digestOf({ b: { f: 2, c: [{ e: 2, d: 1 }] }, a: 1 }));
});

test("the digest depends on the order of lists, and on every member", () => {
  expect(digestOf([1, 2])).not.toBe(digestOf([2, 1]));
  expect(digestOf(JSON.parse('{"a":1,"__proto__":{"b":1}}'))).not.toBe(digestOf(JSON.parse('{"a":1,"__proto__":{"b":2}}')));
});

test("the digest of a stored object is the one of earlier versions", () => {
  expect(digestOf({ kind: "ConfigMap", data: { "10": "x", "9": "y", ä: "z", A: null }, list: [{ b: true, a: 1.5 }] })).toBe(
    "64248cd7c62bfc2b489a6dfa6c1ee611",
  );
});
