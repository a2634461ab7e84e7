/** The two steps about the spec: `validate` refuses it, `defaults` completes it. */
import type { ObjectOf } from "@treadle/apimachinery";
import { beforeEach, describe, expect, test } from "vitest";
import { boom, Widget, widget } from "../../test/fixtures.ts";
import { type Harness, startHarness } from "../../test/harness.ts";
import { handler } from "../handler.ts";
import { step } from "../step.ts";
import { conditions } from "./conditions.ts";
import { defaults } from "./defaults.ts";
import { type Problem, validate } from "./validate.ts";

const KEY = "default/a";
const REF = { namespace: "default", name: "a" };

let harness: Harness;
let seen: unknown[];
beforeEach(async () => {
  harness = await startHarness([Widget]);
  seen = [];
});

const look = step(Widget, { name: "look", do: (req) => void seen.push(req.object.spec) });
const live = async () => await harness.user.get(Widget, REF);
const conditionOf = async (type: string): Promise<string> => {
  const found = (await live())?.status?.conditions?.find((condition) => condition.type === type);
  return `${found?.status}/${found?.reason}: ${found?.message}`;
};

describe("validate", () => {
  const operator = () =>
    harness.operator(
      handler(Widget)
        .step(conditions())
        .step(
          validate(Widget, {
            problems: ({ spec }) => [...(spec.size > 9 ? ["size is above 9"] : []), ...(spec.note === "" ? ["note is empty"] : [])],
          }),
        )
        .step(look)
        .build(),
    );

  test("stops with every problem in its condition: trying again would not help", async () => {
    await harness.user.create(Widget, widget({ spec: { size: 10, note: "" } }));
    const result = await operator().pass(KEY);
    expect(result).toMatchObject({ outcome: { type: "stop", reason: "size is above 9; note is empty" }, requeue: { type: "none" } });
    expect(result.error).toBeUndefined();
    expect(seen).toEqual([]);
    expect(await conditionOf("Valid")).toBe("False/Invalid: size is above 9; note is empty");
    expect(await conditionOf("Ready")).toBe("False/Invalid: Valid: size is above 9; note is empty");
  });

  test("validate() continues when the spec was fixed", async () => {
    await harness.user.create(Widget, widget({ spec: { size: 10 } }));
    const running = operator();
    await running.pass(KEY);
    await harness.user.patch(Widget, REF, { type: "merge", body: { spec: { size: 9 } } });
    await running.pass(KEY);
    expect(seen).toEqual([{ size: 9 }]);
    expect(await conditionOf("Valid")).toBe("True/Valid: ");
  });

  test("validate() may be twice in a list, with other names", async () => {
    await harness.user.create(Widget, widget());
    const twice = handler(Widget)
      .step(conditions())
      .step(validate(Widget, { problems: () => [] }))
      .step(validate(Widget, { name: "licence", condition: "Licensed", problems: () => ["no licence"] }))
      .build();
    await harness.operator(twice).pass(KEY);
    expect(await conditionOf("Valid")).toBe("True/Valid: ");
    expect(await conditionOf("Licensed")).toBe("False/Invalid: no licence");
  });

  test("a check that throws is a failure, not a verdict", async () => {
    await harness.user.create(Widget, widget());
    const throwing = handler(Widget)
      .step(conditions())
      .step(
        validate(Widget, {
          problems: () => {
            throw boom;
          },
        }),
      )
      .build();
    expect(await harness.operator(throwing).pass(KEY)).toMatchObject({ error: boom, requeue: { type: "failure" } });
    expect(await conditionOf("Valid")).toBe("False/Error: boom");
  });

  test("a problem of a field is shown with its path", async () => {
    await harness.user.create(Widget, widget({ spec: { size: 11 } }));
    const rules = {
      problems: ({ spec }: ObjectOf<typeof Widget>): readonly Problem[] => [
        ...(spec.size > 10 ? [{ path: "spec.size", message: "at most 10" }] : []),
        { path: "", message: "no path" },
        "a text",
      ],
    };
    await harness.operator(handler(Widget).step(conditions()).step(validate(Widget, rules)).build()).pass(KEY);
    expect(await conditionOf("Valid")).toBe("False/Invalid: spec.size: at most 10; no path; a text");
  });

  test.for([
    { answer: undefined, found: "it returned undefined" },
    { answer: "size", found: "it returned a string" },
    { answer: Promise.resolve([]), found: "it returned a promise" },
    { answer: { 0: "a", length: 1 }, found: "it returned another object" },
    { answer: [null], found: "problem 0 is null" },
    { answer: ["fine", 7], found: "problem 1 is a number" },
    { answer: [{ path: "spec.size" }], found: "problem 0 is another object" },
    { answer: [{ path: ["spec"], message: "x" }], found: "problem 0 is another object" },
  ])("$answer is not a list of problems, so it does not count as valid", async ({ answer, found }) => {
    await harness.user.create(Widget, widget());
    const wrong = validate(Widget, { problems: () => answer as never }); // what the compiler refuses
    await harness.operator(handler(Widget).step(conditions()).step(wrong).step(look).build()).pass(KEY);
    expect(await conditionOf("Valid")).toMatch(/^False\/InvalidStep: step "validate": problems must return a list/);
    expect(await conditionOf("Valid")).toContain(found);
    expect(seen).toEqual([]);
  });

  test("validate() does not block a deletion", async () => {
    let cleaned = 0;
    const withCleanup = handler(Widget)
      .step(conditions())
      .step(validate(Widget, { problems: () => ["always wrong"] }))
      .step(step(Widget, { name: "held", do() {}, cleanup: () => void cleaned++ }))
      .build();
    const running = harness.operator(withCleanup);
    await harness.user.create(Widget, widget());
    await running.pass(KEY);
    await harness.user.delete(Widget, REF);
    await running.pass(KEY);
    expect(cleaned).toBe(1);
    expect(await live()).toBeUndefined();
  });
});

