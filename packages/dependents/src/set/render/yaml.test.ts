import { describe, expect, test } from "vitest";
import { readYaml, YamlError } from "./yaml.ts";

function only(text: string): unknown {
  const documents = readYaml(text);
  expect(documents).toHaveLength(1);
  return documents[0]?.value;
}

describe("a YAML document", () => {
  test.for<[string, string, unknown]>([
    ["quoted text is text", "a: '0644'\nb: \"yes\"", { a: "0644", b: "yes" }],
    [
      "an explicit tag decides",
      "a: !!str 5\nb: !!int '5'\nc: !!bool 'yes'\nd: !!float 5\ne: !!timestamp 2001-01-01",
      { a: "5", b: 5, c: true, d: 5, e: "2001-01-01" },
    ],
    ["block text keeps its lines", "a: |\n  x\n  y\nb: >-\n  x\n  y\n", { a: "x\ny\n", b: "x y" }],
    ["plain text over several lines is folded", "a: x\n  y", { a: "x y" }],
    ["a key without a value is null", "? a\n: 1\n? b\n", { a: 1, b: null }],
    ["a key that is its own text is text", "1: x\ntrue: v\n1.5: z", { "1": "x", true: "v", "1.5": "z" }],
    ["an anchor is used", "a: &x {b: 1}\nc: *x", { a: { b: 1 }, c: { b: 1 } }],
    ["the last anchor of a name counts", "a: &x 1\nb: *x\nc: &x 2\nd: *x", { a: 1, b: 1, c: 2, d: 2 }],
    ["a merge key adds fields", "x: &x {a: 1, b: 2}\nz:\n  <<: *x\n  b: 3", { x: { a: 1, b: 2 }, z: { a: 1, b: 3 } }],
    [
      "the first map of a merge key counts",
      "x: &x {a: 1}\nw: &w {a: 2, c: 1}\nz:\n  <<: [*x, *w]",
      { x: { a: 1 }, w: { a: 2, c: 1 }, z: { a: 1, c: 1 } },
    ],
    ["a merge key may be last", "x: &x {a: 1}\nz:\n  b: 3\n  <<: *x", { x: { a: 1 }, z: { a: 1, b: 3 } }],
    ["a quoted << is a key", "'<<': 1", { "<<": 1 }],
    ["a list is a list", "- 1\n- [a]", [1, ["a"]]],
    ["a byte order mark is ignored", "\ufeffa: 1", { a: 1 }],
    ["%YAML 1.1 is allowed", "%YAML 1.1\n---\na: yes", { a: true }],
    ["Unicode escapes form pairs", 'a: "\\ud83d\\ude00"', { a: "\u{1f600}" }],
  ])("%s", ([, text, want]) => {
    expect(only(text)).toEqual(want);
  });

  test("__proto__ is a key like others", () => {
    const value = only("__proto__: {x: 1}") as object;
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  test("each has its number and line, and those without a value are null", () => {
    expect(readYaml("# head\n---\na: 1\n---\n# nothing\n---\n\nb: 2\n...\n")).toEqual([
      { number: 1, line: 3, value: { a: 1 } },
      { number: 2, line: expect.any(Number), value: null },
      { number: 3, line: 8, value: { b: 2 } },
    ]);
  });

  test.for(["", "# c\n", "---\n", "\n\n"])("the text %j has no value", (text) => {
    expect(readYaml(text).filter(({ value }) => value !== null)).toEqual([]);
  });
});

describe("output of a program, whose keys may be any", () => {
  test.for<[string, string, unknown]>([
    ["the last one of duplicate keys counts", "a: 1\nb: 2\na: {c: 3}", { a: { c: 3 }, b: 2 }],
    ["a key is what YAML 1.1 reads", "on: 1\n0644: 2\nnull: 3\n~: 4\n1.10: 5", { true: 1, "420": 2, null: 4, "1.1": 5 }],
    ["keys before a merge key are overwritten", "a: 1\n<<: {a: 2, b: 3}\nb: 4", { a: 2, b: 4 }],
    ["the last one of two merge keys counts", "<<: {a: 1}\n<<: {a: 2, b: 3}", { a: 2, b: 3 }],
  ])("%s", ([, text, want]) => {
    expect(readYaml(text, { keys: "any" })[0]?.value).toEqual(want);
    expect(() => readYaml(text)).toThrow(YamlError);
  });

  test("is refused where it has no meaning", () => {
    for (const text of ["a: [", "a: !x y", "a: 9007199254740993", "? [a]\n: b"])
      expect(() => readYaml(text, { keys: "any" })).toThrow(YamlError);
  });
});

describe("a broken YAML document", () => {
  test.for<[string, string, { readonly line: number; readonly document?: number; readonly says: string }]>([
    ["a duplicate key", "a: 1\nb: 2\na: 3", { line: 3, says: 'the key "a" occurs twice' }],
    ["a duplicate key by its value", "true: 1\n'true': 2", { line: 2, says: 'the key "true" occurs twice' }],
    ["a key that becomes true", "on: 1", { line: 1, says: 'YAML 1.1 reads the key "on" as true: put it in quotes' }],
    ["a key in octal", "a: 1\n0644: 1", { line: 2, says: 'YAML 1.1 reads the key "0644" as 420: put it in quotes' }],
    ["a key that loses a zero", "1.10: 1", { line: 1, says: 'YAML 1.1 reads the key "1.10" as 1.1: put it in quotes' }],
    ["a null key", "~: 1", { line: 1, says: 'YAML 1.1 reads the key "~" as null: put it in quotes' }],
    ["a list as a key", "? [a]\n: 1", { line: 1, says: "a key must be text, not a list or a map" }],
    [
      "a merge key after a key that it sets",
      "x: &x {a: 1}\nz:\n  a: 7\n  <<: *x",
      { line: 4, says: 'the key << sets "a" too, on which tools disagree: put << first' },
    ],
    ["a merge key with text", "z:\n  <<: 5", { line: 2, says: "the key << needs a map, or a list of maps" }],
    ["two merge keys", "<<: {a: 1}\n<<: {b: 1}", { line: 2, says: "the key << occurs twice: write one with a list" }],
    ["an alias without an anchor", "a: *x", { line: 1, says: "the alias *x has no anchor before it" }],
    ["an alias in its anchor", "a: &a [1, *a]", { line: 1, says: "the alias *a is inside its own anchor" }],
    ["a tag of another tool", "a: 1\nb: !Ref x", { line: 2, says: "the tag !Ref has no meaning in a manifest" }],
    ["binary data", "a: !!binary aGVsbG8=", { line: 1, says: "the tag !!binary has no meaning in a manifest" }],
    ["a value of another type than its tag", "a: !!int x", { line: 1, says: "the value is not of the type !!int" }],
    ["an infinite number", "a: .inf", { line: 1, says: ".inf is not a number that JSON can hold" }],
    [
      "another version of YAML",
      "%YAML 1.2\n---\na: 1",
      { line: 3, says: "%YAML 1.2 is not the version that kubectl reads: remove the line" },
    ],
    ["a later document", "a: 1\n---\nb: 1\nb: 2", { line: 4, document: 2, says: 'the key "b" occurs twice' }],
  ])("is refused with its line: %s", ([, text, { line, document = 1, says }]) => {
    expect(() => readYaml(text)).toThrow(expect.objectContaining({ name: "YamlError", line, document, message: says }));
  });

  test.for<[string, number]>([
    ["a: b: c", 1],
    ["a: 1\nb: {b: c", 2],
    ["a:\n\t- b", 2],
    ["a: @x", 1],
    ['a: 1\nb: "x', 2],
  ])("is refused with the line of the syntax error: %j", ([text, line]) => {
    expect(() => readYaml(text)).toThrow(expect.objectContaining({ name: "YamlError", line, document: 1 }));
  });

  test("is refused without the values that the parser quotes", () => {
    expect(() => readYaml("a: 1\npassword: [x] hunter2")).toThrow(expect.not.stringContaining("hunter2"));
  });

  test("with aliases for billions of values is refused quickly", () => {
    const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
    for (let i = 1; i < 10; i++) lines.push(`a${i}: &a${i} [${Array.from({ length: 10 }, () => `*a${i - 1}`).join(", ")}]`);
    expect(() => readYaml(lines.join("\n"))).toThrow(expect.objectContaining({ message: "the aliases stand for too many values" }));
  });

  test("that is nested too deeply is refused", () => {
    expect(() => readYaml(`a: ${"[".repeat(100_000)}`)).toThrow(expect.objectContaining({ message: "the values are nested too deeply" }));
  });
});
