import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyDefaults, pruneObject } from "./coerce.ts";
import { formatError } from "./string-formats.ts";
import { compilePattern } from "./pattern.ts";
import { compileSchema } from "./schema.ts";
import { schemaErrors } from "./validate-object.ts";
import { freezeJson, type JsonObject } from "../internal/json.ts";

const schema = compileSchema({
  type: "object",
  properties: {
    a: { type: "string", default: "x" },
    b: { type: "object", properties: { c: { type: "integer", default: 1 } } },
    l: { type: "array", items: { type: "object", properties: { c: { type: "integer", default: 2 } } } },
    m: { type: "object", additionalProperties: { type: "object", properties: { c: { type: "integer", default: 3 } } } },
    any: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    embedded: { type: "object", "x-kubernetes-embedded-resource": true, properties: { spec: { type: "object" } } },
  },
});
const field = fc.constantFrom("a", "b", "c", "l", "m", "any", "embedded", "kind", "metadata", "other", "constructor");
const { object } = fc.letrec<{ value: unknown; object: JsonObject }>((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, fc.constantFrom<unknown>(null, 1, "x", true), fc.array(tie("value"), { maxLength: 3 }), tie("object")),
  object: fc.array(fc.tuple(field, tie("value")), { maxLength: 5 }).map((pairs) => Object.fromEntries(pairs)),
}));

// For any object, valid or not: the input is not modified (it is frozen), a second run changes nothing (and returns the same reference),
// and pruning after defaulting does not remove defaults.
test("pruning and defaulting are idempotent and do not modify their input", () => {
  fc.assert(
    fc.property(object, (given) => {
      const frozen = freezeJson(given);
      const once = applyDefaults(pruneObject(frozen, schema), schema);
      expect(pruneObject(once, schema)).toBe(once);
      expect(applyDefaults(once, schema)).toBe(once);
    }),
  );
});

// A value that is valid without an old value is valid with any. An unchanged value is always valid. An error with an old value is also
// one without it.
test("an old value only removes errors, and an unchanged object has none", () => {
  const one = (value: unknown, old?: unknown): readonly string[] =>
    schemaErrors({ value, schema, path: "", old: old === undefined ? undefined : { value: old } }).map((error) => error.field + error.body);
  fc.assert(
    fc.property(object, object, (value, old) => {
      const alone = one(value);
      expect(alone).toEqual(expect.arrayContaining([...one(value, old)]));
      expect(one(value, structuredClone(value))).toEqual([]);
    }),
  );
});

describe("formats", () => {
  test.for([
    ["date-time", "2026-01-01T00:00:00Z", true],
    ["date-time", "yesterday", false],
    ["date", "2026-02-30T", false],
    ["duration", "1h30m", true],
    ["duration", "soon", false],
    ["ipv4", "10.0.0.1", true],
    ["ipv4", "10.0.0.300", false],
    ["ipv6", "::1", true],
    ["cidr", "10.0.0.0/8", true],
    ["cidr", "10.0.0.0/33", false],
    ["uuid", "123e4567-e89b-12d3-a456-426614174000", true],
    ["uuid", "123", false],
    ["byte", "YQ==", true],
    ["byte", "a", false],
    ["email", "a@b", true],
    ["hostname", "-a", false],
    ["my-own", "anything", true],
  ] as const)("%s of %s", ([format, text, isValid]) => expect(formatError(format, text)).toBe(!isValid));
});

describe("a pattern in RE2's syntax is translated", () => {
  test.for([
    ["(?i)^abc$", "ABC", true],
    ["^[[:alpha:]]+$", "ab1", false],
    ["^(?P<name>a)\\z", "a", true],
    ["^\\-a$", "-a", true],
    ["^\\p{Lu}$", "Ä", true],
  ] as const)("%s", ([pattern, text, matches]) => expect(compilePattern(pattern)?.test(text)).toBe(matches));

  test("an invalid pattern is refused", () => expect(compilePattern("(")).toBeUndefined());
});