describe("defaults", () => {
  const filling = (fill: Parameters<typeof defaults<typeof Widget>>[1]["fill"]) =>
    harness.operator(handler(Widget).step(conditions()).step(defaults(Widget, { fill })).step(look).build());

  test.for([
    { name: "a promise", answer: () => Promise.resolve(), found: "it returned a promise" },
    { name: "a promise that is rejected", answer: () => Promise.reject(boom), found: "it returned a promise" },
    { name: "another spec", answer: () => ({ size: 9 }), found: "it returned another object" },
    { name: "null", answer: () => null, found: "it returned null" },
  ])("a fill that returns $name fails the step, and nothing is written", async ({ answer, found }) => {
    await harness.user.create(Widget, widget({ spec: { size: 3 } }));
    await filling(answer as never).pass(KEY); // what the compiler refuses
    const ready = await conditionOf("Ready");
    expect(ready).toContain('step "defaults": fill must change the fields of its first argument, return nothing and not be async');
    expect(ready).toContain(found);
    expect((await live())?.spec).toEqual({ size: 3 });
    expect(seen).toEqual([]);
  });

  test("defaults() writes missing fields and ends the chain; the pass of the new generation changes nothing", async () => {
    const operator = filling((spec, { metadata }) => void (spec.note ??= `of ${metadata.name}`));
    await harness.user.create(Widget, widget({ spec: { size: 3 } }));
    const first = await operator.pass(KEY);
    expect(first).toMatchObject({ outcome: { type: "wait", step: "defaults" }, requeue: { type: "after", afterMs: 0 } });
    expect(seen, "later steps only see a complete spec").toEqual([]);
    expect((await live())?.spec).toEqual({ size: 3, note: "of a" });

    const second = await operator.pass(KEY);
    expect(second).toMatchObject({ outcome: { type: "done" }, requeue: { type: "none" } });
    expect(seen).toEqual([{ size: 3, note: "of a" }]);
    const third = await operator.pass(KEY);
    expect(third.writes).toBe(0);
    expect((await live())?.metadata.generation).toBe(2);
    expect(await conditionOf("Ready")).toBe("True/Ready: ");
  });

  test("a complete spec costs no request", async () => {
    await harness.user.create(Widget, widget({ spec: { note: "mine" } }));
    await filling((spec) => void (spec.note ??= "default")).pass(KEY);
    expect(harness.requests).toEqual(["PATCH widgets/a/status"]);
    expect(seen).toEqual([{ size: 1, note: "mine" }]);
  });

  test("what a user writes at the same time is not lost", async () => {
    await harness.user.create(Widget, widget());
    let isFirst = true;
    harness.intercept = async (request, send) => {
      if (request.method === "PATCH" && isFirst) {
        isFirst = false;
        await harness.user.patch(Widget, REF, { type: "merge", body: { spec: { size: 7 } } });
      }
      return await send();
    };
    await filling((spec) => void (spec.note ??= "default")).pass(KEY);
    expect((await live())?.spec).toEqual({ size: 7, note: "default" });
  });

  test("what the API server refuses is shown in the status", async () => {
    await harness.user.create(Widget, widget());
    const result = await filling((spec) => void (spec.size = "many" as never)).pass(KEY);
    expect(result.requeue).toMatchObject({ type: "failure" });
    expect(await conditionOf("Ready")).toMatch(/^False\/Invalid: cannot store what the steps wrote: /);
    expect(seen).toEqual([]);
  });

  test("a fill that changes its own result is an error that says so, not a loop", async () => {
    await harness.user.create(Widget, widget());
    const result = await filling((spec) => void (spec.size += 1)).pass(KEY);
    expect(result).toMatchObject({ requeue: { type: "none" }, isTerminal: true });
    expect((result.error as Error).message).toContain('step "defaults": fill changes its own result');
    expect((await live())?.spec, "nothing of it is stored").toEqual({ size: 1 });
  });
});
