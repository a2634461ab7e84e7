/** Runs work for each object of a step: a few at once, for a limited time, and without keeping the event loop from other work. */
import { TurnBudget } from "@treadle/apimachinery";
import type { Subject } from "./subjects.ts";
import type { AnyDoReq, Unit } from "./unit.ts";

/** As in dependentApplyAll(). */
const AT_ONCE = 5;

/** Maximum time of work in one turn of the event loop, in milliseconds. */
const MAX_TURN_MS = 10;

/**
 * Time after which no further object is begun, in milliseconds: a third of the default deadline of a step. The first write of many
 * objects takes several passes, and each of them reports how far it came.
 */
const MAX_ROUND_MS = 10_000;

/** How the work for one object ended. `left`: it was not begun. */
export type Run<R> =
  | { readonly type: "done"; readonly result: R }
  | { readonly type: "failed"; readonly error: unknown }
  | { readonly type: "left" };

/** Runs `work` for each object. Never rejects. @returns how each ended, in the order of `subjects` */
export async function runForEach<R>(
  { dependent, pass, req }: Unit<AnyDoReq>,
  subjects: readonly Subject[],
  work: (subject: Subject) => Promise<R>,
): Promise<readonly Run<R>[]> {
  const { timeoutMs = Number.POSITIVE_INFINITY } = dependent.options;
  const endsAtMs = pass.clock.now() + Math.min(MAX_ROUND_MS, timeoutMs / 3);
  const turn = new TurnBudget({ maxMs: MAX_TURN_MS });
  const runs: Run<R>[] = subjects.map(() => LEFT);
  const rest = subjects.entries(); // The workers take their next object from one iterator.
  const worker = async (): Promise<void> => {
    for (const [i, subject] of rest) {
      if (turn.isSpent) await turn.rest();
      if (req.signal.aborted || pass.clock.now() > endsAtMs) return;
      turn.count();
      try {
        runs[i] = { type: "done", result: await work(subject) };
      } catch (error) {
        runs[i] = { type: "failed", error };
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return runs;
}

const LEFT = Object.freeze({ type: "left" } as const);
