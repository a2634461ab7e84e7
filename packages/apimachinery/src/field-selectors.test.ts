import fc from "fast-check";
import { expect, test } from "vitest";
import { formatFieldSelector, matchesFields, parseFieldSelector } from "./field-selectors.ts";
import { SelectorError } from "./label-selectors.ts";

const pod = {
  metadata: { name: "a", namespace: "ns", labels: { "x.y": "z" } },
  spec: { nodeName: "", hostNetwork: true },
  status: { phase: "Running", restarts: 3 },
};

test.for([
  { selector: "", want: true },
  { selector: "metadata.name=a", want: true },
  { selector: "metadata.name==a,status.phase!=Pending", want: true },
  { selector: "metadata.name=a,status.phase=Pending", want: false },
  { selector: "spec.nodeName=", want: true },
  { selector: "spec.absent=", want: true },
  { selector: "spec.absent!=x", want: true },
  { selector: "spec.hostNetwork=true", want: true },
  { selector: "status.restarts=3", want: true },
  { selector: "spec.toString=", want: true },
  { selector: ",,metadata.name=a,", want: true },
])("$selector selects the pod: $want", ({ selector, want }) => {
  expect(matchesFields(parseFieldSelector(selector), pod)).toBe(want);
});

test.for([
  { selector: "metadata.name", want: "invalid selector: 'metadata.name'; can't understand 'metadata.name'" },
  { selector: "a=b=c", want: "invalid field selector: unescaped character in value: 61" },
  { selector: "a=b\\", want: "invalid field selector: invalid escape sequence: \\" },
  { selector: "a=\\b", want: "invalid field selector: invalid escape sequence: \\b" },
])("parseFieldSelector refuses $selector with the server's text", ({ selector, want }) => {
  expect(() => parseFieldSelector(selector)).toThrow(new SelectorError(want));
});

test("values of a field selector may contain characters of the syntax", () => {
  expect(parseFieldSelector("a=b\\,c\\=d\\\\")).toEqual([{ path: "a", operator: "=", value: "b,c=d\\" }]);
});

test("any value of a field selector survives formatting and parsing", () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      const selector = [{ path: "spec.x", operator: "=", value }] as const;
      expect(parseFieldSelector(formatFieldSelector(selector))).toEqual(selector);
    }),
  );
});
