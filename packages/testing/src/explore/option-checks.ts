/** Checks of the input of an exploration, so that invalid input never looks like a success. */
import type { AnyHandler } from "@treadle/reconcile";
import { idOf, type Point, POINT_TYPES } from "./fault-point.ts";
import type { RunOutcome } from "./run-outcome.ts";
import type { ExploreOptions } from "./scenario.ts";

/** Checks the options. @throws TypeError that names the option and its valid values */
export function checkOptions({ points, pairs = 0, budgetMs = 0, seed = 1, horizonMs = 1 }: ExploreOptions): void {
  demand(Number.isInteger(pairs) && pairs >= 0, "pairs", pairs, "a whole number from 0 on");
  demand(budgetMs >= 0, "budgetMs", budgetMs, "milliseconds from 0 on");
  demand(Number.isInteger(seed), "seed", seed, "a whole number");
  demand(Number.isFinite(horizonMs) && horizonMs > 0, "horizonMs", horizonMs, "finite milliseconds above 0");
  const types: readonly unknown[] = POINT_TYPES;
  if (Array.isArray(points))
    for (const type of points) demand(types.includes(type), "points", type, `a list of the types ${POINT_TYPES.join(", ")}`);
}

/** Checks the result of `external`. @throws TypeError for a promise */
export function checkExternal(external: unknown): void {
  if (external instanceof Promise)
    throw new TypeError("explore: `external` returns a promise: do asynchronous work before the call of explore()");
}

/** Checks the handlers. @throws TypeError without a handler */
export function checkHandlers(handlers: readonly AnyHandler[]): void {
  if (handlers.length === 0 || handlers.includes(undefined as never)) throw new TypeError("explore: the operator has no handler");
}

/** Checks the points. @throws TypeError if there is none */
export function checkPoints(all: readonly Point[], { writes, events }: RunOutcome): void {
  if (all.length > 0) return;
  const seen = `the reference has ${writes.length} writes and ${events.length} events`;
  throw new TypeError(`explore: there is no point to try: ${seen}, and \`points\` chooses none of them`);
}

/** Checks a replay. @throws TypeError if its fault did not happen */
export function checkReplay({ point, hasHappened, writes }: RunOutcome): void {
  if (hasHappened) return;
  throw new TypeError(
    `explore: cannot replay "${idOf(point)}": its fault did not happen in ${writes.length} writes, so the operator or the scenario has changed`,
  );
}

function demand(isMet: boolean, option: string, given: unknown, wanted: string): void {
  if (!isMet) throw new TypeError(`explore: ${option} is ${JSON.stringify(given) ?? String(given)}, but must be ${wanted}`);
}
