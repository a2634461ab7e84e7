/** Steps that pause an object by `configures.pausesWhen`, with and without `pause()` in the list. */
import { all, conditions, handler, pause, PAUSED_ANNOTATION, type PauseOptions, type Step } from "@treadle/reconcile";
import { defineStep, pipelineOf, type PauseFunction } from "@treadle/reconcile/unstable/engine";
import { beforeEach, describe, expect, test } from "vitest";
import { boom, FINALIZER, Widget, widget } from "./fixtures.ts";
import { type Harness, type Operator, startHarness } from "./harness.ts";

const KEY = "default/a";
const REF = { namespace: "default", name: "a" };

let harness: Harness;
let ran: string[];
beforeEach(async () => {
  harness = await startHarness([Widget]);
  ran = [];
});

const noteOf: PauseFunction = (object) => (object as Widget).spec.note && `note says ${(object as Widget).spec.note}`;

/** A step that works, and pauses by a function. */
const working = (name: string, pausesWhen: PauseFunction = noteOf): Step<Widget> =>
  defineStep(Widget, {
    name,
    configures: { pausesWhen },
    do: () => void ran.push(name),
    cleanup: () => void ran.push(`cleanup ${name}`),
  }) as Step<Widget>;

const plain = (first: Step<Widget> = working("work"), second: Step<Widget> = working("more", () => undefined)) =>
  handler(Widget).step(conditions()).step(first).step(second);
const operator = (...steps: readonly Step<Widget>[]): Operator => harness.operator(plain(...steps).build());
const pausing = (options: PauseOptions<Widget>, ...steps: readonly Step<Widget>[]): Operator =>
  harness.operator(
    plain(...steps)
      .step(pause(options))
      .build(),
  );

const note = async (text: string | null): Promise<unknown> =>
  await harness.user.patch(Widget, REF, { type: "merge", body: { spec: { note: text } } });
const live = async (): Promise<Widget | undefined> => await harness.user.get(Widget, REF);
const conditionOf = async (type: string): Promise<object | undefined> =>
  ((await live())?.status?.conditions ?? []).find((condition) => condition.type === type);
const throwing = (): never => {
  throw boom;
};

