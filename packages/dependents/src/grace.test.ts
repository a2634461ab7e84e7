/**
 * Properties of the grace clock, for any sequence of passes:
 * - It does not run outside of converging, and there is none in the expected state.
 * - Its time is the sum of the intervals that began and ended in converging since the last restart.
 * - It restarts when the generation or a known digest changes, and for no other reason.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type GraceClock, type GraceFacts, spentMs, tick } from "./grace.ts";

const CLOCK: GraceClock = { generation: 1, digests: { a: "x" }, spentMs: 5, sinceMs: 100 };
const facts = (given: Partial<GraceFacts>): GraceFacts => ({ nowMs: 110, generation: 1, digests: { a: "x" }, phase: "running", ...given });

describe("the grace clock", () => {
  test.for<{ name: string; reason: string; clock: GraceClock | undefined; given: Partial<GraceFacts>; want: GraceClock | undefined }>([
    { name: "begins", reason: "first pass that converges", clock: undefined, given: {}, want: { ...CLOCK, spentMs: 0, sinceMs: 110 } },
    { name: "runs on", reason: "nothing to store", clock: CLOCK, given: {}, want: CLOCK },
    {
      name: "stops",
      reason: "blocked or failed",
      clock: CLOCK,
      given: { phase: "standing" },
      want: { generation: 1, digests: { a: "x" }, spentMs: 15 },
    },
    {
      name: "goes on",
      reason: "the block has ended",
      clock: { generation: 1, digests: { a: "x" }, spentMs: 15 },
      given: {},
      want: { ...CLOCK, spentMs: 15, sinceMs: 110 },
    },
    { name: "ends", reason: "expected state", clock: CLOCK, given: { phase: "over" }, want: undefined },
    { name: "does not begin", reason: "not converging", clock: undefined, given: { phase: "standing" }, want: undefined },
    {
      name: "restarts",
      reason: "another generation",
      clock: CLOCK,
      given: { generation: 2 },
      want: { ...CLOCK, generation: 2, spentMs: 0, sinceMs: 110 },
    },
    {
      name: "restarts",
      reason: "another digest",
      clock: CLOCK,
      given: { digests: { a: "y" } },
      want: { ...CLOCK, digests: { a: "y" }, spentMs: 0, sinceMs: 110 },
    },
    {
      name: "notes a digest",
      reason: "a first digest is no change",
      clock: CLOCK,
      given: { digests: { b: "z" } },
      want: { ...CLOCK, digests: { a: "x", b: "z" } },
    },
    { name: "ignores a time before its own", reason: "clocks are set back", clock: CLOCK, given: { nowMs: 50 }, want: CLOCK },
  ])("$name: $reason", ({ clock, given, want }) => {
    expect(tick(clock, facts(given))).toEqual(want);
  });

  test("a clock that was set back does not count less than before", () => {
    expect(spentMs(CLOCK, 50)).toBe(5);
    expect(tick(CLOCK, facts({ nowMs: 50, phase: "standing" }))?.spentMs).toBe(5);
  });

  test("an unchanged clock is the same value", () => {
    expect(tick(CLOCK, facts({}))).toBe(CLOCK);
    const standing = tick(CLOCK, facts({ phase: "standing" }));
    expect(tick(standing, facts({ phase: "standing", nowMs: 999 }))).toBe(standing);
  });
});

interface Pass {
  readonly afterMs: number;
  readonly phase: GraceFacts["phase"];
  readonly isEdited: boolean;
  readonly digests: Readonly<Record<string, string>>;
}

const PASSES = fc.array(
  fc.record<Pass>({
    afterMs: fc.nat(1_000),
    phase: fc.constantFrom("running", "running", "running", "standing", "over"),
    isEdited: fc.boolean(),
    digests: fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom("x", "y")),
  }),
  { maxLength: 30 },
);

test("for any passes the time is that of the running intervals since the last restart", () => {
  fc.assert(
    fc.property(PASSES, (passes) => {
      let clock: GraceClock | undefined;
      let nowMs = 0;
      let generation = 1;
      // The model: how long it ran, and what is known.
      let ranMs = 0;
      let isRunning = false;
      let known: Record<string, string> | undefined;
      let knownGeneration = 1;
      for (const { afterMs, phase, isEdited, digests } of passes) {
        nowMs += afterMs;
        if (isEdited) generation++;
        if (isRunning) ranMs += afterMs;
        clock = tick(clock, { nowMs, generation, digests, phase });
        if (phase === "over") {
          known = undefined;
          ranMs = 0;
        } else if (phase === "running") {
          const before = known;
          const isChanged = Object.entries(digests).some(([name, digest]) => before?.[name] !== undefined && before[name] !== digest);
          if (before === undefined || knownGeneration !== generation || isChanged) ranMs = 0;
          known = { ...before, ...digests };
          knownGeneration = generation;
        }
        isRunning = phase === "running";
        expect(clock?.sinceMs !== undefined).toBe(isRunning);
        expect(clock === undefined).toBe(known === undefined);
        if (clock !== undefined) expect(spentMs(clock, nowMs)).toBe(ranMs);
      }
    }),
  );
});

test("for any passes without a change of generation or digest the clock never restarts", () => {
  fc.assert(
    fc.property(PASSES, (passes) => {
      let clock: GraceClock | undefined;
      let nowMs = 0;
      let before = 0;
      for (const { afterMs, phase } of passes.filter((each) => each.phase !== "over")) {
        nowMs += afterMs;
        clock = tick(clock, { nowMs, generation: 1, digests: { a: "x" }, phase });
        const spent = clock === undefined ? 0 : spentMs(clock, nowMs);
        expect(spent).toBeGreaterThanOrEqual(before);
        before = spent;
      }
    }),
  );
});
