import { beforeEach, describe, expect, test } from "vitest";
import { Widget, widget } from "../../test/fixtures.ts";
import { type Harness, type Operator, startHarness } from "../../test/harness.ts";
import { handler } from "../handler.ts";
import { TerminalError } from "../errors.ts";
import { waitBecause } from "../result.ts";
import { all, step } from "../step.ts";
import { conditions, type ConditionsOptions } from "./conditions.ts";

const KEY = "default/a";
const REF = { namespace: "default", name: "a" };

let harness: Harness;
beforeEach(async () => {
  harness = await startHarness([Widget]);
  await harness.user.create(Widget, widget());
});

function operator(name: string, type: string, options?: ConditionsOptions): Operator {
  const work = step(Widget, {
    name: `work-${name}`,
    conditions: [type],
    do(req) {
      req.conditions.false(type, "Broken", "it is broken");
    },
  });
  return harness.operator(handler(Widget, { name }).step(conditions(options)).step(work).build());
}

const status = async () => (await harness.user.get(Widget, REF))?.status;
const conditionsOf = async (): Promise<Record<string, string>> =>
  Object.fromEntries(((await status())?.conditions ?? []).map(({ type, status: is, reason }) => [type, `${is}/${reason}`]));

describe("conditions", () => {
  test("switches on what is declared, Ready and observedGeneration", async () => {
    await operator("one", "A").pass(KEY);
    expect(await conditionsOf()).toEqual({ A: "False/Broken", Ready: "False/Broken" });
    expect((await status())?.observedGeneration).toBe(1);
  });

  test("without it nothing is kept", async () => {
    await harness.operator(handler(Widget).step(step(Widget, { name: "work", do() {} })).build()).pass(KEY); // biome-ignore format: one line reads better
    expect(await status()).toBeUndefined();
    expect(harness.requests).toEqual([]);
  });

  test("ready: false keeps the conditions with their generation, but neither Ready nor status.observedGeneration", async () => {
    await operator("two", "B", { ready: false }).pass(KEY);
    expect(await conditionsOf()).toEqual({ B: "False/Broken" });
    expect((await status())?.observedGeneration).toBeUndefined();
    expect((await status())?.conditions?.[0]?.observedGeneration).toBe(1);
  });

  test("two handlers on one object, one with ready: false, never change the conditions of the other", async () => {
    const one = operator("one", "A");
    const two = operator("two", "B", { ready: false });
    for (const each of [one, two, one, two]) await each.pass(KEY);
    expect(await conditionsOf()).toEqual({ A: "False/Broken", B: "False/Broken", Ready: "False/Broken" });
    await harness.user.patch(Widget, REF, { type: "merge", body: { spec: { size: 5 } } });
    await two.pass(KEY);
    expect((await status())?.observedGeneration, "the other handler has not seen it yet").toBe(1);
    await one.pass(KEY);
    expect((await status())?.observedGeneration).toBe(2);
    expect((await one.pass(KEY)).writes + (await two.pass(KEY)).writes, "both are at rest").toBe(0);
  });

  test("conditions() may be at the end of the list", async () => {
    const work = step(Widget, { name: "work", conditions: ["A"], do: (req) => void req.conditions.true("A") });
    await harness.operator(handler(Widget).step(work).step(conditions()).build()).pass(KEY);
    expect(await conditionsOf()).toEqual({ A: "True/A", Ready: "True/Ready" });
  });
});

describe("conditions({ rank })", () => {
  const reporting = (name: string, type: string, set: (req: Setters, type: string) => unknown) =>
    step(Widget, { name, conditions: [type], do: (req) => set(req.conditions as never, type) as never });
  interface Setters {
    true(type: string, reason?: string, message?: string): void;
    false(type: string, reason: string, message: string): { wait(): unknown };
  }
  const ready = async (): Promise<object | undefined> => (await status())?.conditions?.find(({ type }) => type === "Ready");
  const healthy = reporting("one", "A", (set, type) => set.true(type, "Healthy"));
  const suspended = reporting("two", "B", (set, type) => set.true(type, "Suspended", "since today"));

  test("decides the reason of a Ready that is True", async () => {
    const list = handler(Widget)
      .step(conditions({ rank: ({ reason }) => (reason === "Suspended" ? 2 : 1) }))
      .step(healthy)
      .step(suspended);
    await harness.operator(list.build()).pass(KEY);
    expect(await ready()).toMatchObject({ status: "True", reason: "Suspended", message: "B: since today" });
  });

  test("takes the first of the list for equal ranks, and Ready without conditions", async () => {
    await harness.operator(handler(Widget).step(conditions({ rank: [] })).step(healthy).step(suspended).build()).pass(KEY); // biome-ignore format: one line reads better
    expect(await ready()).toMatchObject({ status: "True", reason: "Healthy", message: "" });
    await harness
      .operator(
        handler(Widget)
          .step(conditions({ rank: [] }))
          .build(),
      )
      .pass(KEY);
    expect(await ready()).toMatchObject({ status: "True", reason: "Ready" });
  });

  test("never lets a condition that is True outrank one that is not", async () => {
    const failing = reporting("three", "C", (set, type) => void set.false(type, "Failing", "broken"));
    const list = handler(Widget)
      .step(conditions({ rank: ["Suspended", "Failing"] }))
      .step(suspended)
      .step(failing);
    await harness.operator(list.build()).pass(KEY);
    expect(await ready()).toMatchObject({ status: "False", reason: "Failing", message: "C: broken" });
  });

  test("ranks a step that waits as a condition of the type Ready", async () => {
    const asked: object[] = [];
    const slow = step(Widget, { name: "slow", do: (req) => req.wait("not yet") });
    const rank = (condition: { readonly type: string }) => (asked.push(condition), condition.type === "Ready" ? 9 : 1);
    const failing = reporting("three", "C", (set, type) => void set.false(type, "Failing", "broken"));
    await harness.operator(handler(Widget).step(conditions({ rank })).step(failing).step(slow).build()).pass(KEY); // biome-ignore format: one line reads better
    expect(await ready()).toMatchObject({ status: "Unknown", reason: "Waiting", message: 'step "slow": not yet' });
    expect(asked).toContainEqual({ type: "Ready", status: "Unknown", reason: "Waiting", message: 'step "slow": not yet' });
  });

  test("that throws is reported by Ready, and the other conditions are stored", async () => {
    const rank = (): number => {
      throw new Error("no table");
    };
    await harness.operator(handler(Widget).step(conditions({ rank })).step(healthy).build()).pass(KEY);
    expect(await conditionsOf()).toEqual({ A: "True/Healthy", Ready: "False/RankFailed" });
  });

  test.for([
    {
      name: "a rank without Ready",
      options: { ready: false, rank: [] },
      says: "rank is about Ready, which ready: false leaves to another handler",
    },
    { name: "kstatus without Ready", options: { ready: false, kstatus: true }, says: "kstatus is about Ready" },
    { name: "a rank of another type", options: { rank: 5 }, says: "rank must be a function, or a list of condition types and reasons" },
    { name: "a list of other things", options: { rank: [1] }, says: "rank must be a function, or a list" },
  ])("$name is refused", ({ options, says }) => {
    expect(() => conditions(options as never)).toThrow(says);
  });
});

