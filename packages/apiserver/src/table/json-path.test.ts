import { expect, test } from "vitest";
import { JsonPathError, parseJsonPath } from "./json-path.ts";

const root = {
  spec: {
    n: 3,
    "a.b": "dot",
    items: [
      { k: "x", v: 1 },
      { k: "y", v: 2 },
      { k: "z", v: 3, on: true },
    ],
    nothing: null,
  },
};

test.for<readonly [path: string, want: readonly unknown[]]>([
  [".spec.n", [3]],
  ["$.spec.n", [3]],
  [".spec['n']", [3]],
  [".spec.a\\.b", ["dot"]],
  [".spec['a\\.b']", ["dot"]],
  // As in Kubernetes, a dot in quotes separates keys.
  [".spec['a.b']", []],
  [".spec.absent.more", []],
  [".spec.nothing", [null]],
  [".spec.items[0].k", ["x"]],
  [".spec.items[-1].k", ["z"]],
  [".spec.items[1:].k", ["y", "z"]],
  [".spec.items[:2].k", ["x", "y"]],
  [".spec.items[::2].k", ["x", "z"]],
  [".spec.items[*].k", ["x", "y", "z"]],
  [".spec.items.*.k", ["x", "y", "z"]],
  [".spec.items[0,2].k", ["x", "z"]],
  ['.spec.items[?(@.k=="y")].v', [2]],
  [".spec.items[?(@.k=='y')].v", [2]],
  [".spec.items[?(@.v>=2)].k", ["y", "z"]],
  [".spec.items[?(@.v!=2)].k", ["x", "z"]],
  [".spec.items[?(@.on)].k", ["z"]],
  [".spec.items[?(@.on==true)].k", ["z"]],
  [".spec.items[?(@.k==')')].v", []],
  ["..k", ["x", "y", "z"]],
])("%s", ([path, want]) => {
  expect(parseJsonPath(path)(root)).toEqual(want);
});

test.for([".spec.items[7].k", ".spec.n[0]", ".spec.n[?(@.x)]", ".spec.items[?(@.k>1)]"])("the path %s does not fit the object", (path) => {
  expect(() => parseJsonPath(path)(root)).toThrow(JsonPathError);
});

test.for([".spec[", ".spec[x]", ".spec[?(@.a", ".spec.items[?(@.a)", "range", ".a}"])("%s is not a path", (path) => {
  expect(() => parseJsonPath(path)).toThrow(JsonPathError);
});
