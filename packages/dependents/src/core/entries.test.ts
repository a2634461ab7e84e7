import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type DependentEntry, dependentsOf, mergeDependents, type NewEntry, worstDependent } from "./entries.ts";

const AT = "2026-01-01T00:00:00Z";
const nowMs = Date.parse("2026-01-01T01:00:00.123Z");
const LATER = "2026-01-01T01:00:00Z";
const fresh = (given: Partial<NewEntry> = {}): NewEntry => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  name: "a",
  namespace: "ns",
  type: "Ready",
  reason: "Ready",
  message: "",
  ...given,
});
const stored = (given: Partial<DependentEntry> = {}): DependentEntry => ({
  step: "config",
  ...fresh(given),
  lastTransitionTime: AT,
  ...given,
});

describe("mergeDependents", () => {
  const merge = (before: readonly DependentEntry[], entries: readonly NewEntry[] | "keep", handler?: string): readonly DependentEntry[] =>
    mergeDependents(before, [{ step: "config", entries }], { handler, nowMs });

  test("the time moves when the type does", () => {
    expect(merge([stored()], [fresh({ type: "Failed", reason: "Boom" })])).toEqual([
      stored({ type: "Failed", reason: "Boom", lastTransitionTime: LATER }),
    ]);
  });

  test("the time stays when only words change", () => {
    const before = [stored({ type: "Pending", reason: "NotReady", message: "0 of 3" })];
    expect(merge(before, [fresh({ type: "Pending", reason: "NotReady", message: "1 of 3" })])).toEqual([
      stored({ type: "Pending", reason: "NotReady", message: "1 of 3" }),
    ]);
  });

  test("another version of the API is the same object", () => {
    const before = [stored({ apiVersion: "apps/v1beta1", kind: "Deployment" })];
    expect(merge(before, [fresh({ apiVersion: "apps/v1", kind: "Deployment" })])[0]).toMatchObject({
      apiVersion: "apps/v1",
      lastTransitionTime: AT,
    });
  });

  test("another name is another object: known since now", () => {
    expect(merge([stored()], [fresh({ name: "b" })])).toEqual([stored({ name: "b", lastTransitionTime: LATER })]);
  });

  test("what the step keeps no more is removed", () => {
    expect(merge([stored()], [])).toEqual([]);
  });

  test("nothing new is the very same list", () => {
    const before = [stored({ attributes: [{ name: "pod", value: "a-1" }] })];
    expect(merge(before, [fresh({ attributes: [{ name: "pod", value: "a-1" }] })])).toBe(before);
    expect(merge(before, "keep")).toBe(before);
  });

  test("entries of other handlers stay", () => {
    const others = [stored({ handler: "other" }), { ...stored({ handler: "other", step: "x" }), unknown: 1 }];
    expect(merge([...others, stored()], [fresh({ type: "Failed" })])).toEqual([
      ...others,
      stored({ type: "Failed", lastTransitionTime: LATER }),
    ]);
    expect(merge([stored()], [fresh()], "mine")).toEqual([stored(), stored({ handler: "mine", lastTransitionTime: LATER })]);
  });

  test.for([
    null,
    "text",
    {},
    { step: "config" },
    { ...stored(), step: undefined },
    { ...stored(), apiVersion: 1 },
    { ...stored(), handler: {} },
    { ...stored({ handler: "other" }), lastTransitionTime: "yesterday" },
  ])("%j is no entry: it goes, unless the pass is none that may say so", (given) => {
    const none = given as unknown as DependentEntry;
    expect(merge([none, stored()], [fresh()])).toEqual([stored()]);
    expect(merge([none], [fresh()])).toEqual([stored({ lastTransitionTime: LATER })]);
    expect(merge([none], "keep")).toEqual([]);
    const before = [none, stored()];
    expect(mergeDependents(before, [{ step: "config", entries: "keep" }], { handler: undefined, nowMs, keepsUnknown: true })).toBe(before);
    expect(dependentsOf({ status: { dependents: before } })).toEqual([stored()]);
  });

  test("entries of steps that the handler does not have any more go, unless the pass is none that may say so", () => {
    const gone = stored({ step: "gone" });
    const other = stored({ step: "gone", handler: "other" });
    expect(merge([gone, other, stored()], "keep")).toEqual([stored(), other]);
    expect(merge([gone, other, stored()], [fresh()])).toEqual([stored(), other]);
    expect(mergeDependents([gone, other], [], { handler: undefined, nowMs })).toEqual([other]);
    const before = [gone, other, stored()];
    expect(mergeDependents(before, [{ step: "config", entries: "keep" }], { handler: undefined, nowMs, keepsUnknown: true })).toBe(before);
  });
});

// Invariant: two handlers that write in turn come to rest, whatever the list was.
test("two handlers never move each other's entries", () => {
  const names = fc.uniqueArray(fc.constantFrom("a", "b", "c"));
  const list = fc.uniqueArray(fc.record({ handler: fc.constantFrom(undefined, "other"), name: fc.constantFrom("a", "b", "c") }), {
    comparator: isDeepStrictEqual,
  });
  fc.assert(
    fc.property(list, names, names, (given, mine, theirs) => {
      const say = (before: readonly DependentEntry[], handler: string | undefined, wanted: readonly string[]): readonly DependentEntry[] =>
        mergeDependents(before, [{ step: "config", entries: wanted.map((name) => fresh({ name })) }], { handler, nowMs });
      let entries: readonly DependentEntry[] = given.map(({ handler, name }) =>
        stored({ name, ...(handler === undefined ? {} : { handler }) }),
      );
      for (let i = 0; i < 2; i++) entries = say(say(entries, undefined, mine), "other", theirs);
      expect(say(entries, undefined, mine)).toBe(entries);
      expect(say(entries, "other", theirs)).toBe(entries);
    }),
  );
});

test("a status without entries has none", () => {
  for (const object of [{}, { status: null }, { status: {} }, { status: { dependents: "?" } }]) expect(dependentsOf(object)).toEqual([]);
});

// Invariants: of all orders of a list the worst is the same; it is no better than any other.
test("the worst dependent does not depend on the order", () => {
  const rank = (type: string): number => ["Failed", "Pending", "Unknown", "Ready"].indexOf(type === "Linking" ? "Unknown" : type);
  const entry = fc
    .record({ type: fc.constantFrom("Failed", "Pending", "Unknown", "Linking", "Ready"), name: fc.constantFrom("a", "b", "c") })
    .map((given) => stored(given));
  fc.assert(
    fc.property(fc.uniqueArray(entry, { comparator: isDeepStrictEqual, selector: ({ name }) => name }), (entries) => {
      const worst = worstDependent(entries);
      expect(worstDependent(entries.toReversed())).toEqual(worst);
      for (const each of entries) expect(rank(worst?.type ?? "")).toBeLessThanOrEqual(rank(each.type));
    }),
  );
  expect(worstDependent([])).toBeUndefined();
});
