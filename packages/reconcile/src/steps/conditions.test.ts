import { beforeEach, describe, expect, test } from "vitest";
import { Widget, widget } from "../../test/fixtures.ts";
import { type Harness, type Operator, startHarness } from "../../test/harness.ts";
import { handler } from "../handler.ts";
import { step } from "../step.ts";
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
