/** The syntax of CEL: literals, precedence, optional entries, literals of named types, and the texts of errors. */
import { describe, expect, test } from "vitest";
import { compileProgram } from "./program.ts";
import { Dict, List, type Value } from "./values.ts";

function valueOf(source: string): unknown {
  const program = compileProgram(source, new Map(), { hasPatchTypes: true });
  if (typeof program === "string") throw new Error(program);
  return shown(program.run({}, { remaining: 1_000_000 }));
}

function shown(value: Value): unknown {
  if (value instanceof List) return value.items.map(shown);
  return value instanceof Dict ? Object.fromEntries([...value.entries].map(([key, item]) => [String(key), shown(item)])) : value;
}

test.for<readonly [source: string, want: unknown]>([
  ["1 + 2 * 3 - 4 / 2", 5n],
  ["-9223372036854775808", -9223372036854775808n],
  ["--1 == 1 && !!true", true],
  ["- 1 - -1", 0n],
  ["0xFF", 255n],
  [".5 + 1e3 + 1.5E-1", 1000.65],
  ["true ? 1 : false ? 2 : 3", 1n],
  ["1 in [1] == true", true],
  ["r'a\\n' + \"b\\n\"", "a\\nb\n"],
  ["'''a\n'b\"''' + \"\"\"c\"\"\"", "a\n'b\"c"],
  ["'\\x41\\u00e9\\U0001F600\\101\\?\\`'", "A\u00e9\u{1F600}A?`"],
  ["size(b'\\xff\\377\u00e9')", 4n],
  ["{'a': [1], 'b': [2, 3,],}", { a: [1n], b: [2n, 3n] }],
  ["[1, ?optional.none(), ?optional.of(2)]", [1n, 2n]],
  ["{?'a': optional.none(), ?'b': optional.of(null)}", { b: null }],
  ["Object{spec: Object.spec{?replicas: optional.of(3), ?x: optional.none()}}.spec.replicas", 3n],
  ["has(Object{?a: optional.none()}.a)", false],
  ["JSONPatch{op: 'add', path: '/a'}.path + jsonpatch.escapeKey('a/b~c')", "/aa~1b~0c"],
  ["1 // a comment\n + 1", 2n],
  ["optional.of([1])[0].value() + optional.of({'a': 1})['b'].orValue(2)", 3n],
  ["[,].size() + {,}.size()", 0n],
  [`true${" && true".repeat(5000)}`, true],
  ["optional.unwrap([optional.of(1), optional.none()]) + [optional.of(2)].unwrapOpt()", [1n, 2n]],
])("%s has its value", ([source, want]) => {
  expect(valueOf(source)).toEqual(want);
});

describe("invalid CEL is refused with the text of cel-go", () => {
  const expected = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
  test.for<readonly [source: string, message: string]>([
    ["1 +", `1:4: Syntax error: mismatched input '<EOF>' expecting ${expected}`],
    ["1 @ 2", "1:3: Syntax error: token recognition error at: '@'"],
    ["1 2", "1:3: Syntax error: extraneous input '2' expecting <EOF>"],
    ["package", "1:1: reserved identifier: package"],
    ["Invalid{}", "1:8: undeclared reference to 'Invalid' (in container '')"],
    ["JSONPatch{op: 1}", "1:13: expected type of field 'op' is 'string' but provided type is 'int'"],
    ["JSONPatch{other: 1}", "1:16: expected type of field 'other' is '' but provided type is 'int'"],
    ["a.(", "1:3: Syntax error: no viable alternative at input '.('"],
    ["[?1]", "1:3: expected type 'optional_type(int)' but found 'int'"],
    ["9223372036854775808", "1:1: invalid int literal"],
    ["18446744073709551616u", "1:1: invalid uint literal"],
    ["1e999", "1:1: invalid double literal"],
    ["{'a b': 1}.`a b`", "1:12: unsupported syntax: '`'"],
    ["[1].all(x, x, true)", "1:12: duplicate variable name: x"],
    ["[1].all(__result__, true)", "1:9: iteration variable overwrites accumulator variable"],
    ["'a'.constructor(1)", "1:16: undeclared reference to 'constructor' (in container '')"],
    ["hasOwnProperty('a')", "1:15: undeclared reference to 'hasOwnProperty' (in container '')"],
    ["timestamp('0000-01-01T00:00:00Z')", "1:11: invalid timestamp argument"],
    ["'a'.matches('(?=a)')", "1:13: invalid matches argument"],
    ["'a'.matches('(a)\\\\1')", "1:13: invalid matches argument"],
    ["'a'.matches('a{1001}')", "1:13: invalid matches argument"],
    [`${"(".repeat(250)}1${")".repeat(250)}`, "-1:0: expression recursion limit exceeded: 250"],
    [`1${" + 1".repeat(251)}`, "-1:0: max recursion depth exceeded"],
    [`1${" ".repeat(100_000)}`, "-1:0: expression code point size exceeds limit: size: 100001, limit 100000"],
  ])("%s", ([source, message]) => {
    const program = compileProgram(source, new Map(), { hasPatchTypes: true });
    expect(String(program).split("\n")[0]).toBe(`ERROR: <input>:${message}`);
  });
});

test("at most 100 errors of an expression are shown", () => {
  const lines = String(compileProgram(`[${"x, ".repeat(500)}x]`, new Map())).split("\n");
  expect(lines.filter((line) => line.startsWith("ERROR")).length).toBe(100);
  expect(lines.at(-1)).toBe("401 more errors were truncated");
});

test.for(["lists.range(999999999999)", "'%.1001f'.format([1.0])", `'${"a".repeat(40)}b'.matches('^(a+)+$')`])(
  "%s fails within a second",
  (source) => {
    expect(() => valueOf(source)).toThrow();
    const begin = performance.now();
    expect(() => valueOf(source)).toThrow();
    expect(performance.now() - begin).toBeLessThan(1000);
  },
);

test("an expression without the types of patches cannot use them", () => {
  expect(String(compileProgram("Object{}", new Map()))).toContain("undeclared reference to 'Object'");
  expect(String(compileProgram("jsonpatch.escapeKey('a')", new Map()))).toContain("undeclared reference to 'jsonpatch'");
});

test.for([
  ["parentheses", (depth: number) => `${"(".repeat(depth)}true${")".repeat(depth)}`],
  ["conditions", (depth: number) => `${"true ? true : ".repeat(depth)}true`],
] as const)("%s are nested at most 249 times, as with cel-go", ([, nested]) => {
  expect(valueOf(nested(249))).toBe(true);
  expect(compileProgram(nested(250), new Map())).toBe("ERROR: <input>:-1:0: expression recursion limit exceeded: 250");
});
