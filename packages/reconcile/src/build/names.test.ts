import { isDns1123Subdomain, kind, labelKeyProblems, ownerIdLabel } from "@treadle/apimachinery";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Widget } from "../../test/fixtures.ts";
import { defaultName, domainOf, finalizerOf, MAX_NAME_LENGTH, stateAnnotationOf } from "./names.ts";

const of = (plural: string, group: string) => kind({ group, version: "v1", kind: "X", plural });

describe("names", () => {
  test("the default is <plural>.<group>, or the plural alone in the core group", () => {
    expect(defaultName(Widget)).toBe("widgets.test.treadle.dev");
    expect(defaultName(of("pods", ""))).toBe("pods");
  });

  test.for([
    { name: "63 characters stay", plural: "x".repeat(59), want: /^x{59}\.dev$/ },
    { name: "64 characters are cut and hashed", plural: "x".repeat(60), want: /^x{52}-[0-9a-f]{10}$/ },
    { name: "no dot stands before the hash", plural: "x".repeat(51), group: `${"g".repeat(20)}.dev`, want: /^x{51}-[0-9a-f]{10}$/ },
  ])("$name", ({ plural, group = "dev", want }) => {
    expect(defaultName(of(plural, group))).toMatch(want);
  });

  test("two long names that differ only at their ends stay two", () => {
    expect(defaultName(of("x".repeat(60), "a.dev"))).not.toBe(defaultName(of("x".repeat(60), "b.dev")));
  });

  test("finalizer and domain of a core kind are ours", () => {
    expect(finalizerOf(Widget, "n")).toBe("test.treadle.dev/n");
    expect(finalizerOf(of("pods", ""), "pods")).toBe("treadle.dev/pods");
    expect(domainOf({ group: "" })).toBe("treadle.dev");
  });

  // Whatever the kind: the name fits where it stands, and every name made of it is one that the API server takes.
  test("are valid for every kind", () => {
    const label = fc.stringMatching(/^[a-z]([-a-z0-9]{0,40}[a-z0-9])?$/);
    fc.assert(
      fc.property(label, fc.array(label, { minLength: 1, maxLength: 4 }), (plural, group) => {
        const X = of(plural, group.join("."));
        const name = defaultName(X);
        expect(name.length).toBeLessThanOrEqual(MAX_NAME_LENGTH);
        expect(isDns1123Subdomain(name)).toBe(true);
        for (const key of [finalizerOf(X, name), stateAnnotationOf(name), ownerIdLabel(name)]) expect(labelKeyProblems(key)).toEqual([]);
      }),
    );
  });
});
