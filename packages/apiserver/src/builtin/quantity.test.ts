import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalQuantity } from "./quantity.ts";

test.for<[string, string]>([
  ["0", "0"],
  ["-0", "0"],
  ["1", "1"],
  ["+5", "5"],
  ["0.5", "500m"],
  [".5", "500m"],
  ["1.", "1"],
  ["1000m", "1"],
  ["1500m", "1500m"],
  ["1000", "1k"],
  ["1000000k", "1G"],
  ["100000", "100k"],
  ["-1.5", "-1500m"],
  ["1024Mi", "1Gi"],
  ["1.5Gi", "1536Mi"],
  ["0.5Ki", "512"],
  ["1Ki", "1Ki"],
  ["15.625Ki", "16k"],
  ["1e3", "1e3"],
  ["12E2", "1200"],
  ["1e-3", "1e-3"],
  ["0.1n", "1n"],
  ["3.0000000001", "3000000001n"],
])("%s is written as %s", ([given, want]) => expect(canonicalQuantity(given)).toBe(want));

test.for(["", "lots", "5x", "1 Gi", "Ki", "--1", "1.2.3"])("%j is not a quantity", (text) =>
  expect(() => canonicalQuantity(text)).toThrow("quantities must match"),
);

test("an unknown unit has its own error", () => expect(() => canonicalQuantity("5KM")).toThrow("unable to parse quantity's suffix"));

/** The canonical form of a canonical quantity is the same. */
test("the canonical form of a quantity is stable", () => {
  const unit = fc.constantFrom("", "m", "k", "M", "Ki", "Mi", "Gi", "u", "n", "e3");
  fc.assert(
    fc.property(fc.nat({ max: 1_000_000 }), fc.nat({ max: 999 }), unit, (whole, fraction, suffix) => {
      const once = canonicalQuantity(`${whole}.${fraction}${suffix}`);
      expect(canonicalQuantity(once)).toBe(once);
    }),
  );
});
