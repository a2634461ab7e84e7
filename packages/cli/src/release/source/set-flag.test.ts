import { expect, test } from "vitest";
import { setValues } from "./set-flag.ts";

test.for([
  ["a=b", { a: "b" }],
  ["a.b.c=d", { a: { b: { c: "d" } } }],
  ["a=1,b=true,c=null,d=-7", { a: 1, b: true, c: null, d: -7 }],
  ["port=0080", { port: "0080" }],
  ["a=1.5", { a: "1.5" }],
  ["a=x=y", { a: "x=y" }],
  ["a=", { a: "" }],
  [String.raw`a=1\,2`, { a: "1,2" }],
  [String.raw`node.kubernetes\.io/role=x`, { node: { "kubernetes.io/role": "x" } }],
  ["list[1].name=x", { list: [undefined, { name: "x" }] }],
  ["a={x,2,true}", { a: ["x", 2, true] }],
  ["a={}", { a: [] }],
  ["big=12345678901234567890", { big: "12345678901234567890" }],
] as const)("--set %s", ([text, want]) => {
  expect(setValues({}, text)).toEqual(want);
});

test("--set keeps the other values, and does not change its input", () => {
  const values = { image: { name: "web", tag: "1" } };
  expect(setValues(values, "image.tag=2")).toEqual({ image: { name: "web", tag: 2 } });
  expect(values).toEqual({ image: { name: "web", tag: "1" } });
});

test.for(["", "a", "=b", "a.=b", "a[x]=1", ".a=1", "a=1,", "__proto__.x=1", "a[99999999]=1"])(
  "--set %j is refused with its text",
  (text) => {
    expect(() => setValues({}, text)).toThrow(/^--set/);
  },
);
