/** The two steps that hold the chain until something is there: `guard` in every pass, `prerequisite` once. */
import { Secret } from "@treadle/apimachinery/kinds";
import { beforeEach, describe, expect, test } from "vitest";
import { boom, Foreign, Widget, widget } from "../../test/fixtures.ts";
import { type Harness, type Operator, startHarness } from "../../test/harness.ts";
import { handler } from "../handler.ts";
import { one } from "../reads.ts";
import { step } from "../step.ts";
import { conditions } from "./conditions.ts";
import { guard } from "./guard.ts";
import { prerequisite } from "./prerequisite.ts";

const KEY = "default/a";
const REF = { namespace: "default", name: "a" };
const NEED = { namespace: "default", name: "need" };

let harness: Harness;
let asked: number;
let ran: number;
beforeEach(async () => {
  harness = await startHarness([Widget, Foreign]);
  await harness.user.create(Widget, widget());
  asked = 0;
  ran = 0;
});

const work = step(Widget, { name: "work", do: () => void ran++ });
const reads = { need: one(Secret, () => NEED.name) };
const missing = "Secret need does not exist";

function guarded(): Operator {
  const until = guard(Widget, {
    name: "wait-for-need",
    condition: "NeedThere",
    reads,
    until: (req) => (asked++, req.reads.need !== undefined || missing),
  });
  return harness.operator(handler(Widget).step(conditions()).step(until).step(work).build());
}

function required(): Operator {
  const until = prerequisite(Widget, {
    name: "wait-for-need",
    condition: "NeedThere",
    reads,
    until: async (req) => (asked++, req.reads.need !== undefined || missing),
  });
  return harness.operator(handler(Widget).step(conditions()).step(until).step(work).build());
}

const need = async (): Promise<unknown> => await harness.user.create(Secret, { metadata: NEED });
const live = async () => await harness.user.get(Widget, REF);
const conditionOf = async (type: string): Promise<string> => {
  const found = (await live())?.status?.conditions?.find((condition) => condition.type === type);
  return `${found?.status}/${found?.reason}: ${found?.message}`;
};

describe("guard", () => {
  test("guard() waits with the backoff and reports the reason; later steps are not reached", async () => {
    const operator = guarded();
    expect(await operator.pass(KEY)).toMatchObject({ outcome: { type: "wait", reason: missing }, requeue: { type: "after", afterMs: 50 } });
    expect(await operator.pass(KEY)).toMatchObject({ requeue: { type: "after", afterMs: 100 } });
    expect(ran).toBe(0);
    expect(await conditionOf("NeedThere")).toBe(`False/Blocked: ${missing}`);
  });

  test("guard() opens when its read exists, and closes when it is deleted", async () => {
    const operator = guarded();
    await need();
    await operator.pass(KEY);
    expect(ran).toBe(1);
    expect(await conditionOf("NeedThere")).toBe("True/Passed: ");
    expect(await conditionOf("Ready")).toBe("True/Ready: ");
    await harness.user.delete(Secret, NEED);
    await operator.pass(KEY);
    expect([asked, ran]).toEqual([2, 1]);
    expect(await conditionOf("NeedThere")).toBe(`False/Blocked: ${missing}`);
  });

  test("a question that throws is a failure of the step", async () => {
    const operator = harness.operator(
      handler(Widget)
        .step(conditions())
        .step(guard(Widget, { name: "g", condition: "Open", until: () => Promise.reject(boom) }))
        .step(work)
        .build(),
    );
    expect(await operator.pass(KEY)).toMatchObject({ error: boom, requeue: { type: "failure" } });
    expect(await conditionOf("Open")).toBe("False/Error: boom");
  });

  test("an empty reason still waits", async () => {
    const operator = harness.operator(
      handler(Widget)
        .step(conditions())
        .step(guard(Widget, { name: "g", condition: "Open", until: () => "" }))
        .build(),
    );
    expect(await operator.pass(KEY)).toMatchObject({ outcome: { type: "wait", reason: "Blocked" } });
  });

  test("uses the vars of the steps that it needs", async () => {
    const first = step(Widget, { name: "first", do: (req) => req.next({ ready: false }) });
    const operator = harness.operator(
      handler(Widget)
        .step(conditions())
        .step(first)
        .step(guard(Widget, { name: "g", condition: "Open", needs: [first], until: (req) => req.vars.ready || "not ready" }))
        .build(),
    );
    expect(await operator.pass(KEY)).toMatchObject({ outcome: { type: "wait", reason: "not ready" } });
  });
});

