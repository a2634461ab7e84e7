import { ApiError } from "@treadle/apimachinery";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ReconcileError, RetryAfterError, TerminalError } from "../errors.ts";
import type { Asked, Failure, Waiting } from "../record/progress.ts";
import { decideRequeue, isTerminal, nextWait, paced } from "./requeue.ts";

const boom = new Error("boom");
const final = new TerminalError("final");
const later = (ms: number): Error => new RetryAfterError("later", ms);
const at = (rank: Failure["rank"], error: unknown): Failure => ({ rank, error });
const decide = (given: Partial<Parameters<typeof decideRequeue>[0]>) =>
  decideRequeue({ failures: [], asked: [], atOnce: undefined, waitMs: 400, ...given });

const fresh = (): Waiting => ({ reason: "", attempts: 0, inVain: 0 });

describe("the requeue of a pass", () => {
  const wait: Asked = { reason: "waits" };
  const waitMore: Asked = { reason: "waits more", afterMs: 7_000 };
  const revisit: Asked = { reason: "revisits", afterMs: 300 };
  const now: Asked = { reason: "now", afterMs: 0 };

  // failures x asked x at once: a failure outweighs everything, then at once, then the earliest wish.
  const failures = [
    { name: "nothing failed", failures: [], requeue: undefined },
    { name: "a step failed", failures: [at("step", boom)], requeue: { type: "failure" } },
    { name: "a step failed for good", failures: [at("step", final)], requeue: undefined },
    { name: "a step says when", failures: [at("step", later(9))], requeue: { type: "failure", afterMs: 9 } },
  ] as const;
  const asked = [
    { name: "no wish", asked: [], after: undefined },
    { name: "a wait with the backoff", asked: [wait], after: { afterMs: 400, reason: "waits" } },
    { name: "a wait with its own time", asked: [waitMore], after: { afterMs: 7_000, reason: "waits more" } },
    { name: "a revisit", asked: [revisit], after: { afterMs: 300, reason: "revisits" } },
    { name: "all of them", asked: [waitMore, wait, revisit], after: { afterMs: 300, reason: "revisits" } },
    { name: "one for now", asked: [wait, now], after: { afterMs: 0, reason: "now" } },
  ];
  const moves = [
    { name: "the object stayed", atOnce: undefined },
    { name: "the object moved on", atOnce: "moved" },
  ];
  const cases = failures.flatMap((f) => asked.flatMap((w) => moves.map((m) => ({ f, w, m }))));
  test.for(cases)("$f.name, $w.name, $m.name", ({ f, w, m }) => {
    const calm = w.after === undefined ? { type: "none" } : { type: "after", ...w.after };
    const want = f.requeue ?? (m.atOnce === undefined ? calm : { type: "after", afterMs: 0, reason: m.atOnce });
    expect(decide({ failures: f.failures, asked: w.asked, atOnce: m.atOnce })).toEqual(want);
  });

  test("of two equal asked the first is named", () => {
    expect(decide({ asked: [{ reason: "a", afterMs: 400 }, wait] })).toMatchObject({ reason: "a" });
  });
});

