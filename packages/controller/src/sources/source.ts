/** Sources: they start passes in addition to the events of the kinds that a handler declares. */
import type { Ref } from "@treadle/apimachinery";
import type { Cache } from "@treadle/reconcile";
import type { DeclaredWatch } from "@treadle/reconcile/unstable/engine";
import type { OpenWatch } from "../driver/open-watch.ts";
import type { RunnableEnv } from "../runnable.ts";

/**
 * Starts passes of one controller: `manager.add(handler, { sources: [...] })`. Use `channel()`, `poll()`, or a custom source.
 * It runs where the passes run: in the leader, from before the first pass until after the last one.
 */
export interface Source {
  /** The name in messages. */
  readonly name: string;
  /** Starts the source. It is awaited, so start long work here and return. `signal` is aborted when the manager begins to stop. */
  start(signal: AbortSignal, env: SourceEnv): void | Promise<void>;
  /** Stops the source. It is awaited, within the rest of `gracefulShutdownMs`. */
  stop?(): void | Promise<void>;
  /** Called at the end, also if this replica never led, so that `start` was not called: reject the callers that still wait. */
  close?(): void;
}

/** What a source gets from its controller. */
export interface SourceEnv extends Pick<RunnableEnv, "clock" | "random" | "log"> {
  /**
   * Queues a pass for a primary, immediately or after `afterMs` milliseconds; a queued key is not queued again. A reference
   * that no pass can run for, such as one in another namespace, is logged. Never throws.
   */
  enqueue(ref: Ref, afterMs?: number): void;
  /** The objects of the kinds that the handlers of the manager declare. */
  readonly cache: Cache;
}

/** What the controller gives to `dynamicWatches()` in addition. */
export interface WatchingSourceEnv extends SourceEnv {
  /** Routes the events of one more kind. `id` must differ from those of the watches that are open. */
  watch(watch: DeclaredWatch, id: string): OpenWatch;
}