describe("prerequisite", () => {
  test("prerequisite() waits until it is met, and reports the reason", async () => {
    const operator = required();
    expect(await operator.pass(KEY)).toMatchObject({ outcome: { type: "wait", reason: missing }, requeue: { type: "after", afterMs: 50 } });
    expect(await conditionOf("NeedThere")).toBe(`False/PrerequisiteNotMet: ${missing}`);
    expect((await live())?.status?.steps).toBeUndefined();
  });

  test("a passed prerequisite() is not evaluated again: not after a deletion, a new object, or a restart", async () => {
    await need();
    await required().pass(KEY);
    expect((await live())?.status?.steps).toEqual({ "wait-for-need": { passedAt: "2026-01-01T00:00:00.000Z" } });
    await harness.user.delete(Secret, NEED);
    const restarted = required();
    await restarted.pass(KEY);
    await need();
    await restarted.pass(KEY);
    expect([asked, ran]).toEqual([1, 3]);
    expect(await conditionOf("NeedThere")).toBe("True/Passed: ");
    expect((await live())?.status?.steps).toEqual({ "wait-for-need": { passedAt: "2026-01-01T00:00:00.000Z" } });
  });

  test("an object that is made again under the same name must pass again", async () => {
    await need();
    const operator = required();
    await operator.pass(KEY);
    await harness.user.delete(Secret, NEED);
    await harness.user.delete(Widget, REF);
    await harness.user.create(Widget, widget());
    expect(await operator.pass(KEY)).toMatchObject({ outcome: { type: "wait", reason: missing } });
    expect(asked).toBe(2);
  });

  test("having passed is not lost when a later step fails in the same pass", async () => {
    await need();
    const failing = handler(Widget)
      .step(conditions())
      .step(prerequisite(Widget, { name: "p", condition: "Met", until: () => (asked++, true) }))
      .step(step(Widget, { name: "fails", do: () => Promise.reject(boom) }))
      .build();
    const operator = harness.operator(failing);
    await operator.pass(KEY);
    await operator.pass(KEY);
    expect(asked).toBe(1);
    expect(await conditionOf("Met")).toBe("True/Passed: ");
  });

  test("on a foreign kind it is remembered in an annotation", async () => {
    await harness.user.create(Foreign, { apiVersion: "foreign.example.com/v1", kind: "Foreign", metadata: REF });
    const operator = harness.operator(
      handler(Foreign)
        .step(conditions())
        .step(prerequisite(Foreign, { name: "p", condition: "Met", until: () => (asked++, true) }))
        .build(),
    );
    await operator.pass(KEY);
    await operator.pass(KEY);
    expect(asked).toBe(1);
    const annotations = (await harness.user.get(Foreign, REF))?.metadata.annotations;
    expect(JSON.parse(annotations?.["foreigns.foreign.example.com/step-state"] ?? "")).toEqual({
      p: { passedAt: "2026-01-01T00:00:00.000Z" },
    });
  });
});

// `true` lets through what a guard is there to hold back: so nothing that is merely truthy does.
describe.each(["guard", "prerequisite"] as const)("%s in untyped code", (name) => {
  test.for([false, undefined, null, 0, 1, {}, "yes"])("the answer %j does not let through", async (answer) => {
    const make = name === "guard" ? guard : prerequisite;
    const holds = make(Widget, { name: "holds", condition: "Open", until: () => answer as never });
    const operator = harness.operator(handler(Widget).step(conditions()).step(holds).step(work).build());
    const result = await operator.pass(KEY);
    expect(ran).toBe(0);
    if (typeof answer === "string") expect(result.outcome).toMatchObject({ type: "wait", reason: answer });
    else expect((result.error as Error).message).toContain("until must return true, or a text with the reason of the wait");
  });
});
