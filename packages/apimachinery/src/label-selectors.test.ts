import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  formatLabelSelector,
  type LabelRequirements,
  labelRequirements,
  matchesLabels,
  parseLabelSelector,
  SelectorError,
} from "./label-selectors.ts";

describe("parsing", () => {
  test("every operator in one selector, sorted by key", () => {
    expect(parseLabelSelector("h,a=b,c!=d,e in (x,y),f notin (z),!g,i>3,j<4,k==l")).toEqual([
      { key: "a", operator: "=", values: ["b"] },
      { key: "c", operator: "!=", values: ["d"] },
      { key: "e", operator: "in", values: ["x", "y"] },
      { key: "f", operator: "notin", values: ["z"] },
      { key: "g", operator: "!", values: [] },
      { key: "h", operator: "exists", values: [] },
      { key: "i", operator: "gt", values: ["3"] },
      { key: "j", operator: "lt", values: ["4"] },
      { key: "k", operator: "=", values: ["l"] },
    ]);
  });

  test.for([
    { text: "", want: "", reason: "an empty selector selects everything" },
    { text: "  a = b , c ", want: "a=b,c", reason: "spaces have no meaning" },
    { text: "a=", want: "a=", reason: "an empty value is a value" },
    { text: "a!=,b", want: "a!=,b", reason: "an empty value before a comma" },
    { text: "a in ()", want: "a in ()", reason: "an empty set has the empty value" },
    { text: "a in (,)", want: "a in ()", reason: "commas alone separate empty values" },
    { text: "a in (b,,c)", want: "a in (,b,c)", reason: "a value between two commas may be empty" },
    { text: "a in (b,b)", want: "a in (b)", reason: "values are a set" },
    { text: "in", want: "in", reason: "the words in and notin may be keys" },
    { text: "notin=in", want: "notin=in", reason: "the words in and notin may be values" },
    { text: "in in (in)", want: "in in (in)", reason: "the word in may be key, operator and value" },
    { text: "example.com/name=x", want: "example.com/name=x", reason: "a key may have a prefix" },
    { text: "a notin(b)", want: "a notin (b)", reason: "no space is needed before the parenthesis" },
  ])("$text: $reason", ({ text, want }) => {
    expect(formatLabelSelector(parseLabelSelector(text))).toBe(want);
  });

  test.for([
    { text: "a b", want: "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt" },
    { text: "a in b", want: "unable to parse requirement: found 'b' expected: '('" },
    { text: "a in (b", want: "unable to parse requirement: found '', expected: ',' or ')'" },
    { text: "a in (b,", want: "unable to parse requirement: found '', expected: ',', or identifier" },
    { text: "!a=b", want: "found '=', expected: ',' or 'end of string'" },
    { text: "a in (b c)", want: "unable to parse requirement: found 'c', expected: ',' or ')'" },
    { text: "a=b c", want: "found 'c', expected: ',' or 'end of string'" },
    { text: "a=b,", want: "found '', expected: identifier after ','" },
    { text: ",a", want: "found ',', expected: !, identifier, or 'end of string'" },
    { text: "=a", want: "found '=', expected: !, identifier, or 'end of string'" },
    { text: "!", want: "unable to parse requirement: found '', expected: identifier" },
    { text: "a==(b", want: "unable to parse requirement: found '(', expected: identifier" },
    {
      text: "a>b",
      want: `unable to parse requirement: values[0]: Invalid value: "b": for 'Gt', 'Lt' operators, the value must be an integer`,
    },
  ])("parseLabelSelector refuses $text with the server's text", ({ text, want }) => {
    expect(() => parseLabelSelector(text)).toThrow(new SelectorError(want));
  });

  test("an invalid key or value is refused and named", () => {
    expect(() => parseLabelSelector("-a=b")).toThrow(/^unable to parse requirement: <nil>: Invalid value: "-a": name part must consist of/);
    expect(() => parseLabelSelector("a/b/c=d")).toThrow(/Invalid value: "a\/b\/c": a valid label key must consist of/);
    expect(() => parseLabelSelector("a=-b")).toThrow(
      /^unable to parse requirement: values\[0\]\[a\]: Invalid value: "-b": a valid label must be/,
    );
    expect(() => parseLabelSelector(`a=${"x".repeat(64)}`)).toThrow(/must be no more than 63 bytes/);
  });
});

