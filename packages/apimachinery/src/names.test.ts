import fc from "fast-check";
import { expect, test } from "vitest";
import { gvkOf, gvrOf, groupResourceOf, isOfKind, parseApiVersion } from "./gvk.ts";
import { dns1035LabelProblems, isDns1123Label, isDns1123Subdomain, labelKeyProblems, labelValueProblems, shortenName } from "./names.ts";

test.for([
  { name: "a", label: true, subdomain: true },
  { name: "a-1", label: true, subdomain: true },
  { name: "1a", label: true, subdomain: true },
  { name: "a.b", label: false, subdomain: true },
  { name: "A", label: false, subdomain: false },
  { name: "-a", label: false, subdomain: false },
  { name: "a-", label: false, subdomain: false },
  { name: "a..b", label: false, subdomain: false },
  { name: "a_b", label: false, subdomain: false },
  { name: "", label: false, subdomain: false },
  { name: "a\n", label: false, subdomain: false },
  { name: "a".repeat(63), label: true, subdomain: true },
  { name: "a".repeat(64), label: false, subdomain: true },
  { name: "a".repeat(254), label: false, subdomain: false },
])("$name is a DNS label: $label, a subdomain: $subdomain", ({ name, label, subdomain }) => {
  expect(isDns1123Label(name)).toBe(label);
  expect(isDns1123Subdomain(name)).toBe(subdomain);
});

test("a DNS-1035 label begins with a letter", () => {
  expect(dns1035LabelProblems("v1")).toEqual([]);
  expect(dns1035LabelProblems("1v")).toHaveLength(1);
});

test.for([
  { key: "app", want: true },
  { key: "example.com/app_x.Y", want: true },
  { key: "Example.com/app", want: false },
  { key: "/app", want: false },
  { key: "example.com/", want: false },
  { key: "a/b/c", want: false },
  { key: `example.com/${"a".repeat(63)}`, want: true },
  { key: `example.com/${"a".repeat(64)}`, want: false },
])("$key is a label key: $want", ({ key, want }) => {
  expect(labelKeyProblems(key).length === 0).toBe(want);
});

test("a label value may be empty", () => {
  expect(labelValueProblems("")).toEqual([]);
  expect(labelValueProblems("a b")).toHaveLength(1);
});

/**
 * Invariants: 1. The result is at most `max` long. 2. Short names do not change. 3. A DNS name stays valid.
 * 4. Different names stay different.
 */
test("shortenName keeps names valid and different", () => {
  const name = fc.stringMatching(/^[a-z0-9]([-a-z0-9.]{0,200}[a-z0-9])?$/).filter(isDns1123Subdomain);
  fc.assert(
    fc.property(name, name, fc.integer({ min: 12, max: 80 }), (a, b, max) => {
      const short = shortenName(a, max);
      expect(short.length).toBeLessThanOrEqual(max);
      if (a.length <= max) expect(short).toBe(a);
      expect(isDns1123Subdomain(short)).toBe(true);
      expect(short === shortenName(b, max)).toBe(a === b);
    }),
  );
});

test("names that differ beyond the limit get different hashes", () => {
  const long = `${"a".repeat(70)}.example.com`;
  expect(shortenName(`${long}1`, 63)).not.toBe(shortenName(`${long}2`, 63));
  expect(shortenName(`${long}1`, 63)).toHaveLength(63);
  expect(() => shortenName(long, 5)).toThrow(RangeError);
});

test.for([
  { apiVersion: "v1", want: { group: "", version: "v1" } },
  { apiVersion: "apps/v1", want: { group: "apps", version: "v1" } },
])("parseApiVersion parses $apiVersion", ({ apiVersion, want }) => {
  expect(parseApiVersion(apiVersion)).toEqual(want);
});

test.for(["", "apps/", "a/b/c"])("parseApiVersion refuses %j", (apiVersion) => {
  expect(() => parseApiVersion(apiVersion)).toThrow();
});

test("gvkOf, gvrOf and isOfKind agree on kinds and objects", () => {
  const kind = { group: "apps", version: "v1", kind: "Deployment", plural: "deployments" };
  expect(gvkOf({ apiVersion: "apps/v1", kind: "Deployment" })).toEqual({ group: "apps", version: "v1", kind: "Deployment" });
  expect(gvrOf(kind)).toEqual({ group: "apps", version: "v1", resource: "deployments" });
  expect(groupResourceOf(kind)).toBe("deployments.apps");
  expect(groupResourceOf({ group: "", plural: "pods" })).toBe("pods");
  expect(isOfKind({ apiVersion: "apps/v1", kind: "Deployment" }, kind)).toBe(true);
  expect(isOfKind({ apiVersion: "apps/v1beta1", kind: "Deployment" }, kind)).toBe(false);
});
