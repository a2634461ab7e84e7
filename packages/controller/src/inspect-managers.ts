/**
 * Lets a tool load an operator's program without running it: while it is loaded, a manager that is told to run does
 * nothing but say what it would have run. Programs that start at import can be asked for their access rules like others.
 */
import type { AnyHandler } from "@treadle/reconcile";
import type { LeaderElectionOptions } from "./leader-election/options.ts";
import type { MetricsOptions } from "./manager-options.ts";

/** What a manager would have run. */
export interface InspectedManager {
  readonly handlers: readonly AnyHandler[];
  /** As given to `createManager`; undefined: all. */
  readonly namespaces: readonly string[] | undefined;
  /** As given to `createManager`. */
  readonly leaderElection?: LeaderElectionOptions | boolean | undefined;
  /** As given to `createManager`. */
  readonly metrics?: MetricsOptions | false | undefined;
}

/**
 * Calls `load`, which imports a program; resolves to what its managers would have run, in the order in which they were
 * told to. Their `run()` and `start()` resolve at once. Not for two loads at a time.
 *
 * @throws what `load` throws
 */
export async function inspectManagers(load: () => Promise<unknown>): Promise<readonly InspectedManager[]> {
  const found: InspectedManager[] = [];
  place[KEY] = found;
  try {
    await load();
  } finally {
    delete place[KEY];
  }
  return found;
}

/** Whether the program is only looked at; then `manager` is noted and must not run. */
export function isInspected(manager: InspectedManager): boolean {
  place[KEY]?.push(manager);
  return place[KEY] !== undefined;
}

/** The program may have a copy of this package of its own, so what both know hangs on the process. */
const KEY = Symbol.for("@treadle/controller/inspect-managers");
const place: { [KEY]?: InspectedManager[] } = globalThis as object;
