/**
 * Lets a tool load the program of an operator without running it. While the program is loaded, a manager that is started
 * only records its handlers and options. So the access rules of a program that starts at import can be generated, too.
 */
import type { AnyHandler } from "@treadle/reconcile";
import type { LeaderElectionOptions } from "./leader-election/options.ts";
import type { ManagerOptions, MetricsOptions, ServerOptions } from "./manager-options.ts";
import type { Runnable } from "./runnable.ts";

/** The handlers and options of a manager that was not run. */
export interface InspectedManager {
  /** The handlers that were added to the manager. */
  readonly handlers: readonly AnyHandler[];
  /** The runnables that were added to the manager. */
  readonly runnables: readonly Runnable[];
  /** As given to `createManager`; undefined: all. */
  readonly namespaces: readonly string[] | undefined;
  /** As given to `createManager`. */
  readonly leaderElection?: LeaderElectionOptions | boolean | undefined;
  /** As given to `createManager`. */
  readonly metrics?: MetricsOptions | false | undefined;
  /** As given to `createManager`. */
  readonly events?: boolean | undefined;
  /** As given to `createManager`. */
  readonly probes?: ServerOptions | false | undefined;
  /** As given to `createManager`. */
  readonly host?: string | undefined;
  /** As given to `createManager`. */
  readonly gracefulShutdownMs?: number | undefined;
  /** As given to `createManager`. */
  readonly configFile?: string | undefined;
}

/**
 * Calls `load`, which imports a program, and resolves with the managers that it started, in that order. Their `run()` and
 * `start()` resolve immediately. Do not run two loads at the same time.
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

/** Whether the program is only inspected; then the manager is recorded and must not run. */
export function isInspected({ handlers, runnables }: Pick<InspectedManager, "handlers" | "runnables">, options: ManagerOptions): boolean {
  const { namespaces, leaderElection, metrics, events, probes, host, gracefulShutdownMs, configFile } = options;
  place[KEY]?.push({ handlers, runnables, namespaces, leaderElection, metrics, events, probes, host, gracefulShutdownMs, configFile });
  return place[KEY] !== undefined;
}

/** The program may use another copy of this package, so the record is global. */
const KEY = Symbol.for("@treadle/controller/inspect-managers");
const place: { [KEY]?: InspectedManager[] } = globalThis as object;
