import { applyMergePatch, jsonEqual } from "@treadle/apimachinery";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Draft } from "./drafts.ts";

// Tests write whatever they like into a draft.
type Loose = Record<string, unknown>;

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

const loaded = deepFreeze({ count: 1, parts: { a: "x", b: "y" }, list: [{ n: 1 }, { n: 2 }] });
type Loaded = { count?: number; parts: Record<string, string>; list: { n: number }[] };
const draftOf = (): Draft<Loaded> => new Draft(() => loaded as unknown as Loaded);
const looseOf = (value: object): Draft<Loose> => new Draft(() => deepFreeze(value) as Loose);

describe("an unused draft", () => {
  test("has no changes, and is not even loaded", () => {
    let loads = 0;
    const draft = new Draft(() => (loads++, loaded as unknown as Loaded));
    expect(draft.changes()).toBeUndefined();
    draft.take().stored();
    draft.renew();
    draft.close();
    expect(loads).toBe(0);
    expect(draft.value()).toBe(loaded);
  });

  test("reading it changes nothing and copies nothing", () => {
    const draft = draftOf();
    expect(draft.draft.list.map(({ n }) => n)).toEqual([1, 2]);
    expect(draft.changes()).toBeUndefined();
    expect(draft.value()).toBe(loaded);
  });
});

describe("changes", () => {
  test.for<[string, (draft: Loaded) => void, unknown]>([
    ["a member", (d) => void (d.count = 2), { count: 2 }],
    ["a nested member", (d) => void (d.parts["a"] = "z"), { parts: { a: "z" } }],
    ["a new nested member", (d) => void (d.parts["c"] = "z"), { parts: { c: "z" } }],
    ["a removed member", (d) => void delete d.count, { count: null }],
    ["a removed nested member", (d) => void delete d.parts["a"], { parts: { a: null } }],
    ["null, which means removal", (d) => void ((d as { count: unknown }).count = null), { count: null }],
    ["undefined, which means removal", (d) => void ((d as { count: unknown }).count = undefined), { count: null }],
    ["an element: lists are sent whole", (d) => void ((d.list[0] as { n: number }).n = 9), { list: [{ n: 9 }, { n: 2 }] }],
    ["a pushed element", (d) => void d.list.push({ n: 3 }), { list: [{ n: 1 }, { n: 2 }, { n: 3 }] }],
    ["a shortened list", (d) => void (d.list.length = 0), { list: [] }],
    ["a sorted list", (d) => void d.list.reverse(), { list: [{ n: 2 }, { n: 1 }] }],
    ["a Date as its text", (d) => void ((d as { at?: unknown }).at = new Date(0)), { at: "1970-01-01T00:00:00.000Z" }],
    ["what has toJSON as what it says", (d) => void ((d as { at?: unknown }).at = new URL("https://x.dev/a")), { at: "https://x.dev/a" }],
    ["a new object without its undefined members", (d) => void ((d as { o?: unknown }).o = { a: undefined, b: 1 }), { o: { b: 1 } }],
    ["undefined in a list as null, as JSON has it", (d) => void ((d as { l?: unknown }).l = [undefined]), { l: [null] }],
    ["a member named like what objects inherit", (d) => void (d.parts["constructor"] = "c"), { parts: { constructor: "c" } }],
    ["nothing, where it is set to what it was", (d) => void (d.count = 1), undefined],
    ["nothing, where it was changed and changed back", (d) => void ((d.count = 2), (d.count = 1)), undefined],
    ["nothing, where an equal object replaces it", (d) => void (d.parts = { b: "y", a: "x" }), undefined],
    ["nothing, where a member was made and removed", (d) => void ((d.parts["c"] = "z"), delete d.parts["c"]), undefined],
  ])("%s", ([, change, want]) => {
    const draft = draftOf();
    change(draft.draft);
    expect(draft.changes()).toEqual(want);
    expect(loaded, "what is shared stays as it was").toEqual({ count: 1, parts: { a: "x", b: "y" }, list: [{ n: 1 }, { n: 2 }] });
  });

  test("a part put at a second place is there twice, and stays connected", () => {
    const draft = looseOf({ a: { b: 1 } });
    draft.draft["x"] = draft.draft["a"];
    (draft.draft["x"] as { b: number }).b = 2;
    expect(draft.changes()).toEqual({ a: { b: 2 }, x: { b: 2 } });
  });

  test("of an object that the author goes on using: what it is when the changes are asked for counts", () => {
    const draft = looseOf({});
    const mine = { n: 1 };
    draft.draft["mine"] = mine;
    mine.n = 2;
    expect(draft.changes()).toEqual({ mine: { n: 2 } });
  });

  // Whatever is written: the changes, applied to what was loaded, give what the draft says.
  test("lead from what was loaded to what the draft holds", () => {
    const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.integer(), { maxLength: 2 }));
    const tree = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.oneof(leaf, fc.dictionary(fc.constantFrom("d", "e"), leaf)), {
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(tree, tree, fc.boolean(), (before, after, renews) => {
        const draft = looseOf(structuredClone(before));
        for (const key of Object.keys(draft.draft)) if (!(key in after)) delete draft.draft[key];
        if (renews) draft.renew();
        Object.assign(draft.draft, after);
        expect(jsonEqual(draft.value(), after)).toBe(true);
        expect(jsonEqual(applyMergePatch(before, draft.changes() ?? {}), after)).toBe(true);
        expect(draft.changes() === undefined).toBe(jsonEqual(before, after));
      }),
    );
  });
});

