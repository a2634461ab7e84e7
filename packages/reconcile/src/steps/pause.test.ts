import { beforeEach, describe, expect, test } from "vitest";
import { FINALIZER, Widget, widget } from "../../test/fixtures.ts";
import { type Harness, type Operator, startHarness } from "../../test/harness.ts";
import { handler } from "../handler.ts";
import { step } from "../step.ts";
import { conditions } from "./conditions.ts";
import { PAUSED_ANNOTATION, pause, type PauseOptions } from "./pause.ts";

const KEY = "default/a";
const REF = { namespace: "default", name: "a" };

let harness: Harness;
let ran: string[];
beforeEach(async () => {
  harness = await startHarness([Widget]);
  ran = [];
});

function operator(options: PauseOptions<Widget> = {}): Operator {
  return harness.operator(
    handler(Widget)
      .step(conditions())
      .step(
        step(Widget, {
          name: "work",
          conditions: ["Worked"],
          do(req) {
            ran.push("do");
            req.status.count = req.object.spec.size;
            req.conditions.true("Worked");
          },
          cleanup: () => void ran.push("cleanup"),
        }),
      )
      .step(pause(options))
      .build(),
  );
}

const live = async () => await harness.user.get(Widget, REF);
const conditionsOf = async (): Promise<Record<string, string>> =>
  Object.fromEntries(((await live())?.status?.conditions ?? []).map(({ type, status, reason }) => [type, `${status}/${reason}`]));
const annotate = async (annotations: Record<string, string | null>): Promise<unknown> =>
  await harness.user.patch(Widget, REF, { type: "merge", body: { metadata: { annotations } } });

describe("pause", () => {
  test("stops at the gate, wherever it stands: no step runs, no finalizer is taken, only Paused is written", async () => {
    await harness.user.create(Widget, widget({ annotations: { [PAUSED_ANNOTATION]: "true" } }));
    const result = await operator().pass(KEY);
    expect(result).toMatchObject({ outcome: { type: "stop", step: "pause", reason: "paused" }, requeue: { type: "none" }, writes: 1 });
    expect(ran).toEqual([]);
    expect((await live())?.metadata.finalizers).toBeUndefined();
    expect(await conditionsOf()).toMatchObject({ Paused: "True/Annotation", Worked: "Unknown/NotReached" });
  });

  test("a paused object keeps its status, Ready and observedGeneration included, until the annotation is removed", async () => {
    const paused = operator();
    await harness.user.create(Widget, widget());
    await paused.pass(KEY);
    expect(await conditionsOf()).toEqual({ Worked: "True/Worked", Paused: "False/NotPaused", Ready: "True/Ready" });

    await annotate({ [PAUSED_ANNOTATION]: "true" });
    await harness.user.patch(Widget, REF, { type: "merge", body: { spec: { size: 5 } } });
    await paused.pass(KEY);
    expect(await conditionsOf()).toEqual({ Worked: "True/Worked", Paused: "True/Annotation", Ready: "True/Ready" });
    expect((await live())?.status).toMatchObject({ count: 1, observedGeneration: 1 });
    expect(await paused.pass(KEY), "a second paused pass says nothing new").toMatchObject({ writes: 0 });

    await annotate({ [PAUSED_ANNOTATION]: null });
    await paused.pass(KEY);
    expect((await live())?.status).toMatchObject({ count: 5, observedGeneration: 2 });
    expect((await conditionsOf())["Paused"]).toBe("False/NotPaused");
  });

  test.for(["false", "", "True", "1", "yes"])("the value %j does not pause", async (value) => {
    await harness.user.create(Widget, widget({ annotations: { [PAUSED_ANNOTATION]: value } }));
    await operator().pass(KEY);
    expect(ran).toEqual(["do"]);
  });

  test("listens to another annotation if asked", async () => {
    await harness.user.create(Widget, widget({ annotations: { [PAUSED_ANNOTATION]: "true" } }));
    const other = operator({ annotation: "example.com/hands-off" });
    await other.pass(KEY);
    await annotate({ "example.com/hands-off": "true" });
    await other.pass(KEY);
    expect(ran).toEqual(["do"]);
    expect((await live())?.status?.conditions?.find(({ type }) => type === "Paused")?.message).toContain("example.com/hands-off");
  });

  test("lets a deletion through", async () => {
    await harness.user.create(Widget, widget());
    const paused = operator();
    await paused.pass(KEY);
    await annotate({ [PAUSED_ANNOTATION]: "true" });
    await harness.user.delete(Widget, REF);
    await paused.pass(KEY);
    expect(ran).toEqual(["do", "cleanup"]);
    expect(await live()).toBeUndefined();
  });

  test("holds a deletion if asked, and shows it", async () => {
    await harness.user.create(Widget, widget());
    const paused = operator({ deletions: true });
    await paused.pass(KEY);
    await annotate({ [PAUSED_ANNOTATION]: "true" });
    await harness.user.delete(Widget, REF);
    expect(await paused.pass(KEY)).toMatchObject({ outcome: { type: "stop" }, requeue: { type: "none" } });
    expect(ran).toEqual(["do"]);
    expect((await live())?.metadata.finalizers).toEqual([FINALIZER]);
    expect((await conditionsOf())["Paused"]).toBe("True/Annotation");

    await annotate({ [PAUSED_ANNOTATION]: null });
    await paused.pass(KEY);
    expect(ran).toEqual(["do", "cleanup"]);
    expect(await live()).toBeUndefined();
  });
});

