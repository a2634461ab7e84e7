import fc from "fast-check";
import { expect, test } from "vitest";
import { longestAt, type SortedForm, sortedForms } from "./longest-form.ts";

// The result is that of a search for each form, whatever the forms have in common.
test("the longest form at a position is that of all forms", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 9 });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 40 }), fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 24 }), (list, text) => {
      const forms = sortedForms(new Set(list));
      for (let at = 0; at <= text.length; at++) {
        const lengths = list.filter((form) => text.startsWith(form, at)).map(({ length }) => length);
        expect(longestAt(forms, text, at)).toBe(Math.max(0, ...lengths));
      }
    }),
    { numRuns: 300 },
  );
});

test.for<{ name: string; formOf: (nth: number) => string }>([
  { name: "with a common beginning", formOf: (nth) => `${"a".repeat(1_000)}${String(nth).padStart(5, "0")}` },
  { name: "of which each begins with the others", formOf: (nth) => "a".repeat(nth + 1) },
  {
    name: "of which each begins with the others, and ends otherwise",
    formOf: (nth) => `${"a".repeat(nth >> 1)}${nth % 2 === 0 ? "b" : "a"}`,
  },
])("2,000 forms $name need few steps at each position", ({ formOf }) => {
  const sorted = sortedForms(new Set(Array.from({ length: 2_000 }, (_, nth) => formOf(nth))));
  let steps = 0;
  const counted = new Proxy(sorted, {
    get(list, name) {
      if (name !== "length") steps += 1;
      return Reflect.get(list, name) as SortedForm;
    },
  });
  for (const text of ["a".repeat(4_000), "ab".repeat(2_000), `${"a".repeat(999)}c`.repeat(4)])
    for (let at = 0; at < text.length; at++) longestAt(counted, text, at);
  expect(steps / 12_000).toBeLessThan(45);
});
