import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { safeText } from "./safe-text.ts";

const none: ReadonlySet<string> = new Set();
const shown = (text: string, values: unknown = {}): string => safeText(text, { values, words: none });

describe("a message of a program", () => {
  test("does not show a negative number of the values", () => {
    expect(shown("minimum: got -3, want 1", { replicas: -3 })).toBe("minimum: got <value>, want 1");
  });

  // Property: each text of one to three characters can be a value. It is hidden where it is quoted.
  test("does not show a short value", () => {
    const value = fc.string({ unit: "binary-ascii", minLength: 1, maxLength: 3 }).filter((text) => text.trim() !== "");
    fc.assert(
      fc.property(value, fc.constantFrom("a", "-x-", "\\d"), (text, other) => {
        expect(shown(`found '~${text.trim()}~' here`, { text, other })).not.toContain(`~${text.trim()}~`);
      }),
    );
  });

  test("shows the path of a file, also if a value is a part of it, and no value that contains it", () => {
    const safe = { values: { name: "web", long: "S3cret1 web.yaml S3cret2" }, words: none, kept: ["web.yaml", "d/web.yaml"] };
    expect(safeText("accumulating: 'web.yaml': web in d/web.yaml: a", safe)).toBe("<value>: 'web.yaml': <value> in d/web.yaml: a");
    expect(safeText("found 'S3cret1 web.yaml S3cret2' and x-web.yaml", safe)).toBe("found '<value>' and x-<value>.yaml");
  });

  test.for([
    "unclosed action",
    "cannot load values.yaml: error converting YAML to JSON: yaml: line 2: mapping values are not allowed in this context",
    "found character that cannot start any token",
    "did not find expected alphabetic or numeric character",
    "chart dependencies processing failed: type mismatch on a",
    "must build at directory: not a valid directory: file is not directory",
    "invalid character 'n' looking for beginning of object key string",
    "invalid character '}' after object key:value pair",
    "unexpected EOF",
    "unexpected {{else}} in end",
    "unterminated quoted string",
    "wrong number of args for a: want 1 got 2",
    "at <.Values>: can't give argument to non-function",
    "nil data; no entry for key",
    "can't evaluate field a in type interface {}",
    "error calling index: index of untyped nil",
    "is not valid against metaschema",
    "undefined variable",
    "range can't iterate over",
    "incompatible types for comparison",
  ])("keeps the words of Helm and Go: %s", (text) => expect(shown(text)).toBe(text));
});
