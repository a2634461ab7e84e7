/** Runnables: what lives as long as the operator besides its controllers. */
import type { Clock, Random } from "@treadle/apimachinery";
import type { Logger } from "@treadle/reconcile";

/** The services of the manager that a runnable gets. */
export interface RunnableEnv {
  /** The clock of the manager. */
  readonly clock: Clock;
  /** The random source of the manager. */
  readonly random: Random;
  /** The log of the runnable. */
  readonly log: Logger;
}

/** Something that the manager starts and stops with the operator. */
export interface Runnable {
  /** The name in messages. */
  readonly name?: string;
  /**
   * Called in the order in which runnables were added, after the caches have synced and before the first pass. It is
   * awaited, so start long work here and return. `signal` is aborted when the manager begins to stop; then the start is
   * not awaited any longer.
   */
  start(signal: AbortSignal, env: RunnableEnv): void | Promise<void>;
  /** Called in reverse order, after the last pass. */
  stop?(): void | Promise<void>;
  /**
   * False: the runnable runs in every replica as soon as the caches have synced. True: with leader election it starts when
   * this replica becomes the leader. @defaultValue true
   */
  readonly needsLeader?: boolean;
}
