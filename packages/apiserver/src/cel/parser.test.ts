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
  ])("%s", ([source, message]) => {
    const program = compileProgram(source, new Map(), { hasPatchTypes: true });
    expect(String(program).split("\n")[0]).toBe(`ERROR: <input>:${message}`);
  });
});

test("an expression without the types of patches cannot use them", () => {
  expect(String(compileProgram("Object{}", new Map()))).toContain("undeclared reference to 'Object'");
  expect(String(compileProgram("jsonpatch.escapeKey('a')", new Map()))).toContain("undeclared reference to 'jsonpatch'");
});
