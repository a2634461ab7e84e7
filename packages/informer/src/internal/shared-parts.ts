/** The services that all informers of a process share. */
import { type Clock, isFakeClock, type Random, systemClock, systemRandom, TurnBudget } from "@treadle/apimachinery";
import { Freezer } from "./freeze.ts";
import { MemoryBudget, memoryLimitBytes } from "./memory-budget.ts";

/** 4 ms leave room below 10 ms for what the turn began with (a chunk of a stream) and for the last object (docs/benchmarks.md, Causes). */
const MAX_TURN_MS = 4;

/** Services that informers share. Together they take no more of a turn of the event loop than one informer alone. */
export interface SharedParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly turn: TurnBudget;
  readonly freezer: Freezer;
  readonly memory: MemoryBudget;
}

/** Creates the shared services, with the real ones for those that are absent. */
export function sharedParts(options: {
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  readonly memoryLimitBytes?: number | undefined;
}): SharedParts {
  const clock = options.clock ?? systemClock;
  return {
    clock,
    random: options.random ?? systemRandom,
    // In virtual time every run must be like the last one: a slow machine must not change the order of events.
    turn: new TurnBudget(isFakeClock(clock) ? {} : { maxMs: MAX_TURN_MS }),
    freezer: new Freezer(),
    memory: new MemoryBudget(options.memoryLimitBytes ?? memoryLimitBytes()),
  };
}
