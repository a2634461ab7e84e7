import { beforeEach, describe, expect, test } from "vitest";
import { conditions, handler, PAUSED_ANNOTATION, RECONCILE_REQUESTED_ANNOTATION, type Requeue, step } from "../src/index.ts";
import { Widget, widget } from "./fixtures.ts";
import { type Harness, type Operator, startHarness } from "./harness.ts";

const KEY = "default/a";
const REF = { namespace: "default", name: "a" };

let harness: Harness;
let operator: Operator;
beforeEach(async () => {
  harness = await startHarness([Widget]);
  await harness.user.create(Widget, widget());
  operator = harness.operator(
    handler(Widget)
      .step(conditions())
      .step(step(Widget, { name: "work", do: (req) => req.wait("for rain") }))
      .build(),
  );
});

const annotate = async (annotations: Record<string, string | null>): Promise<unknown> =>
  await harness.user.patch(Widget, REF, { type: "merge", body: { metadata: { annotations } } });
const handled = async (): Promise<string | undefined> => (await harness.user.get(Widget, REF))?.status?.lastHandledReconcileAt;
const delayOf = ({ requeue }: { readonly requeue: Requeue }): unknown => (requeue.type === "after" ? requeue.afterMs : requeue);

describe("a request to reconcile now", () => {
  test("is written down when a pass has followed it, once", async () => {
    await operator.pass(KEY);
    expect(await handled()).toBeUndefined();
    await annotate({ [RECONCILE_REQUESTED_ANNOTATION]: "now" });
    expect(await operator.pass(KEY)).toMatchObject({ writes: 1 });
    expect(await handled()).toBe("now");
    expect(await operator.pass(KEY)).toMatchObject({ writes: 0 });
  });

  test("a requested pass cuts the waiting backoff short", async () => {
    const delays: unknown[] = [];
    for (let i = 0; i < 4; i++) delays.push(delayOf(await operator.pass(KEY)));
    expect(delays).toEqual([50, 100, 200, 400]);
    await annotate({ [RECONCILE_REQUESTED_ANNOTATION]: "1" });
    expect(delayOf(await operator.pass(KEY))).toBe(50);
    expect(delayOf(await operator.pass(KEY)), "the same request is followed once").toBe(100);
  });

  test("waits for the end of a pause", async () => {
    await annotate({ [PAUSED_ANNOTATION]: "true", [RECONCILE_REQUESTED_ANNOTATION]: "1" });
    await operator.pass(KEY);
    expect(await handled()).toBeUndefined();
    await annotate({ [PAUSED_ANNOTATION]: null });
    await operator.pass(KEY);
    expect(await handled()).toBe("1");
  });

  test("the field of the status is the engine's", async () => {
    const meddler = harness.operator(
      handler(Widget)
        .step(conditions())
        .step(step(Widget, { name: "work", do: (req) => void Object.assign(req.status, { lastHandledReconcileAt: "me" }) }))
        .build(),
    );
    expect(await meddler.pass(KEY)).toMatchObject({ outcome: { type: "failed", error: { code: "ERR_READ_ONLY" } } });
  });
});