describe("selector objects", () => {
  test("matchLabels and matchExpressions are one set of requirements", () => {
    const requirements = labelRequirements({
      matchLabels: { app: "x" },
      matchExpressions: [
        { key: "tier", operator: "In", values: ["a", "b"] },
        { key: "old", operator: "DoesNotExist" },
        { key: "env", operator: "Exists" },
        { key: "zone", operator: "NotIn", values: ["z"] },
      ],
    });
    expect(formatLabelSelector(requirements)).toBe("app=x,env,!old,tier in (a,b),zone notin (z)");
  });

  test.for([
    { given: { key: "a", operator: "In", values: [] }, want: /values set can't be empty/ },
    { given: { key: "a", operator: "Exists", values: ["b"] }, want: /values set must be empty for exists and does not exist/ },
    { given: { key: "a", operator: "Equals", values: ["b"] }, want: /"Equals" is not a valid label selector operator/ },
    { given: { key: "a", operator: "toString", values: ["b"] }, want: /"toString" is not a valid label selector operator/ },
    { given: { key: "", operator: "Exists" }, want: /key: Invalid value: "": name part must be non-empty/ },
  ])("refuses $given.operator with $given.values", ({ given, want }) => {
    // cast: the test is about input without type checks
    expect(() => labelRequirements({ matchExpressions: [given as never] })).toThrow(want);
  });
});

describe("matching", () => {
  test.for([
    { selector: "", labels: {}, want: true },
    { selector: "a=b", labels: { a: "b" }, want: true },
    { selector: "a=b", labels: { a: "c" }, want: false },
    { selector: "a=", labels: {}, want: false },
    { selector: "a!=b", labels: {}, want: true },
    { selector: "a notin (b)", labels: {}, want: true },
    { selector: "a in (b,c)", labels: { a: "c" }, want: true },
    { selector: "!a", labels: { a: "" }, want: false },
    { selector: "a", labels: { a: "" }, want: true },
    { selector: "a>9223372036854775806", labels: { a: "9223372036854775807" }, want: true },
    { selector: "a>1", labels: { a: "x" }, want: false },
    { selector: "a>1", labels: {}, want: false },
    { selector: "a<1", labels: { a: "-5" }, want: true },
    { selector: "toString", labels: {}, want: false },
  ])("$selector selects $labels: $want", ({ selector, labels, want }) => {
    expect(matchesLabels(parseLabelSelector(selector), labels)).toBe(want);
  });

  test("absent labels match like empty labels", () => {
    expect(matchesLabels({ matchLabels: { a: "b" } }, undefined)).toBe(false);
    expect(matchesLabels({}, undefined)).toBe(true);
  });
});

/**
 * Invariants: 1. Formatting and parsing a selector gives the same selector.
 * 2. Of a term and its negation, exactly one selects given labels.
 */
describe("properties", () => {
  const word = fc.stringMatching(/^[a-z]([a-z0-9.-]{0,5}[a-z0-9])?$/);
  const requirement = fc.oneof(
    fc.record({ key: word, operator: fc.constantFrom("=" as const, "!=" as const), values: fc.tuple(fc.oneof(word, fc.constant(""))) }),
    fc.record({
      key: word,
      operator: fc.constantFrom("in" as const, "notin" as const),
      values: fc.uniqueArray(word, { minLength: 1 }).map((values) => values.toSorted()),
    }),
    fc.record({ key: word, operator: fc.constantFrom("exists" as const, "!" as const), values: fc.constant([]) }),
    fc.record({
      key: word,
      operator: fc.constantFrom("gt" as const, "lt" as const),
      values: fc.tuple(fc.integer().map(String)).filter(([n]) => !n.startsWith("-")),
    }),
  );

  test("text and requirements are two forms of one selector", () => {
    fc.assert(
      fc.property(fc.uniqueArray(requirement, { selector: ({ key }) => key }), (requirements: LabelRequirements) => {
        const parsed = parseLabelSelector(formatLabelSelector(requirements));
        expect(parsed).toEqual(requirements.toSorted((a, b) => (a.key < b.key ? -1 : 1)));
      }),
    );
  });

  test("a term and its negation select all objects between them, and none twice", () => {
    const pairs = [
      ["a=b", "a!=b"],
      ["a in (b,c)", "a notin (b,c)"],
      ["a", "!a"],
    ] as const;
    fc.assert(
      fc.property(
        fc.constantFrom(...pairs),
        fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom("b", "c", "d", "")),
        ([term, negation], labels) => {
          expect(matchesLabels(parseLabelSelector(term), labels)).toBe(!matchesLabels(parseLabelSelector(negation), labels));
        },
      ),
    );
  });
});
