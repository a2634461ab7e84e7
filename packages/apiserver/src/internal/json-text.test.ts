import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { duplicateMembers, jsonProblem } from "./json-text.ts";

describe("an invalid text has the error of the real server", () => {
  test.for<[string, string]>([
    ["", "unexpected end of JSON input"],
    ["{", "unexpected end of JSON input"],
    ['{"a":1', "unexpected end of JSON input"],
    ['{"a":"x', "unexpected end of JSON input"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ["{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1;', "invalid character ';' after object key:value pair"],
    ['{"a":01}', "invalid character '1' after object key:value pair"],
    ['{"a":1.}', "invalid character '}' after decimal point in numeric literal"],
    ['{"a":-}', "invalid character '}' in numeric literal"],
    ['{"a":1e}', "invalid character '}' in exponent of numeric literal"],
    ['{"a":"\\q"}', "invalid character 'q' in string escape code"],
    ['{"a":"\\u12"}', "invalid character '\"' in \\u hexadecimal character escape"],
    ['{"a":"\u0001"}', "invalid character '\\x01' in string literal"],
    ['{"a":"b\nc"}', "invalid character '\\n' in string literal"],
    ["[1 2]", "invalid character '2' after array element"],
    ["tru", "invalid character ' ' in literal true (expecting 'e')"],
    ["-", "invalid character ' ' in numeric literal"],
    ["truex", "invalid character 'x' after top-level value"],
    ["{} {}", "invalid character '{' after top-level value"],
    ["[".repeat(100_000), "exceeded max depth"],
    ["x", "invalid character 'x' looking for beginning of value"],
  ])("%j", ([text, want]) => expect(jsonProblem(text)).toBe(want));

  /** The reader refuses exactly the texts that JSON.parse refuses. */
  test("a valid text has no error, and a broken one has an error", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.constantFrom(...'{}[]",:x0-.e\\ '), (text, position, character) => {
        expect(jsonProblem(text)).toBe("invalid JSON");
        const at = position % (text.length + 1);
        const changed = text.slice(0, at) + character + text.slice(at);
        expect(jsonProblem(changed) === "invalid JSON").toBe(parses(changed));
      }),
    );
  });
});

describe("duplicate members of a text are found", () => {
  test.for<[string, readonly string[]]>([
    ['{"a":1,"b":{"a":1}}', []],
    ['{"a":1,"a":2,"a":3}', ["a"]],
    ['{"m":{"l":{"a":1,"a":2},"n":1,"n":2},"p":[{"x":1},{"x":1,"x":2}]}', ["m.l.a", "m.n", "p[1].x"]],
    ['{"a":"\\"x\\":1"}', []],
    ['{"a":"\\"x\\":1","\\u0061":2}', ["a"]],
  ])("%s", ([text, want]) => expect(duplicateMembers(text, JSON.parse(text))).toEqual(want));

  test("a text of JSON.stringify has no duplicate members", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(duplicateMembers(text, JSON.parse(text))).toEqual([]);
      }),
    );
  });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
