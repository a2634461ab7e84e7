/** What is no exploration: said before or instead of a result that would look like a success. */
import type { AnyHandler } from "@treadle/reconcile";
import { idOf, type Point, POINT_TYPES } from "./fault-point.ts";
import type { RunOutcome } from "./run-outcome.ts";
import type { ExploreOptions } from "./scenario.ts";

/** @throws TypeError that names the option and what it may be */
export function checkOptions({ points, pairs = 0, budgetMs = 0, seed = 1, horizonMs = 1 }: ExploreOptions): void {
  demand(Number.isInteger(pairs) && pairs >= 0, "pairs", pairs, "a whole number from 0 on");
  demand(budgetMs >= 0, "budgetMs", budgetMs, "milliseconds from 0 on");
  demand(Number.isInteger(seed), "seed", seed, "a whole number");
  demand(Number.isFinite(horizonMs) && horizonMs > 0, "horizonMs", horizonMs, "finite milliseconds above 0");
  const kinds: readonly unknown[] = POINT_TYPES;
  if (Array.isArray(points))
    for (const kind of points) demand(kinds.includes(kind), "points", kind, `made of the kinds ${POINT_TYPES.join(", ")}`);
}

/** @throws TypeError for a external that is not there yet, with which every fake would be a promise */
export function checkExternal(external: unknown): void {
  if (external instanceof Promise)
    throw new TypeError("explore: `external` gives a promise: make what needs a wait before explore() is called");
}

/** @throws TypeError without a handler: nothing would be tried */
export function checkHandlers(handlers: readonly AnyHandler[]): void {
  if (handlers.length === 0 || handlers.includes(undefined as never)) throw new TypeError("explore: the operator has no handler");
}

/** @throws TypeError where the search would try nothing, and find nothing wrong */
export function checkPoints(all: readonly Point[], { writes, events }: RunOutcome): void {
  if (all.length > 0) return;
  const seen = `the reference has ${writes.length} writes and ${events.length} events`;
  throw new TypeError(`explore: there is no point to try: ${seen}, and \`points\` chooses none of them`);
}

/** @throws TypeError for a replay in which the fault never came: that nothing is wrong then says nothing */
export function checkReplay({ point, hasStruck, writes }: RunOutcome): void {
  if (hasStruck) return;
  throw new TypeError(
    `explore: cannot replay "${idOf(point)}": it did not strike, the run was over after ${writes.length} writes; the operator or the scenario is not the one that failed`,
  );
}

function demand(isMet: boolean, option: string, given: unknown, wanted: string): void {
  if (!isMet) throw new TypeError(`explore: ${option} is ${JSON.stringify(given) ?? String(given)}, and must be ${wanted}`);
}
