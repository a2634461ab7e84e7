/** Runs steps of a pass by their order: each when those before it have ended, as many at once as allowed. */
import type { StepRuntime } from "../build/step-runtime.ts";

export interface GraphRun {
  readonly parts: readonly StepRuntime[];
  readonly concurrency: number;
  /** The parts that must have ended before. */
  readonly before: (part: StepRuntime) => readonly StepRuntime[];
  /** Runs a part. Never rejects. */
  readonly run: (part: StepRuntime) => Promise<unknown>;
  /** Tells, before each part, whether no more parts are begun. */
  readonly isOver: () => boolean;
}

/** Runs parts by their order. Resolves when every part has ended. Parts that can run begin in list order. */
export async function runGraph({ parts, concurrency, before, run, isOver }: GraphRun): Promise<void> {
  const ended = new Set<StepRuntime>();
  const waiting = new Set(parts);
  const running = new Set<Promise<void>>();
  const begin = (part: StepRuntime): void => {
    waiting.delete(part);
    const ran: Promise<void> = run(part).then(() => {
      ended.add(part);
      running.delete(ran);
    });
    running.add(ran);
  };
  for (;;) {
    for (const part of waiting) {
      if (isOver()) waiting.clear();
      if (running.size >= concurrency) break;
      if (waiting.has(part) && before(part).every((each) => ended.has(each))) begin(part);
    }
    if (running.size > 0) await Promise.race(running);
    else if (waiting.size === 0) return;
    else throw new Error(`the order of ${[...waiting].map(({ name }) => `"${name}"`).join(", ")} is a circle: none of them can begin`);
  }
}
