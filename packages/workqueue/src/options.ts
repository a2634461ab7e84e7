/** Options and reports of a {@link WorkQueue}. */
import type { Clock } from "@treadle/apimachinery";

/** The priority of keys from a list or resync, so that changes come first (controller-runtime `LowPriority`). */
export const LOW_PRIORITY = -100;

/** Options of {@link WorkQueue.add} and {@link WorkQueue.addAfter}. */
export interface AddOptions {
  /**
   * Priority; a higher one comes first. A queued key keeps the higher one of both.
   * @defaultValue 0; for a delayed add of a key that is held, the priority with which it was handed out
   */
  readonly priority?: number;
}

/** Callbacks for metrics. Each is named after a workqueue metric of client-go. They must be fast and must not throw. */
export interface QueueListeners {
  /** Called when a key is added that was not queued (`workqueue_adds_total`). */
  onAdded?(key: string, priority: number): void;
  /** Called when the number of ready keys of a priority changes (`workqueue_depth`). */
  onDepth?(priority: number, keys: number): void;
  /** Called when a key is added with a delay (`workqueue_retries_total`). */
  onRetried?(key: string): void;
  /** Called when a key is handed out, with its waiting time (`workqueue_queue_duration_seconds`). */
  onStarted?(key: string, waitedMs: number): void;
  /** Called when a key is done, with its working time (`workqueue_work_duration_seconds`). */
  onFinished?(key: string, workedMs: number): void;
}

/** Options of a {@link WorkQueue}. */
export interface QueueOptions extends QueueListeners {
  /** Clock of delays and durations. @defaultValue the system's */
  readonly clock?: Clock;
  /** Returns the group of a key. Groups take turns. @defaultValue the namespace of `namespace/name` */
  readonly groupOf?: (key: string) => string;
}

/** Lists the keys of a queue, for inspection. */
export interface QueueKeys {
  /** Keys that are held, the longest held first. */
  readonly running: readonly { readonly key: string; readonly forMs: number }[];
  /** Keys that are ready or wait for their holder, the highest priority first and then the oldest. */
  readonly queued: readonly { readonly key: string; readonly priority: number; readonly forMs: number }[];
  /** Keys that are not due yet, the next one first. */
  readonly delayed: readonly { readonly key: string; readonly inMs: number }[];
}

/** Counts the keys of a queue. */
export interface QueueStatus {
  /** Number of keys that are ready, or wait for their holder. */
  readonly queued: number;
  /** Number of keys that are held. */
  readonly running: number;
  /** Number of keys that are not due yet. */
  readonly delayed: number;
  /** Time at which the first delayed key is due, in milliseconds of the clock. */
  readonly nextDueAt: number | undefined;
  /** Sum of the times for which keys have been held, in milliseconds (`workqueue_unfinished_work_seconds`). */
  readonly unfinishedMs: number;
  /** Longest time for which a key has been held, in milliseconds (`workqueue_longest_running_processor_seconds`). */
  readonly longestRunningMs: number;
}
