/** Transient failures of a step that keeps its conditions: Ready stays as it was for 60 s. */
import { ApiError, type Condition } from "@treadle/apimachinery";
import { conditions, handler, step, TerminalError } from "@treadle/reconcile";
import { beforeEach, expect, test } from "vitest";
import { boom, Widget, widget } from "./fixtures.ts";
import { type Harness, type Operator, startHarness } from "./harness.ts";

const KEY = "default/a";
const REF = { namespace: "default", name: "a" };
const unavailable = new ApiError({ message: "the cloud is down", status: 503 });
const conflict = new ApiError({ message: "changed", status: 409, reason: "Conflict", details: { name: "x" } });

let harness: Harness;
let error: unknown;
let keeps: boolean;
beforeEach(async () => {
  harness = await startHarness([Widget]);
  error = undefined;
  keeps = true;
  await harness.user.create(Widget, widget());
});

/** `sync` fails with `error`, and has said `keep` before; `after` follows it. */
function operator(): Operator {
  const sync = step(Widget, {
    name: "sync",
    conditions: ["Synced"],
    do(req) {
      if (keeps && error !== undefined) req.conditions.keep("Synced");
      if (error !== undefined) throw error;
      req.conditions.true("Synced");
    },
  });
  const after = step(Widget, { name: "after", conditions: ["After"], do: (req) => void req.conditions.true("After") });
  return harness.operator(handler(Widget).step(conditions()).step(sync).step(after).build());
}

const stored = async (): Promise<Record<string, string>> => {
  const list: readonly Condition[] = (await harness.user.get(Widget, REF))?.status?.conditions ?? [];
  return Object.fromEntries(list.map(({ type, status, reason }) => [type, `${status}/${reason}`]));
};
const READY = { Synced: "True/Synced", After: "True/After", Ready: "True/Ready" };

test("leaves Ready and the conditions of later steps as they were for 60 s, then shows", async () => {
  const operating = operator();
  await operating.pass(KEY);
  error = unavailable;
  expect((await operating.pass(KEY)).requeue).toEqual({ type: "failure", atMostMs: 60_000 });
  await harness.clock.advance(59_000);
  expect((await operating.pass(KEY)).requeue).toEqual({ type: "failure", atMostMs: 1_000 });
  expect(await stored()).toEqual(READY);
  await harness.clock.advance(1_000);
  expect((await operating.pass(KEY)).requeue).toEqual({ type: "failure" });
  expect(await stored()).toEqual({ Synced: "True/Synced", After: "Unknown/NotReached", Ready: "False/Server" });
});

test("begins again after a success", async () => {
  const operating = operator();
  await operating.pass(KEY);
  error = unavailable;
  await operating.pass(KEY);
  await harness.clock.advance(50_000);
  error = undefined;
  await operating.pass(KEY);
  error = unavailable;
  await harness.clock.advance(50_000);
  await operating.pass(KEY);
  expect(await stored()).toEqual(READY);
});

test("begins again with a new process", async () => {
  await operator().pass(KEY);
  error = unavailable;
  await operator().pass(KEY);
  await harness.clock.advance(61_000);
  expect((await operator().pass(KEY)).requeue).toEqual({ type: "failure", atMostMs: 60_000 });
  expect(await stored()).toEqual(READY);
});

test("leaves a Ready that was not True as it was", async () => {
  const operating = operator();
  error = new TerminalError("wrong");
  keeps = false;
  await operating.pass(KEY);
  const before = await stored();
  error = unavailable;
  keeps = true;
  await operating.pass(KEY);
  expect(await stored()).toEqual(before);
});

test("counts a conflict, which waits", async () => {
  const operating = operator();
  await operating.pass(KEY);
  error = conflict;
  expect((await operating.pass(KEY)).outcome).toMatchObject({ type: "wait" });
  expect(await stored()).toEqual(READY);
  await harness.clock.advance(60_000);
  await operating.pass(KEY);
  expect(await stored()).toMatchObject({ Ready: "Unknown/Waiting" });
});

test.for<{ readonly name: string; readonly given: unknown; readonly isKept?: boolean; readonly ready: string }>([
  { name: "a failure that is not transient", given: boom, ready: "False/Error" },
  {
    name: "a terminal failure with a transient cause",
    given: new TerminalError("no", { cause: unavailable }),
    ready: "False/TerminalError",
  },
  { name: "a step that does not keep its condition", given: unavailable, isKept: false, ready: "False/Server" },
])("$name shows at once", async ({ given, isKept = true, ready }) => {
  const operating = operator();
  await operating.pass(KEY);
  [error, keeps] = [given, isKept];
  await operating.pass(KEY);
  expect(await stored()).toMatchObject({ Ready: ready });
});

test("shows at once if Ready is about an earlier generation, or does not exist", async () => {
  const operating = operator();
  error = unavailable;
  await operating.pass(KEY);
  expect(await stored()).toMatchObject({ Ready: "False/Server" });
  error = undefined;
  await operating.pass(KEY);
  error = unavailable;
  await harness.user.patch(Widget, REF, { type: "merge", body: { spec: { size: 5 } } });
  await operating.pass(KEY);
  expect(await stored()).toMatchObject({ Ready: "False/Server" });
});

test.for([
  { name: "a condition that another step set", isSet: true, other: "False/Broken", ready: "False/Broken" },
  { name: "that another step set no condition", isSet: false, other: "Unknown/NotReported", ready: "Unknown/NotReported" },
])("does not hide $name in the same pass", async ({ isSet, other: expected, ready }) => {
  let isBroken = false;
  const other = step(Widget, {
    name: "other",
    conditions: ["Other"],
    do(req) {
      if (!isBroken) req.conditions.true("Other");
      else if (isSet) req.conditions.false("Other", "Broken", "b");
    },
  });
  const sync = step(Widget, {
    name: "sync",
    conditions: ["Synced"],
    do(req) {
      if (!isBroken) return void req.conditions.true("Synced");
      req.conditions.keep("Synced");
      throw unavailable;
    },
  });
  const operating = harness.operator(handler(Widget).step(conditions()).step(other).step(sync).build());
  await operating.pass(KEY);
  isBroken = true;
  await operating.pass(KEY);
  expect(await stored()).toEqual({ Other: expected, Synced: "True/Synced", Ready: ready });
});

test("leaves Stalled as it was, as it leaves Ready", async () => {
  let isDown = false;
  const sync = step(Widget, {
    name: "sync",
    conditions: ["Synced"],
    do(req) {
      if (!isDown) return void req.conditions.true("Synced");
      req.conditions.keep("Synced");
      throw unavailable;
    },
  });
  const person = step(Widget, { name: "person", do: (req) => req.stop("needs a person") });
  const built = handler(Widget)
    .step(conditions({ kstatus: true }))
    .step(sync)
    .step(person)
    .build();
  const operating = harness.operator(built);
  await operating.pass(KEY);
  const before = await stored();
  expect(before).toMatchObject({ Stalled: "True/Stopped" });
  isDown = true;
  await operating.pass(KEY);
  expect(await stored()).toEqual(before);
});
