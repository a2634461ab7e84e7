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
  // Helm 3.22 and 4.3 read these so.
  ["a=True,b=FALSE,c=Null", { a: true, b: false, c: null }],
  ["a=+5,b=-05,c=-0", { a: 5, b: -5, c: 0 }],
  [String.raw`a=\1`, { a: 1 }],
  ["a=x{b,c=d", { a: "x{b", c: "d" }],
  ["a=b}", { a: "b}" }],
  [String.raw`a={x\}y,z},b=1`, { a: ["x}y", "z"], b: 1 }],
  ["a={x,y},", { a: ["x", "y"] }],
  ["a=1,", { a: 1 }],
  ["big=12345678901234567890", { big: "12345678901234567890" }],
] as const)("--set %s", ([text, want]) => {
  expect(setValues({}, text)).toEqual(want);
});

test("--set keeps the other values, and does not change its input", () => {
  const values = { image: { name: "web", tag: "1" } };
  expect(setValues(values, "image.tag=2")).toEqual({ image: { name: "web", tag: 2 } });
  expect(values).toEqual({ image: { name: "web", tag: "1" } });
});

test.for(["", "a", "=b", "a.=b", "a[x]=1", ".a=1", "a=1,,b=2", "a={x,y", "a={x}y", "a={{x,y},z}", "__proto__.x=1", "a[99999999]=1"])(
  "--set %j is refused with its text",
  (text) => {
    expect(() => setValues({}, text)).toThrow(/^--set/);
  },
);
