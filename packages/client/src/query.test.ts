import { expect, test } from "vitest";
import { listQuery, watchQuery } from "./query.ts";

test("a label selector of pairs is the same text in any order", () => {
  expect(listQuery({ labelSelector: { b: "2", a: "" } })).toBe(`?labelSelector=${encodeURIComponent("a=,b=2")}`);
  expect(listQuery({ labelSelector: {} })).toBe("");
});

test.for([
  { name: "a value that is a second requirement", pairs: { app: "a,b!=c" } },
  { name: "a key that is a second requirement", pairs: { "a,b": "c" } },
  { name: "no value", pairs: { app: undefined } },
  { name: "null", pairs: { app: null } },
  { name: "a number", pairs: { app: 5 } },
])("a pair with $name is refused, not sent as another selector", ({ pairs }) => {
  const labelSelector = pairs as unknown as Record<string, string>; // what no type protects
  for (const query of [listQuery, watchQuery])
    expect(() => query({ labelSelector })).toThrow(expect.objectContaining({ name: "SelectorError" }));
});
