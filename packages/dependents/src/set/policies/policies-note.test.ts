import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { policiesIn, policiesNote } from "./policies-note.ts";
import { DEFAULT_POLICIES, type Policies } from "./policies.ts";

describe("policiesNote", () => {
  test("the defaults need no note", () => {
    expect(policiesNote(DEFAULT_POLICIES)).toBeUndefined();
  });

  test("policies that matter only while the object is rendered are not noted", () => {
    const policies = { after: ["ConfigMap a"], statusHint: { hasReadyCondition: true }, reclaim: ["helm"], reapplyMs: 1 };
    expect(policiesNote({ ...DEFAULT_POLICIES, ...policies })).toBeUndefined();
  });

  test("the note is compact and has a fixed order", () => {
    const policies: Policies = { ...DEFAULT_POLICIES, onRemoval: "orphan", remove: 2, apply: 1 };
    expect(policiesNote(policies, { inputs: "abc" })).toBe(`{"apply":1,"remove":2,"onRemoval":"orphan","inputs":"abc"}`);
  });
});

describe("policiesIn", () => {
  const defaults = { policies: DEFAULT_POLICIES, inputs: undefined, id: undefined, isRemovalNoted: false };
  test.for<[string, string | undefined]>([
    ["a missing note", undefined],
    ["an empty text", ""],
    ["a broken text", "{"],
    ["null", "null"],
    ["a number", "7"],
    ["a list", "[1]"],
    ["wrong types", `{"apply":"1","purge":1.5,"adopt":7,"onRemoval":"keep","inputs":3,"id":4}`],
    ["an empty id", `{"id":""}`],
    ["unknown members", `{"constructor":"x","later":true}`],
  ])("%s counts as the defaults", ([, text]) => {
    expect(policiesIn(text)).toEqual(defaults);
  });

  // Property: what later passes need is read back as it was noted.
  test("noted policies are read back", () => {
    const order = fc.integer({ min: -32_768, max: 32_767 });
    const policies = fc.record({
      apply: order,
      purge: fc.option(order, { nil: undefined }),
      remove: order,
      adopt: fc.constantFrom("never" as const, "ifUnowned" as const, "force" as const),
      update: fc.constantFrom("apply" as const, "apply-and-reclaim" as const, "replace" as const, "recreate" as const),
      reconcile: fc.constantFrom("on-object-change" as const, "on-object-or-component-change" as const, "once" as const),
      onRemoval: fc.constantFrom("delete" as const, "orphan" as const, "orphan-on-apply" as const, "orphan-on-delete" as const),
    });
    fc.assert(
      fc.property(
        policies,
        fc.option(fc.string(), { nil: undefined }),
        fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
        (given, inputs, id) => {
          const all = { ...DEFAULT_POLICIES, ...given };
          expect(policiesIn(policiesNote(all, { inputs, id }))).toEqual({
            policies: all,
            inputs,
            id,
            isRemovalNoted: given.onRemoval !== "delete",
          });
        },
      ),
    );
  });
});
