import { describe, expect, test } from "vitest";
import { between, check, each, fields, mustBeOneOf, needed, type Rule, required, unchanged, unique } from "./spot.ts";

function found(object: unknown, rule: Rule): readonly string[] {
  return check(object, rule).map(({ field, body }) => `${field}: ${body}`);
}

describe("rules", () => {
  const port = fields({ name: required, port: needed(between(1, 9)), protocol: mustBeOneOf("TCP", "UDP") });

  test("report in the order of the table, with the path of each item", () => {
    const object = {
      spec: {
        ports: [
          { name: "a", port: 10, protocol: "X" },
          { port: 1, protocol: "TCP" },
        ],
      },
    };
    expect(found(object, fields({ spec: fields({ ports: each(port) }) }))).toEqual([
      "spec.ports[0].port: Invalid value: 10: must be between 1 and 9, inclusive",
      'spec.ports[0].protocol: Unsupported value: "X": supported values: "TCP", "UDP"',
      "spec.ports[1].name: Required value",
    ]);
  });

  test("accept absent values, and values of another type", () => {
    for (const object of [{}, { spec: null }, { spec: 5 }, { spec: { ports: "none" } }, null])
      expect(found(object, fields({ spec: fields({ ports: each(port) }) }))).toEqual([]);
  });

  test("report duplicates and changes", () => {
    expect(
      found(
        ["a", "b", "a"],
        unique(({ text }) => text),
      ),
    ).toEqual(['[2]: Duplicate value: "a"']);
    expect(found({ a: { b: 1 } }, fields({ a: unchanged({ b: 2 }) }))).toEqual(['a: Invalid value: {"b":1}: field is immutable']);
    expect(found({ a: { b: 1 } }, fields({ a: unchanged({ b: 1 }) }))).toEqual([]);
  });
});
