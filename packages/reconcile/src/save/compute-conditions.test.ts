import type { Condition } from "@treadle/apimachinery";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runtimeOf, type StepRuntime } from "../build/step-runtime.ts";
import { anyKind, step } from "../step.ts";
import { computeConditions, conditionsSoFar, type ConditionFacts } from "./compute-conditions.ts";
import type { PipelineConditions } from "../build/pipeline.ts";
import type { PassType, Progress, Setting } from "../record/progress.ts";

const NOW = Date.UTC(2026, 0, 1, 12);
const T0 = "2025-01-01T00:00:00Z";
const T1 = "2026-01-01T12:00:00Z";

function stepWith(name: string, ...types: readonly (string | { type: string; ready: "ignored" })[]): StepRuntime {
  return runtimeOf(step(anyKind<object>(), { name, conditions: types as readonly string[] })) as StepRuntime;
}

const a = stepWith("a", "A");
const b = stepWith("b", "B");
const c = stepWith("c", "C");

function rulesOf(leaves: readonly StepRuntime[], computesReady = true): PipelineConditions {
  const declared = new Map(
    leaves.flatMap((s) => s.conditions.map(({ type, counts }) => [type, { step: s, counts: counts && type !== "Ready" }] as const)),
  );
  return { computesReady, keepsObservedGeneration: true, declared };
}

function facts(given: Partial<ConditionFacts> & { readonly leaves: readonly StepRuntime[] }): ConditionFacts {
  const progress = new Map<StepRuntime, Progress>(given.leaves.map((s) => [s, { type: "done" }]));
  return { type: "full", settings: new Map(), progress, trouble: undefined, generation: 3, nowMs: NOW, ...given };
}

function compute(
  given: Partial<ConditionFacts> & { readonly leaves: readonly StepRuntime[] },
  live: readonly Condition[] = [],
  writtenByUs: readonly string[] = [],
): Record<string, string> {
  const result = computeConditions(rulesOf(given.leaves), facts(given), { conditions: live, writtenByUs: new Set(writtenByUs) });
  return Object.fromEntries(result.map(({ type, status, reason, message }) => [type, `${status}/${reason}: ${message}`]));
}

function condition(type: string, status: Condition["status"], reason: string, message = ""): Condition {
  return { type, status, reason, message, lastTransitionTime: T0, observedGeneration: 1 };
}

const yes: Setting = { status: "True", reason: "Fine", message: "" };

describe("a pass that ran its chain", () => {
  test("says of a step that was not reached which step it waits for", () => {
    const progress = new Map<StepRuntime, Progress>([
      [a, { type: "done" }],
      [b, { type: "wait", reason: "for rain" }],
    ]);
    expect(compute({ leaves: [a, b, c], settings: new Map([["A", yes]]), progress })).toEqual({
      A: "True/Fine: ",
      B: "Unknown/Waiting: for rain",
      C: 'Unknown/NotReached: waiting for step "b"',
      Ready: "Unknown/Waiting: B: for rain",
    });
  });

  test.for([
    { name: "set nothing", progress: { type: "done" }, want: 'Unknown/NotReported: step "a" did not report it' },
    { name: "waits", progress: { type: "wait", reason: "r" }, want: "Unknown/Waiting: r" },
    { name: "stopped", progress: { type: "stop", reason: "r" }, want: "Unknown/Stopped: r" },
    {
      name: "failed",
      progress: { type: "failed", error: Object.assign(new Error("boom"), { code: "ERR_NO_LUCK" }) },
      want: "False/NoLuck: boom",
    },
    { name: "failed without a code", progress: { type: "failed", error: new Error("boom") }, want: "False/Error: boom" },
  ] as const)("a step that $name and did not set its condition", ({ progress, want }) => {
    expect(compute({ leaves: [a], progress: new Map([[a, progress as Progress]]) })["A"]).toBe(want);
  });

  test("a failed step keeps what it had set in this pass, and Ready still names the failure", () => {
    const progress = new Map<StepRuntime, Progress>([[a, { type: "failed", error: new Error("boom") }]]);
    expect(compute({ leaves: [a], settings: new Map([["A", yes]]), progress })).toEqual({
      A: "True/Fine: ",
      Ready: 'False/Error: step "a": boom',
    });
  });

  test("keep leaves the last pass's value, and NotReported where there was none", () => {
    const settings = new Map([
      ["A", "keep" as const],
      ["B", "keep" as const],
    ]);
    expect(compute({ leaves: [a, b], settings }, [condition("A", "False", "Old", "text")])).toMatchObject({
      A: "False/Old: text",
      B: 'Unknown/NotReported: step "b" did not report it',
      Ready: "False/Old: A: text",
    });
  });

  test("a stale True does not outlive the pass that does not reach its step", () => {
    const progress = new Map<StepRuntime, Progress>([[a, { type: "failed", error: new Error("boom") }]]);
    expect(compute({ leaves: [a, b], progress }, [condition("B", "True", "Fine")])["B"]).toBe('Unknown/NotReached: waiting for step "a"');
  });

  test("Ready prefers False to Unknown, then the step that stands first, and keeps a % as it is", () => {
    const settings = new Map<string, Setting>([
      ["A", { status: "Unknown", reason: "U", message: "u" }],
      ["B", { status: "False", reason: "F1", message: "100% sure %s" }],
      ["C", { status: "False", reason: "F2", message: "second" }],
    ]);
    expect(compute({ leaves: [a, b, c], settings })["Ready"]).toBe("False/F1: B: 100% sure %s");
  });

  test("a condition that is ignored does not count for Ready", () => {
    const ignored = stepWith("i", { type: "I", ready: "ignored" });
    expect(compute({ leaves: [ignored], settings: new Map([["I", { status: "False", reason: "No", message: "" }]]) })["Ready"]).toBe(
      "True/Ready: ",
    );
  });

  test("a post that failed keeps Ready from being True", () => {
    expect(
      compute({ leaves: [a], settings: new Map([["A", yes]]), progress: new Map([[a, { type: "failed", error: new Error("post") }]]) })[
        "Ready"
      ],
    ).toBe('False/Error: step "a": post');
  });
});

