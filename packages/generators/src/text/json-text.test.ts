import { readYaml } from "@treadle/dependents/unstable/render";
import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonText } from "./json-text.ts";

// Property: Helm reads the values that the author gave.
test("values are read from YAML as they were", () => {
  const text = fc.string({ unit: "grapheme" });
  fc.assert(
    fc.property(fc.dictionary(text, fc.oneof(text, fc.integer(), fc.boolean(), fc.array(text))), (values) => {
      expect(readYaml(jsonText(values))[0]?.value).toEqual(JSON.parse(JSON.stringify(values)));
    }),
  );
  expect(jsonText({ a: "x\u2028\u0085\uFEFF" })).toBe(String.raw`{"a":"x\u2028\u0085\ufeff"}`);
});
