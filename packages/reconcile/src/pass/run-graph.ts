/** Runs steps of a pass by their order: each when those before it are done, as many at once as allowed. */
import type { StepRuntime } from "../build/step-runtime.ts";

export interface GraphRun {
  readonly parts: readonly StepRuntime[];
  readonly concurrency: number;
  /** The parts that must be done before. */
  readonly before: (part: StepRuntime) => readonly StepRuntime[];
  /** Runs a part; resolves to whether it is done. Never rejects. */
  readonly run: (part: StepRuntime) => Promise<boolean>;
  /** Called for a part that cannot run because these parts are not done. Never rejects. */
  readonly blocked: (part: StepRuntime, by: readonly StepRuntime[]) => void | Promise<void>;
  /** Tells, before each part, whether no more parts are begun. */
  readonly isOver: () => boolean;
}

/** Runs parts by their order. Resolves when every part has run or cannot run. Parts that can run begin in list order. */
export async function runGraph({ parts, concurrency, before, run, blocked, isOver }: GraphRun): Promise<void> {
  const isDone = new Map<StepRuntime, boolean>();
  const waiting = new Set(parts);
  const running = new Set<Promise<void>>();
  const begin = (part: StepRuntime, work: Promise<boolean>): void => {
    waiting.delete(part);
    const ran: Promise<void> = work.then((done) => {
      isDone.set(part, done);
      running.delete(ran);
    });
    running.add(ran);
  };
  for (;;) {
    for (const part of waiting) {
      if (isOver()) waiting.clear();
      if (!waiting.has(part)) continue;
      const needed = before(part);
      const failed = needed.filter((each) => isDone.get(each) === false);
      if (running.size >= concurrency) continue;
      if (failed.length > 0)
        begin(
          part,
          Promise.resolve(blocked(part, failed)).then(() => false),
        );
      else if (needed.every((each) => isDone.get(each) === true)) begin(part, run(part));
    }
    if (running.size > 0) await Promise.race(running);
    else if (waiting.size === 0) return;
    else if (![...waiting].some((part) => before(part).some((each) => isDone.get(each) === false)))
      throw new Error(`the order of ${[...waiting].map(({ name }) => `"${name}"`).join(", ")} is a circle: none of them can begin`);
  }
}

/** Returns the parts on a circle of the order, the first one repeated at the end; `undefined` if there is no circle. */
export function findCircle(
  parts: readonly StepRuntime[],
  before: (part: StepRuntime) => readonly StepRuntime[],
): readonly StepRuntime[] | undefined {
  const known = new Set<StepRuntime>();
  const visit = (part: StepRuntime, path: readonly StepRuntime[]): readonly StepRuntime[] | undefined => {
    const start = path.indexOf(part);
    if (start >= 0) return [...path.slice(start), part];
    if (known.has(part)) return undefined;
    known.add(part);
    for (const each of before(part)) {
      const circle = visit(each, [...path, part]);
      if (circle !== undefined) return circle;
    }
    return undefined;
  };
  for (const part of parts) {
    const circle = visit(part, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}