describe("by a function", () => {
  const held = (options: PauseOptions<Widget> = {}): Operator =>
    operator({ when: ({ spec }) => (spec.note === undefined ? undefined : `note says ${spec.note}`), ...options });

  test("an object for which it returns a reason is paused, and Paused shows the reason", async () => {
    await harness.user.create(Widget, widget());
    const paused = held();
    await paused.pass(KEY);
    await harness.user.patch(Widget, REF, { type: "merge", body: { spec: { size: 5, note: "stop" } } });
    expect(await paused.pass(KEY)).toMatchObject({
      isPaused: true,
      outcome: { type: "stop", step: "pause", reason: "note says stop" },
      requeue: { type: "none" },
    });
    expect(ran).toEqual(["do"]);
    expect((await live())?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: "Paused", status: "True", reason: "Requested", message: "note says stop" }),
    );
    expect(await conditionsOf()).toMatchObject({ Worked: "True/Worked", Ready: "True/Ready" });
    expect(await paused.pass(KEY)).toMatchObject({ writes: 0 });

    await harness.user.patch(Widget, REF, { type: "merge", body: { spec: { note: null } } });
    expect(await paused.pass(KEY)).not.toHaveProperty("isPaused");
    expect(await conditionsOf()).toMatchObject({ Paused: "False/NotPaused" });
  });

  test("the annotation pauses as well, and is named first", async () => {
    await harness.user.create(Widget, widget({ spec: { note: "stop" }, annotations: { [PAUSED_ANNOTATION]: "true" } }));
    await held().pass(KEY);
    expect(await conditionsOf()).toMatchObject({ Paused: "True/Annotation" });
  });

  test.for([undefined, false, null, ""])("the answer %j does not pause", async (answer) => {
    await harness.user.create(Widget, widget());
    await operator({ when: () => answer as never }).pass(KEY);
    expect(ran).toEqual(["do"]);
  });

  test.for<{ name: string; when: () => unknown; message: string }>([
    {
      name: "throws",
      when: () => {
        throw new Error("boom");
      },
      message: "cannot decide whether the object is paused: when of pause() threw: boom",
    },
    {
      name: "returns a promise",
      when: () => Promise.reject(new Error("boom")),
      message: "cannot decide whether the object is paused: when of pause() returned a promise: decide by the object alone, without async",
    },
    {
      name: "returns true",
      when: () => true,
      message: "cannot decide whether the object is paused: when of pause() returned a boolean: return the reason as a text, or undefined",
    },
  ])("a function that $name runs no step; Ready and Paused report it", async ({ when, message }) => {
    await harness.user.create(Widget, widget());
    const result = await operator({ when: when as never }).pass(KEY);
    expect(result).toMatchObject({ outcome: { type: "failed", step: "pause" }, requeue: { type: "failure" } });
    expect(result).not.toHaveProperty("isPaused");
    expect(ran).toEqual([]);
    const { conditions: reported = [] } = (await live())?.status ?? {};
    expect(reported).toContainEqual(expect.objectContaining({ type: "Ready", status: "False", message }));
    expect(reported).toContainEqual(expect.objectContaining({ type: "Paused", status: "Unknown", reason: "Undecided", message }));
    expect(harness.logs.filter(({ level }) => level === "error")).toHaveLength(1);
  });

  test.for([
    { name: "does not ask for an object that is being deleted", deletions: false, cleaned: true },
    { name: "holds a deletion if asked", deletions: true, cleaned: false },
  ])("$name", async ({ deletions, cleaned }) => {
    await harness.user.create(Widget, widget());
    await held({ deletions }).pass(KEY);
    await harness.user.patch(Widget, REF, { type: "merge", body: { spec: { note: "stop" } } });
    await harness.user.delete(Widget, REF);
    await held({ deletions }).pass(KEY);
    expect(ran).toEqual(cleaned ? ["do", "cleanup"] : ["do"]);
  });

  test("a function that fails holds a deletion only if the handler pauses deletions", async () => {
    const when = (): never => {
      throw new Error("boom");
    };
    await harness.user.create(Widget, widget());
    await operator().pass(KEY);
    await harness.user.delete(Widget, REF);
    await operator({ when, deletions: true }).pass(KEY);
    expect(ran).toEqual(["do"]);
    expect((await live())?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: "Ready", status: "False", message: expect.stringContaining("threw: boom") }),
    );
    await operator({ when }).pass(KEY);
    expect(ran).toEqual(["do", "cleanup"]);
  });

  test("what is not a function is refused", () => {
    expect(() => pause({ when: "now" as never })).toThrow(
      new TypeError("pause: when must be a function of the object that returns a reason"),
    );
  });
});