describe("conditions({ kstatus: true })", () => {
  type End = (req: { wait(reason: string): unknown; stop(reason: string): unknown }) => unknown;
  let end: End = () => undefined;
  const built = (options: ConditionsOptions = { kstatus: true }) =>
    handler(Widget)
      .step(conditions(options))
      .step(
        step(Widget, {
          name: "work",
          gate: (req) => (req.object.spec.size === 9 ? req.stop("held") : undefined),
          do: (req) => end(req) as never,
        }),
      )
      .build();
  const fail =
    (error: Error): End =>
    () => {
      throw error;
    };

  test.for<{ readonly name: string; readonly end: End; readonly want: Record<string, string> }>([
    { name: "a ready object", end: () => undefined, want: { Ready: "True/Ready" } },
    { name: "a wait", end: (req) => req.wait("soon"), want: { Ready: "Unknown/Waiting", Reconciling: "True/Waiting" } },
    { name: "a failure that is retried", end: fail(new Error("x")), want: { Ready: "False/Error", Reconciling: "True/Error" } },
    { name: "a stop", end: (req) => req.stop("enough"), want: { Ready: "Unknown/Stopped", Stalled: "True/Stopped" } },
    {
      name: "a terminal failure",
      end: fail(new TerminalError("never")),
      want: { Ready: "False/TerminalError", Stalled: "True/TerminalError" },
    },
    {
      name: "a wait for a person",
      end: () => waitBecause("not ours", { code: "NotOurs", severity: "failed", needsAction: true }),
      want: { Ready: "False/NotOurs", Stalled: "True/NotOurs" },
    },
  ])("$name", async ({ end: given, want }) => {
    end = given;
    await harness.operator(built()).pass(KEY);
    expect(await conditionsOf()).toEqual(want);
  });

  test("each is in the status only while it is True, and both are dropped with the option", async () => {
    const operating = harness.operator(built());
    end = (req) => req.wait("soon");
    await operating.pass(KEY);
    expect(Object.keys(await conditionsOf())).toEqual(["Ready", "Reconciling"]);
    end = (req) => req.stop("enough");
    await operating.pass(KEY);
    expect(Object.keys(await conditionsOf())).toEqual(["Ready", "Stalled"]);
    await harness.operator(built({})).pass(KEY);
    expect(Object.keys(await conditionsOf())).toEqual(["Ready"]);
    end = () => undefined;
    await operating.pass(KEY);
    expect(Object.keys(await conditionsOf())).toEqual(["Ready"]);
    expect((await operating.pass(KEY)).writes).toBe(0);
  });

  test("a stop is named by Stalled although Ready speaks of a failure", async () => {
    const failing = step(Widget, { name: "failing", do: fail(new Error("x")) as never });
    const stopping = step(Widget, { name: "stopping", do: (req) => req.stop("enough") });
    const list = handler(Widget)
      .step(conditions({ kstatus: true }))
      .step(all("g", [failing, stopping]));
    await harness.operator(list.build()).pass(KEY);
    expect((await status())?.conditions).toMatchObject([
      { type: "Ready", status: "False", message: 'step "failing": x' },
      { type: "Stalled", status: "True", reason: "Stopped", message: 'step "stopping": enough' },
    ]);
  });

  test("a pass that a gate ends modifies neither", async () => {
    const operating = harness.operator(built());
    end = (req) => req.wait("soon");
    await operating.pass(KEY);
    await harness.user.patch(Widget, REF, { type: "merge", body: { spec: { size: 9 } } });
    await operating.pass(KEY);
    expect(await conditionsOf()).toEqual({ Ready: "Unknown/Waiting", Reconciling: "True/Waiting" });
  });

  test("a step that declares one of them is a problem of build()", () => {
    const list = handler(Widget)
      .step(conditions({ kstatus: true }))
      .step(step(Widget, { name: "work", conditions: ["Stalled"] }));
    expect(() => list.build()).toThrow('step "work" declares "Stalled", which conditions({ kstatus: true }) keeps: remove one of the two');
  });
});
