/** What a queue is told and what it tells. */
import type { Clock } from "@treadle/apimachinery";

/** The priority of what a list or resync brings, so that changes overtake it (controller-runtime `LowPriority`). */
export const LOW_PRIORITY = -100;

export interface AddOptions {
  /**
   * Higher is sooner. A key that is queued already keeps the higher of both.
   * @defaultValue 0; for a delayed add of a key that is held, the priority with which it was handed out
   */
  readonly priority?: number;
}

export interface QueueOptions {
  /** @defaultValue the system's */
  readonly clock?: Clock;
  /** Between which keys to be fair. @defaultValue the namespace of `namespace/name` */
  readonly groupOf?: (key: string) => string;
  readonly observer?: QueueObserver;
}

/** Told what happens, for metrics; names follow client-go's workqueue metrics. It must be quick and must not throw. */
export interface QueueObserver {
  /** A key came in that was not waiting already (`workqueue_adds_total`). */
  added?(key: string, priority: number): void;
  /** How many keys wait at a priority, each time that it changes (`workqueue_depth`). */
  depth?(priority: number, keys: number): void;
  /** A key was added with a delay (`workqueue_retries_total`). */
  retried?(key: string): void;
  /** A key was handed out after waiting so long (`workqueue_queue_duration_seconds`). */
  started?(key: string, waitedMs: number): void;
  /** A key was done after so long (`workqueue_work_duration_seconds`). */
  finished?(key: string, workedMs: number): void;
}

/** The keys themselves, for people who look into a queue. */
export interface QueueKeys {
  /** Those that are held, the longest first. */
  readonly running: readonly { readonly key: string; readonly forMs: number }[];
  /** Those to be handed out, the highest priority first and then the oldest. */
  readonly queued: readonly { readonly key: string; readonly priority: number; readonly forMs: number }[];
  /** Those whose time has not come, the next first. */
  readonly delayed: readonly { readonly key: string; readonly inMs: number }[];
}

export interface QueueStatus {
  /** Keys to be handed out as soon as somebody asks, and keys that will be when their holder is done. */
  readonly queued: number;
  readonly running: number;
  /** Keys whose time has not come. */
  readonly delayed: number;
  /** When the first of them is due, in the clock's milliseconds. */
  readonly nextDueAt: number | undefined;
  /** How long the running keys have been running, added up (`workqueue_unfinished_work_seconds`). */
  readonly unfinishedMs: number;
  /** `workqueue_longest_running_processor_seconds` */
  readonly longestRunningMs: number;
}