describe("a gated pass", () => {
  test("keeps every condition and Ready, and adds none to an object that an older version has reported about", () => {
    const progress = new Map<StepRuntime, Progress>([[a, { type: "stop", reason: "paused" }]]);
    expect(
      compute({ leaves: [a, b], type: "gated", progress }, [condition("A", "True", "Fine"), condition("Ready", "True", "Ready")]),
    ).toEqual({
      A: "True/Fine: ",
      Ready: "True/Ready: ",
    });
  });

  test("gives every condition of an object without conditions the value Unknown", () => {
    const progress = new Map<StepRuntime, Progress>([[a, { type: "stop", reason: "paused" }]]);
    const message = 'Unknown/NotReached: waiting for step "a"';
    expect(compute({ leaves: [a, b], type: "gated", progress }, [])).toEqual({ A: message, B: message, Ready: message });
  });
});

describe("a deletion pass", () => {
  test("says Deleting for a step that owns Ready and does not speak of it", () => {
    const owner = stepWith("owner", "Ready");
    const rules = rulesOf([owner], false);
    const result = computeConditions(rules, facts({ leaves: [owner], type: "deletion" }), {
      conditions: [condition("Ready", "True", "Ready")],
      writtenByUs: new Set(),
    });
    expect(result).toEqual([expect.objectContaining({ type: "Ready", status: "False", reason: "Deleting" })]);
  });

  test("keeps the conditions that no cleanup sets, and shows the failing cleanup in Ready", () => {
    const progress = new Map<StepRuntime, Progress>([[b, { type: "failed", error: new Error("still attached") }]]);
    expect(compute({ leaves: [a, b], type: "deletion", progress }, [condition("A", "True", "Fine")])).toEqual({
      A: "True/Fine: ",
      B: 'Unknown/NotReached: waiting for step "b"',
      Ready: 'False/Deleting: step "b": still attached',
    });
  });
});

describe("conditions of others", () => {
  test("stay as they are, in their place", () => {
    const theirs = { ...condition("Theirs", "False", "X"), extra: 1 } as Condition;
    const result = computeConditions(rulesOf([a]), facts({ leaves: [a] }), { conditions: [theirs], writtenByUs: new Set() });
    expect(result[0]).toBe(theirs);
  });

  test("a condition that is no longer declared is dropped only if our manager wrote it", () => {
    const live = [condition("Gone", "True", "X"), condition("Theirs", "True", "X")];
    expect(Object.keys(compute({ leaves: [a] }, live, ["Gone", "A", "Ready"]))).toEqual(["Theirs", "A", "Ready"]);
  });

  test("Ready stays untouched where another handler computes it", () => {
    const result = computeConditions(rulesOf([a], false), facts({ leaves: [a] }), {
      conditions: [condition("Ready", "True", "X")],
      writtenByUs: new Set(),
    });
    expect(result.find(({ type }) => type === "Ready")).toEqual(condition("Ready", "True", "X"));
  });
});