describe("which failure decides", () => {
  test.for<[string, readonly Failure[], number | undefined]>([
    ["save before post and step", [at("step", later(1)), at("post", later(2)), at("save", later(3))], 3],
    ["post before step", [at("step", later(1)), at("post", later(2))], 2],
    ["a failed save on the waiting, although a step said when", [at("step", later(1)), at("save", boom)], undefined],
    ["a step, where the save failed for good", [at("step", later(1)), at("save", final)], 1],
    ["the earlier of two steps", [at("step", later(5)), at("step", later(4))], 4],
    ["the waiting, where one of two steps is for it", [at("step", later(3_600_000)), at("step", boom)], undefined],
    ["the waiting, whatever the order", [at("step", boom), at("step", later(3_600_000))], undefined],
    ["the step that is not terminal", [at("step", final), at("step", later(4))], 4],
    ["the earliest of an AggregateError", [at("step", new AggregateError([later(5), later(4)]))], 4],
    ["the backoff for one in it", [at("step", new AggregateError([later(5), boom]))], undefined],
    ["what is not terminal in it", [at("step", new AggregateError([final, later(5)]))], 5],
    ["nested ones too", [at("step", new AggregateError([new AggregateError([later(5)]), later(6)]))], 5],
    ["an API server's Retry-After", [at("step", new ApiError({ message: "x", status: 429, retryAfterMs: 1_500 }))], 1_500],
    [
      "a Retry-After of the save",
      [at("save", new ReconcileError("ERR_SAVE_FAILED", "x", { cause: new ApiError({ message: "x", status: 503, retryAfterMs: 250 }) }))],
      250,
    ],
    ["a Retry-After of a day", [at("step", new ApiError({ message: "x", status: 429, retryAfterMs: 86_400_000 }))], 1_000_000],
    ["a Retry-After of 0", [at("step", new ApiError({ message: "x", status: 429, retryAfterMs: 0 }))], 0],
    ["429 without a time", [at("step", new ApiError({ message: "x", status: 429 }))], undefined],
    ["a time that is none", [at("step", new ApiError({ message: "x", status: 429, retryAfterMs: Number.NaN }))], undefined],
    ["a time in the past", [at("step", new ApiError({ message: "x", status: 429, retryAfterMs: -5 }))], undefined],
    ["a time without end", [at("step", new ApiError({ message: "x", status: 429, retryAfterMs: Number.POSITIVE_INFINITY }))], undefined],
    ["a save that failed with a terminal cause", [at("save", new ReconcileError("ERR_SAVE_FAILED", "x", { cause: final }))], undefined],
    ["something that is no error", [at("step", "text")], undefined],
    ["undefined", [at("step", undefined)], undefined],
  ])("%s", ([, failures, afterMs]) => {
    expect(decide({ failures })).toEqual(afterMs === undefined ? { type: "failure" } : { type: "failure", afterMs });
  });

  test.for<{ name: string; failures: readonly Failure[]; want: object }>([
    { name: "the profile of the failed step", failures: [{ ...at("step", boom), backoff: "external" }], want: { backoffs: ["external"] } },
    {
      name: "the profiles of all failed steps, each once",
      failures: [{ ...at("step", boom), backoff: "external" }, at("step", boom), { ...at("step", boom), backoff: "external" }],
      want: { backoffs: ["external", undefined] },
    },
    {
      name: "no profile of a step after a failed save",
      failures: [{ ...at("step", boom), backoff: "external" }, at("save", boom)],
      want: {},
    },
    {
      name: "no profile of a step that failed for good",
      failures: [{ ...at("step", final), backoff: "external" }, at("step", boom)],
      want: {},
    },
    {
      name: "the delay of the error beside the profile",
      failures: [{ ...at("step", later(9)), backoff: "external" }],
      want: { afterMs: 9, backoffs: ["external"] },
    },
  ])("a failure carries $name", ({ failures, want }) => {
    expect(decide({ failures })).toEqual({ type: "failure", ...want });
  });

  test("only terminal failures leave the asked to decide", () => {
    expect(decide({ failures: [at("step", final), at("post", final)] })).toEqual({ type: "none" });
    expect(decide({ failures: [at("step", final)], asked: [{ reason: "r", afterMs: 5 }] })).toEqual({
      type: "after",
      afterMs: 5,
      reason: "r",
    });
  });

  test.for<[string, unknown, boolean]>([
    ["a terminal error", final, true],
    ["a subclass", new (class Mine extends TerminalError {})("x"), true],
    ["several", new AggregateError([final, final]), true],
    ["several, one of them not", new AggregateError([final, boom]), false],
    ["none", new AggregateError([]), false],
    ["an aggregate that lost its errors", Object.assign(new AggregateError([final]), { errors: undefined }), false],
    ["another copy's", Object.defineProperty(new Error("x"), Symbol.for("treadle.reconcile.TerminalError"), { value: true }), true],
    ["null", null, false],
  ])("terminal: %s", ([, error, want]) => {
    expect(isTerminal(error)).toBe(want);
  });
});

