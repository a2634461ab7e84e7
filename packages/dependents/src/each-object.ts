/** Runs work for each object of a step: a few at once, for a limited time, and without keeping the event loop from other work. */
import { type Clock, TurnBudget } from "@treadle/apimachinery";

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

/** Limits of a run. */
export interface RunLimits {
  /** No object is begun after it ended. */
  readonly signal: AbortSignal;
  readonly clock: Pick<Clock, "now">;
  /** So many objects are worked on at once. */
  readonly atOnce: number;
  /** The deadline of the phase, in milliseconds. @defaultValue that of the handler */
  readonly timeoutMs?: number | undefined;
  /** When the time for all objects began, for several runs that share it. @defaultValue now */
  readonly beganAtMs?: number | undefined;
}

/** Runs `work` for each object. Never rejects. @returns how each ended, in the order of `objects` */
export async function runForEach<S, R>(
  { signal, clock, atOnce, timeoutMs = Number.POSITIVE_INFINITY, beganAtMs = clock.now() }: RunLimits,
  objects: readonly S[],
  work: (object: S) => Promise<R>,
): Promise<readonly Run<R>[]> {
  const endsAtMs = beganAtMs + Math.min(MAX_ROUND_MS, timeoutMs / 3);
  const turn = new TurnBudget({ maxMs: MAX_TURN_MS });
  const runs: Run<R>[] = objects.map(() => LEFT);
  const rest = objects.entries(); // The workers take their next object from one iterator.
  const worker = async (): Promise<void> => {
    for (const [i, object] of rest) {
      if (turn.isSpent) await turn.rest();
      if (signal.aborted || clock.now() > endsAtMs) return;
      turn.count();
      try {
        runs[i] = { type: "done", result: await work(object) };
      } catch (error) {
        runs[i] = { type: "failed", error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, objects.length) }, worker));
  return runs;
}

const LEFT = Object.freeze({ type: "left" } as const);