test("a checkpoint stores only the conditions that were set, never Ready", () => {
  const settings = new Map<string, Setting | "keep">([
    ["A", yes],
    ["B", "keep"],
    ["Ready", yes],
  ]);
  expect(conditionsSoFar({ settings, generation: 2, nowMs: NOW }, [condition("B", "True", "Old")])).toEqual([
    condition("B", "True", "Old"),
    { type: "A", ...yes, observedGeneration: 2, lastTransitionTime: T1 },
  ]);
});

/*
 * Invariants, for any list of steps, settings, progress and earlier conditions:
 * 1. Computing again from its own result changes nothing (a fixed point: no write at steady state).
 * 2. The order of the earlier conditions does not matter for what each condition says.
 * 3. lastTransitionTime moves exactly when status does.
 * 4. Ready is True exactly if every counting condition is True and every step is done (full pass); a gated pass never leaves
 *    it True beside a counting condition that it set to something else.
 * 5. Conditions that we neither declare nor wrote are identical to before.
 * 6. Types are unique, reasons and messages valid.
 */
const setting: fc.Arbitrary<Setting> = fc.record({
  status: fc.constantFrom("True", "False", "Unknown"),
  reason: fc.constantFrom("Fine", "NotFound", "X9"),
  message: fc.constantFrom("", "text", "100%"),
});
const progressOf: fc.Arbitrary<Progress> = fc.oneof(
  fc.constant<Progress>({ type: "done" }),
  fc.constant<Progress>({ type: "unreached" }),
  fc.record({ type: fc.constantFrom("wait" as const, "stop" as const), reason: fc.constantFrom("r", "s") }),
  fc.constant<Progress>({ type: "failed", error: new Error("boom") }),
);
const earlier = fc
  .uniqueArray(
    fc.record({
      type: fc.constantFrom("A", "B", "C", "Ready", "Theirs", "Old"),
      status: fc.constantFrom("True" as const, "False" as const, "Unknown" as const),
      reason: fc.constantFrom("Fine", "Old"),
      message: fc.constantFrom("", "m"),
    }),
    { selector: ({ type }) => type },
  )
  .map((list): readonly Condition[] => list.map((given) => ({ ...given, lastTransitionTime: T0, observedGeneration: 3 })));

test("the conditions of a pass keep their invariants", () => {
  const leaves = [a, b, c];
  fc.assert(
    fc.property(
      earlier,
      fc.dictionary(fc.constantFrom("A", "B", "C"), fc.oneof(setting, fc.constant("keep" as const))),
      fc.array(progressOf, { minLength: 3, maxLength: 3 }),
      fc.constantFrom<PassType>("full", "gated", "deletion"),
      (live, settings, progress, type) => {
        const given = facts({
          leaves,
          type,
          settings: new Map(Object.entries(settings)),
          progress: new Map(leaves.map((s, i) => [s, progress[i] as Progress])),
        });
        const writtenByUs = new Set(["Old", "A"]);
        const rules = rulesOf(leaves);
        const result = computeConditions(rules, given, { conditions: live, writtenByUs });
        const byType = new Map(result.map((entry) => [entry.type, entry]));

        const later = { ...given, nowMs: NOW + 60_000 };
        expect(computeConditions(rules, later, { conditions: result, writtenByUs }), "1").toBe(result);
        const reversed = computeConditions(rules, given, { conditions: [...live].reverse(), writtenByUs });
        expect(new Map(reversed.map((entry) => [entry.type, entry])), "2").toEqual(byType);
        for (const entry of result) {
          const before = live.find((other) => other.type === entry.type);
          expect(entry.lastTransitionTime, "3").toBe(before !== undefined && before.status === entry.status ? T0 : T1);
        }
        if (type === "full") {
          const isReady =
            ["A", "B", "C"].every((t) => byType.get(t)?.status === "True") &&
            progress.every((p) => p.type === "done" || p.type === "unreached");
          expect(byType.get("Ready")?.status === "True", "4").toBe(isReady);
        }
        if (type === "gated" && byType.get("Ready")?.status === "True") {
          expect(
            ["A", "B", "C"].every((t) => settings[t] === undefined || settings[t] === "keep" || byType.get(t)?.status === "True"),
            "4",
          ).toBe(true);
        }
        expect(byType.get("Theirs"), "5").toBe(live.find((entry) => entry.type === "Theirs"));
        expect(byType.has("Old"), "5").toBe(false);
        expect(byType.size, "6").toBe(result.length);
        for (const entry of result) expect(entry.reason, "6").toMatch(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/);
      },
    ),
    { numRuns: 500 },
  );
});