describe("the waiting backoff", () => {
  const wait = (reason: string): readonly Asked[] => [{ reason }];

  test("starts at 50 ms and doubles to 10 s, and stays there", () => {
    const waiting = fresh();
    const delays = Array.from({ length: 100 }, () => nextWait(waiting, wait("r"), false));
    expect(delays.slice(0, 10)).toEqual([50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]);
    expect(new Set(delays.slice(8))).toEqual(new Set([10_000]));
  });

  test.for<[string, (waiting: Waiting) => number]>([
    ["another reason", (waiting) => nextWait(waiting, wait("other"), false)],
    ["progress", (waiting) => nextWait(waiting, wait("r"), true)],
    ["one more wait", (waiting) => nextWait(waiting, [{ reason: "r" }, { reason: "s" }], false)],
    ["a pass that did not wait", (waiting) => (nextWait(waiting, [], false), nextWait(waiting, wait("r"), false))],
    [
      "a pass that waited for a time of its own",
      (waiting) => (nextWait(waiting, [{ reason: "r", afterMs: 5 }], false), nextWait(waiting, wait("r"), false)),
    ],
  ])("starts anew after %s", ([, next]) => {
    const waiting = fresh();
    for (let i = 0; i < 5; i++) nextWait(waiting, wait("r"), false);
    expect(next(waiting)).toBe(50);
  });

  test.for<[string, (i: number) => string]>([
    ["seconds", (i) => `waiting for ${i * 1.5} s`],
    ["a count", (i) => `${i} of 3 replicas are ready`],
    ["a time", (i) => `since ${new Date(i * 1_000).toISOString()}`],
    ["an id", (i) => `request-id: ${"abcdef"[i]}b5f${"ghijkl"[i]}zzz is pending`],
  ])("goes on where a reason differs in %s only", ([, reason]) => {
    const waiting = fresh();
    expect([0, 1, 2, 3].map((i) => nextWait(waiting, wait(reason(i)), false))).toEqual([50, 100, 200, 400]);
  });

  test("goes on where the same parts wait in another order", () => {
    const waiting = fresh();
    const reasons = [{ reason: "r" }, { reason: "s" }];
    expect([reasons, reasons.toReversed(), reasons].map((asked) => nextWait(waiting, asked, false))).toEqual([50, 100, 200]);
  });

  test("waits with a delay do not change the backoff", () => {
    const waiting = fresh();
    nextWait(waiting, wait("r"), false);
    expect(nextWait(waiting, [{ reason: "r" }, { reason: "timed", afterMs: 5 }], false)).toBe(100);
  });

  // Between two and twelve hours of waiting or progressing: always a time from 50 ms to 10 s, never shorter than the last
  // one while nothing changed.
  test("never leaves its limits, and never falls without a reason", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ reason: fc.constantFrom("a", "b"), progressed: fc.boolean() }), { maxLength: 60 }), (passes) => {
        const waiting = fresh();
        let last: { readonly reason: string; readonly delay: number } | undefined;
        for (const { reason, progressed } of passes) {
          const delay = nextWait(waiting, wait(reason), progressed);
          expect(delay).toBeGreaterThanOrEqual(50);
          expect(delay).toBeLessThanOrEqual(10_000);
          if (last?.reason === reason && !progressed) expect(delay).toBe(Math.min(10_000, last.delay * 2));
          else expect(delay).toBe(50);
          last = { reason, delay };
        }
      }),
    );
  });
});

describe("at once", () => {
  const now: Asked = { reason: "now", afterMs: 0 };
  const later: Asked = { reason: "later", afterMs: 1 };

  /** The delay after one pass, as the engine has it. */
  const after = (waiting: Waiting, asked: readonly Asked[], progressed = false): number => {
    const paceds = paced(waiting, asked, progressed);
    const requeue = decideRequeue({ failures: [], asked: paceds, atOnce: undefined, waitMs: nextWait(waiting, paceds, progressed) });
    return requeue.type === "after" ? requeue.afterMs : -1;
  };

  test("is at once nine times in vain; then it is the waiting waiting, until something comes of it", () => {
    const waiting = fresh();
    expect(Array.from({ length: 14 }, () => after(waiting, [now]))).toEqual([...Array(9).fill(0), 50, 100, 200, 400, 800]);
    expect(after(waiting, [now], true)).toBe(0);
    expect(after(waiting, [now])).toBe(0);
  });

  test("a wait of 0 is always at once while the passes make progress", () => {
    const waiting = fresh();
    for (let i = 0; i < 1_000; i++) expect(after(waiting, [now], true)).toBe(0);
  });

  test("whose reason differs each time does not escape", () => {
    const waiting = fresh();
    const delays = Array.from({ length: 100 }, (_, i) => after(waiting, [{ ...now, reason: i % 2 === 0 ? "this" : "that" }]));
    expect(new Set(delays.slice(9))).toEqual(new Set([50]));
  });

  test("is no matter of what waits longer, or not at all", () => {
    const waiting = fresh();
    for (let i = 0; i < 100; i++) {
      expect(after(waiting, [later])).toBe(1);
      expect(after(waiting, [now])).toBe(0);
      expect(after(waiting, [])).toBe(-1);
    }
  });
});