describe("a value that is not JSON", () => {
  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;
  test.for<[string, unknown]>([
    ["an object that contains itself", cyclic],
    ["a bigint", 1n],
    ["a Map", new Map([["a", 1]])],
    ["a Set in a list", [new Set([1])]],
    ["an empty Map", { inner: new Map() }],
    ["a promise", Promise.resolve(1)],
    ["an error", new Error("x")],
    ["a regular expression", /x/],
    ["bytes", new Uint8Array(2)],
    ["a member named __proto__", JSON.parse('{ "__proto__": "x" }')],
    ["what throws when it is written down", { toJSON: () => { throw new Error("gotcha"); } }], // biome-ignore format: one line reads better
  ])("%s is found, taken out again, and what was good before stays", ([, value]) => {
    const draft = draftOf();
    draft.draft.count = 2;
    expect(draft.check()).toBeUndefined();
    (draft.draft as { bad?: unknown }).bad = value;
    expect(draft.check()).toBeInstanceOf(TypeError);
    expect(draft.changes()).toEqual({ count: 2 });
    expect(draft.check(), "once found is enough").toBeUndefined();
  });

  test("a draft that contains itself is found too", () => {
    const draft = looseOf({});
    draft.draft["self"] = draft.draft;
    expect(draft.check()?.message).toContain("it contains itself");
    expect(draft.changes()).toBeUndefined();
  });
});

describe("stored", () => {
  test("later changes count from there", () => {
    const draft = draftOf();
    draft.draft.count = 2;
    draft.take().stored();
    expect(draft.changes()).toBeUndefined();
    draft.draft.parts["a"] = "z";
    expect(draft.changes()).toEqual({ parts: { a: "z" } });
  });

  test("going back to what was loaded is a change then", () => {
    const draft = draftOf();
    draft.draft.count = 2;
    draft.take().stored();
    draft.draft.count = 1;
    expect(draft.changes()).toEqual({ count: 1 });
  });

  test("references that the step holds go on working", () => {
    const draft = draftOf();
    const { parts } = draft.draft;
    parts["a"] = "1";
    draft.take().stored();
    parts["a"] = "2";
    expect(draft.changes()).toEqual({ parts: { a: "2" } });
  });
});

describe("renew", () => {
  test("keeps the changes, and kills the references that a step still holds", () => {
    const draft = draftOf();
    const held = draft.draft;
    const inner = held.parts;
    held.count = 2;
    draft.renew();
    expect(() => void (held.count = 3)).toThrow(TypeError);
    expect(() => void (inner["a"] = "late")).toThrow(TypeError);
    expect(draft.changes()).toEqual({ count: 2 });
    draft.draft.parts["a"] = "z";
    expect(draft.changes()).toEqual({ count: 2, parts: { a: "z" } });
  });

  test("keeps objects that the author made and still holds out of reach", () => {
    const draft = looseOf({});
    const mine = { n: 1 };
    draft.draft["mine"] = mine;
    draft.renew();
    mine.n = 2;
    expect(draft.changes()).toEqual({ mine: { n: 1 } });
  });

  test("after stored counts from what was stored", () => {
    const draft = draftOf();
    draft.draft.count = 2;
    draft.take().stored();
    draft.renew();
    draft.draft.count = 3;
    expect(draft.changes()).toEqual({ count: 3 });
  });

  test("a discarded draft drops a value that is not JSON instead of throwing", () => {
    const draft = looseOf({ a: 1 });
    draft.draft["bad"] = 1n;
    draft.renew();
    expect(draft.changes()).toBeUndefined();
  });
});

test("close ends every reference", () => {
  const draft = draftOf();
  const held = draft.draft;
  draft.close();
  expect(() => void (held.count = 3)).toThrow(TypeError);
});
