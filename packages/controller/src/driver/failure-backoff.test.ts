import { ApiError, fakeClock } from "@treadle/apimachinery";
import type { Requeue } from "@treadle/reconcile";
import type { BackoffProfile } from "@treadle/workqueue";
import { describe, expect, test } from "vitest";
import { type EndedPass, FailureBackoff } from "./failure-backoff.ts";

const refusal = (status: number): ApiError => new ApiError({ status, reason: "Forbidden", message: "you may not" });
const fails: Requeue = { type: "failure" };
const asks: Requeue = { type: "failure", afterMs: 7_000 };
const now: EndedPass = { requeue: { type: "failure", afterMs: 0 } };
const waits: Requeue = { type: "after", afterMs: 50, reason: "not yet" };
const done: Requeue = { type: "none" };

test.for<{ name: string; passes: readonly EndedPass[]; want: readonly (number | undefined)[] }>([
  { name: "failures double", passes: [{ requeue: fails }, { requeue: fails }, { requeue: fails }], want: [5, 10, 20] },
  { name: "an error that names its delay counts", passes: [{ requeue: asks }, { requeue: fails }], want: [7_000, 10] },
  {
    // The header of another server may say so forever.
    name: "an error that asks for no delay at all takes the backoff's",
    passes: [now, now, { requeue: fails }, now],
    want: [5, 10, 20, 40],
  },
  {
    name: "a failure that must be due in time takes the shorter delay",
    passes: [
      { requeue: { type: "failure", atMostMs: 3 } },
      { requeue: { type: "failure", atMostMs: 60_000 } },
      { requeue: { type: "failure", afterMs: 7_000, atMostMs: 6_000 } },
      { requeue: fails },
    ],
    want: [3, 10, 6_000, 40],
  },
  {
    name: "a wait and a success start the backoff again",
    passes: [{ requeue: fails }, { requeue: waits }, { requeue: fails }, { requeue: done }, { requeue: fails }],
    want: [5, 50, 5, undefined, 5],
  },
  {
    name: "a new object of the same name starts the backoff again",
    passes: [
      { requeue: fails, uid: "old" },
      { requeue: fails, uid: "old" },
      { requeue: fails, uid: "new" },
      { requeue: fails, uid: "new" },
    ],
    want: [5, 10, 5, 10],
  },
  {
    name: "a pass that does not know its object counts for the one that is counted",
    passes: [{ requeue: fails, uid: "a" }, { requeue: fails }, { requeue: fails, uid: "a" }],
    want: [5, 10, 20],
  },
  {
    name: "what the server refuses is tried again every two minutes at least, however it is told",
    passes: [
      ...Array.from({ length: 16 }, () => ({ requeue: fails })),
      { requeue: fails, error: new AggregateError([new Error("no"), new Error("cannot save", { cause: refusal(403) })]) },
      { requeue: fails, error: refusal(401) },
      { requeue: fails, error: new ApiError({ status: 500, message: "etcd" }) },
    ],
    want: [...Array.from({ length: 16 }, (_, i) => 5 * 2 ** i), 120_000, 120_000, 1_000_000],
  },
])("$name", ({ passes, want }, { expect }) => {
  const backoff = new FailureBackoff({ baseMs: 5, maxMs: 1_000_000 }, fakeClock());
  expect(passes.map((pass) => backoff.delayAfter("k", pass))).toEqual(want);
});

test("the failures of one key do not count for another, and forgetting resets them", () => {
  const backoff = new FailureBackoff({ baseMs: 5, maxMs: 1_000_000 }, fakeClock());
  const next = (key: string): number | undefined => backoff.delayAfter(key, { requeue: fails, uid: key });
  expect([next("a"), next("a"), next("b")]).toEqual([5, 10, 5]);
  backoff.forget("a");
  expect([next("a"), next("b")]).toEqual([5, 10]);
});

describe("the profiles of steps", () => {
  const failed = (...backoffs: readonly (BackoffProfile | undefined)[]): EndedPass => ({ requeue: { type: "failure", backoffs } });
  const delays = (fixed: BackoffProfile | undefined, passes: readonly EndedPass[]): readonly unknown[] => {
    const backoff = new FailureBackoff(fixed, fakeClock());
    return passes.map((pass) => backoff.delayAfter("k", pass));
  };
  test.for<{ name: string; fixed?: BackoffProfile; passes: readonly EndedPass[]; want: readonly (number | undefined)[] }>([
    { name: "without one the profile is cluster", passes: [{ requeue: fails }, { requeue: fails }], want: [5, 10] },
    { name: "the step that failed decides", passes: [failed("external"), failed("external")], want: [1_000, 2_000] },
    {
      name: "the options of manager.add replace it",
      fixed: "cluster",
      passes: [failed("external"), failed("external")],
      want: [5, 10],
    },
    {
      name: "of several steps the earliest delay decides",
      passes: [failed("external", undefined), failed("external", undefined)],
      want: [5, 10],
    },
    {
      name: "each profile counts the failures of its steps",
      passes: [failed("external"), { requeue: fails }, failed("external"), { requeue: done }, failed("external")],
      want: [1_000, 5, 2_000, undefined, 1_000],
    },
    {
      name: "the default and cluster are one profile, which counts a pass once",
      passes: [failed(undefined, "cluster"), failed(undefined, "cluster"), failed(undefined, "cluster")],
      want: [5, 10, 20],
    },
    { name: "a custom profile", passes: [failed({ baseMs: 7, maxMs: 7 })], want: [7] },
  ])("$name", ({ fixed, passes, want }, { expect }) => {
    expect(delays(fixed, passes)).toEqual(want);
  });
});
