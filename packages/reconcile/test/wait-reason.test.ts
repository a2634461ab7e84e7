/** What a pass waits for, as its result has it for metrics. */
import { ApiError } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import { type AnyHandler, all, conditions, handler, one, PAUSED_ANNOTATION, type Step, step } from "@treadle/reconcile";
import { defineStep, waitBecause } from "@treadle/reconcile/unstable/engine";
import { beforeEach, expect, test } from "vitest";
import { boom, Widget, widget } from "./fixtures.ts";
import { type Harness, startHarness } from "./harness.ts";

let harness: Harness;
beforeEach(async () => {
  harness = await startHarness([Widget]);
});

const KEY = "default/a";
const conflict = new ApiError({ message: "changed", status: 409, reason: "Conflict", details: { name: "x" } });

const of = (...steps: readonly Step<Widget>[]): AnyHandler =>
  steps.reduce<ReturnType<typeof empty>>((list, each) => list.step(each), empty()).build();
const empty = () => handler(Widget).step(conditions());
const raw = (run: () => unknown): Step<Widget> => defineStep(Widget, { name: "raw", do: run }) as Step<Widget>;

const plain = step(Widget, { name: "plain", do: (req) => req.wait("it is early") });
const failing = step(Widget, {
  name: "failing",
  do() {
    throw boom;
  },
});
const reporting = step(Widget, {
  name: "reporting",
  conditions: ["Found", "Made", "Tried"],
  do(req) {
    req.conditions.true("Found");
    req.conditions.false("Tried", "NotTried", "later");
    req.conditions.unknown("Made", "WaitingForReference", "a reference is missing");
    return req.wait("a reference is missing");
  },
});
const keeping = step(Widget, {
  name: "keeping",
  conditions: ["Kept"],
  do(req) {
    req.conditions.keep("Kept");
    return req.wait("it is early");
  },
});

test.for<{ name: string; by: AnyHandler; want: string | undefined; annotations?: Record<string, string> }>([
  { name: "a wait of a step without conditions", by: of(plain), want: "Waiting" },
  { name: "the first declared condition of the step that is not True", by: of(reporting), want: "WaitingForReference" },
  { name: "a wait of a step that keeps its condition", by: of(keeping), want: "Waiting" },
  { name: "a wait with a reason of its own", by: of(raw(() => waitBecause("no token", { code: "RateLimited" }))), want: "RateLimited" },
  {
    name: "a read of a kind that is not served",
    by: of(step(Widget, { name: "reading", reads: { secret: one(Secret, () => "missing") }, do: () => undefined }) as Step<Widget>),
    want: "KindNotInstalled",
  },
  {
    name: "a conflict",
    by: of(
      raw(() => {
        throw conflict;
      }),
    ),
    want: "Conflict",
  },
  { name: "a gate that waits", by: of(step(Widget, { name: "gated", gate: (req) => req.wait("closed") })), want: "Waiting" },
  {
    name: "a part of a composite",
    by: of(all("both", [reporting, step(Widget, { name: "ok", do: () => undefined })])),
    want: "WaitingForReference",
  },
  { name: "a failure", by: of(failing), want: undefined },
  { name: "a wait beside a failure", by: of(all("both", [reporting, failing])), want: undefined },
  { name: "a step that continues", by: of(step(Widget, { name: "ok", do: () => undefined })), want: undefined },
  { name: "a revisit", by: of(step(Widget, { name: "polls", do: (req) => req.revisit(1_000, "polls") })), want: undefined },
  { name: "a stop", by: of(step(Widget, { name: "stops", do: (req) => req.stop("enough") })), want: undefined },
  { name: "a pause", by: of(plain), want: undefined, annotations: { [PAUSED_ANNOTATION]: "true" } },
])("a pass that ends with $name has the wait reason $want", async ({ by, want, annotations = {} }) => {
  await harness.user.create(Widget, widget({ annotations }));
  expect((await harness.operator(by, { isServed: ({ kind }) => kind !== "Secret" }).pass(KEY)).waitReason).toBe(want);
});

test("a pass that a change of another writer ends has the wait reason Conflict", async () => {
  await harness.user.create(Widget, widget());
  let isFirst = true;
  harness.intercept = async ({ method }, send) => {
    if (method === "PATCH" && isFirst) {
      isFirst = false;
      await harness.user.patch(Widget, { namespace: "default", name: "a" }, { type: "merge", body: { spec: { size: 7 } } });
    }
    return await send();
  };
  const cleaning = step(Widget, { name: "cleaning", do: () => undefined, cleanup: () => undefined });
  const result = await harness.operator(of(cleaning)).pass(KEY);
  expect(result).toMatchObject({ waitReason: "Conflict", requeue: { type: "after" } });
  expect(result).not.toHaveProperty("error");
});

test("a pass that a shutdown ends has no wait reason", async () => {
  await harness.user.create(Widget, widget());
  expect(await harness.operator(of(plain)).pass(KEY, { signal: AbortSignal.abort(boom) })).not.toHaveProperty("waitReason");
});