describe("an object that a step pauses", () => {
  test("gets no step, and Paused names the step and its reason as long as the pause lasts", async () => {
    await harness.user.create(Widget, widget());
    const work = operator();
    await work.pass(KEY);
    expect(await conditionOf("Paused"), "without pause() it exists only in a pause").toBeUndefined();
    await note("stop");
    expect(await work.pass(KEY)).toMatchObject({
      isPaused: true,
      outcome: { type: "stop", step: "work", reason: 'step "work" pauses this object: note says stop' },
      requeue: { type: "none" },
      phases: [],
    });
    expect(await conditionOf("Paused")).toMatchObject({
      status: "True",
      reason: "Requested",
      message: 'step "work" pauses this object: note says stop',
    });
    expect(await conditionOf("Ready")).toMatchObject({ status: "True" });
    expect(await work.pass(KEY)).toMatchObject({ writes: 0 });

    await note(null);
    expect(await work.pass(KEY)).not.toHaveProperty("isPaused");
    expect(await conditionOf("Paused")).toBeUndefined();
    expect(ran).toEqual(["work", "more", "work", "more"]);
  });

  test("has a Paused of which the message tells whose it is, where managedFields cannot", async () => {
    await harness.user.create(Widget, widget());
    const condition = { type: "Paused", status: "True", reason: "Requested", lastTransitionTime: "2026-01-01T00:00:00Z" };
    const say = async (message: string): Promise<unknown> =>
      await harness.user.patch(
        Widget,
        REF,
        { type: "merge", body: { status: { conditions: [{ ...condition, message }] } } },
        { subresource: "status" },
      );
    await say('step "other" pauses this object: note says stop');
    await operator().pass(KEY);
    expect(await conditionOf("Paused")).toBeDefined();
    await say('step "work" pauses this object: note says stop');
    await operator().pass(KEY);
    expect(await conditionOf("Paused")).toBeUndefined();
  });

  test.for<{ name: string; first: PauseFunction; second: PauseFunction; message: string; options?: PauseOptions<Widget> }>([
    { name: "the first of two steps", first: () => "one", second: () => "two", message: 'step "a" pauses this object: one' },
    { name: "the step that has a reason", first: () => undefined, second: () => "two", message: 'step "b" pauses this object: two' },
    { name: "pause() before steps", first: () => "one", second: () => "two", message: "mine", options: { when: () => "mine" } },
    {
      name: "a step if pause() has no reason",
      first: () => "one",
      second: () => "two",
      message: 'step "a" pauses this object: one',
      options: { when: () => false },
    },
  ])("is paused by $name", async ({ first, second, message, options }) => {
    await harness.user.create(Widget, widget());
    const steps = [working("a", first), working("b", second)];
    await (options === undefined ? operator(...steps) : pausing(options, ...steps)).pass(KEY);
    expect(await conditionOf("Paused")).toMatchObject({ status: "True", reason: "Requested", message });
    expect(ran).toEqual([]);
  });

  test("is reported as paused by its annotation if it has that too", async () => {
    await harness.user.create(Widget, widget({ spec: { note: "stop" }, annotations: { [PAUSED_ANNOTATION]: "true" } }));
    expect(await operator().pass(KEY)).toMatchObject({ outcome: { type: "stop", step: "pause", reason: "paused" } });
    expect(await conditionOf("Paused")).toMatchObject({ status: "True", reason: "Annotation" });
  });

  test("has always a Paused with pause() in the list", async () => {
    await harness.user.create(Widget, widget());
    await pausing({}).pass(KEY);
    expect(await conditionOf("Paused")).toMatchObject({ status: "False", reason: "NotPaused" });
  });

  test.for([
    { name: "is cleaned up all the same", options: undefined, cleaned: true },
    { name: "is cleaned up with a pause() that does not hold deletions", options: {}, cleaned: true },
    { name: "is held with pause({ deletions: true })", options: { deletions: true }, cleaned: false },
  ])("and that is deleted $name", async ({ options, cleaned }) => {
    await harness.user.create(Widget, widget());
    const work = options === undefined ? operator() : pausing(options);
    await work.pass(KEY);
    await note("stop");
    await harness.user.delete(Widget, REF);
    await work.pass(KEY);
    expect(ran.slice(2)).toEqual(cleaned ? ["cleanup more", "cleanup work"] : []);
    expect((await live())?.metadata.finalizers).toEqual(cleaned ? undefined : [FINALIZER]);
  });

  test("is paused by a part of a composite as well", () => {
    const { pause: rules, reportsPause } = pipelineOf(
      handler(Widget)
        .step(all("both", [working("part")]))
        .build(),
    );
    expect({ steps: rules.steps?.map(({ step: name }) => name), reportsPause }).toEqual({ steps: ["part"], reportsPause: false });
  });
});

describe("a function of a step that pauses", () => {
  test.for<{ name: string; when: PauseFunction; says: string }>([
    { name: "throws", when: throwing, says: "threw: boom" },
    {
      name: "returns a promise",
      when: () => Promise.reject(boom),
      says: "returned a promise: decide by the object alone, without async",
    },
    { name: "returns a number", when: () => 1, says: "returned a number: return the reason as a text, or undefined" },
  ])("and $name runs no step, and Ready names the step", async ({ when, says }) => {
    const message = `cannot decide whether the object is paused: pausesWhen of step "work" ${says}`;
    await harness.user.create(Widget, widget());
    const result = await operator(working("work", when)).pass(KEY);
    expect(result).toMatchObject({ outcome: { type: "failed", step: "work" }, requeue: { type: "failure" } });
    expect(result).not.toHaveProperty("isPaused");
    expect(ran).toEqual([]);
    expect(await conditionOf("Ready")).toMatchObject({ status: "False", message });
    expect(await conditionOf("Paused")).toBeUndefined();
    expect(harness.logs.filter(({ level }) => level === "error")).toHaveLength(1);
  });

  test("and fails is Undecided in the Paused of pause()", async () => {
    await harness.user.create(Widget, widget());
    await pausing({}, working("work", throwing)).pass(KEY);
    expect(await conditionOf("Paused")).toMatchObject({ status: "Unknown", reason: "Undecided" });
  });

  test("and fails lets a deletion through", async () => {
    await harness.user.create(Widget, widget());
    await operator().pass(KEY);
    await harness.user.delete(Widget, REF);
    await operator(working("work", throwing)).pass(KEY);
    expect(ran.slice(2)).toEqual(["cleanup more", "cleanup work"]);
  });

  test("is refused if it is not a function", () => {
    expect(() => working("work", "now" as never)).toThrow(
      new TypeError('step "work": configures.pausesWhen must be a function of the object that returns a reason'),
    );
  });
});