describe("without the step", () => {
  const plain = (): Operator =>
    harness.operator(
      handler(Widget)
        .step(conditions())
        .step(
          step(Widget, {
            name: "work",
            gate: () => void ran.push("gate"),
            do: () => void ran.push("do"),
            cleanup: () => void ran.push("cleanup"),
            post: () => void ran.push("post"),
          }),
        )
        .build(),
    );

  test("every handler can be paused: no phase runs, no finalizer is added or removed, Ready and its generation stay", async () => {
    await harness.user.create(Widget, widget());
    const operator = plain();
    await operator.pass(KEY);
    expect(await conditionsOf()).toEqual({ Ready: "True/Ready" });
    ran = [];

    await annotate({ [PAUSED_ANNOTATION]: "true" });
    await harness.user.patch(Widget, REF, { type: "merge", body: { spec: { size: 5 } } });
    expect(await operator.pass(KEY)).toMatchObject({ isPaused: true, outcome: { type: "stop" }, requeue: { type: "none" }, phases: [] });
    expect(ran).toEqual([]);
    expect(await conditionsOf()).toEqual({ Ready: "True/Ready", Paused: "True/Annotation" });
    expect((await live())?.status?.observedGeneration).toBe(1);
    expect(await operator.pass(KEY), "a second paused pass says nothing new").toMatchObject({ writes: 0 });

    await annotate({ [PAUSED_ANNOTATION]: null });
    expect(await operator.pass(KEY)).not.toHaveProperty("isPaused");
    expect(ran).toEqual(["gate", "do", "post"]);
    expect(await conditionsOf(), "the condition went with the pause").toEqual({ Ready: "True/Ready" });
    expect(await operator.pass(KEY)).toMatchObject({ writes: 0 });
  });

  test("where managedFields cannot tell whose a condition is, its words do", async () => {
    await harness.user.create(Widget, widget());
    const condition = { type: "Paused", status: "True", reason: "Annotation", lastTransitionTime: "2026-01-01T00:00:00Z" };
    const say = async (message: string): Promise<unknown> =>
      await harness.user.patch(
        Widget,
        REF,
        { type: "merge", body: { status: { conditions: [{ ...condition, message }] } } },
        { subresource: "status" },
      );
    await say("the user of the cluster says so");
    await plain().pass(KEY);
    expect(await conditionsOf()).toMatchObject({ Paused: "True/Annotation" });
    await say(`the annotation ${PAUSED_ANNOTATION} pauses this object`);
    await plain().pass(KEY);
    expect(await conditionsOf()).not.toHaveProperty("Paused");
  });

  test("a handler that leaves Ready to another one reports nothing", async () => {
    await harness.user.create(Widget, widget({ annotations: { [PAUSED_ANNOTATION]: "true" } }));
    const second = harness.operator(
      handler(Widget, { name: "second" })
        .step(conditions({ ready: false }))
        .build(),
    );
    expect(await second.pass(KEY)).toMatchObject({ isPaused: true, writes: 0 });
  });
});
