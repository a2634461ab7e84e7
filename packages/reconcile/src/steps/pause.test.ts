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

function operator(options: PauseOptions = {}): Operator {
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

  test("keeps what was said before, Ready and observedGeneration too, until the annotation goes", async () => {
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
