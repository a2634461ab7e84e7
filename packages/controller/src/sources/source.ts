/** Sources: what starts passes besides the events of the kinds that a handler declares. */
import type { Ref } from "@treadle/apimachinery";
import type { Cache } from "@treadle/reconcile";
import type { DeclaredWatch } from "@treadle/reconcile/unstable/engine";
import type { OpenWatch } from "../driver/open-watch.ts";
import type { RunnableEnv } from "../runnable.ts";

/**
 * Given to `manager.add(handler, { sources: [...] })`; `channel()`, `poll()` and those of your own. Runs where the passes
 * run: in the replica that leads, from before the first pass to after the last one.
 */
export interface Source {
  /** For messages. */
  readonly name: string;
  /** Awaited, so begin long work here and return. `signal` is aborted when the manager begins to stop. */
  start(signal: AbortSignal, env: SourceEnv): void | Promise<void>;
  /** Awaited, within what is left of `gracefulShutdownMs`. */
  stop?(): void | Promise<void>;
  /** Called at the end, also where `start` and `stop` were not since this replica never led: whoever still waits hears of it. */
  close?(): void;
}

export interface SourceEnv extends RunnableEnv {
  /**
   * Queues a pass for a primary, at once or after so many milliseconds; one that waits already is not queued twice. One
   * that no pass can run for, for its namespace, is logged. Never throws.
   */
  enqueue(ref: Ref, afterMs?: number): void;
  /** Of the kinds that the handlers of the manager declare. */
  readonly cache: Cache;
}

/** What the controller gives to `dynamicWatches()` in addition. */
export interface WatchingSourceEnv extends SourceEnv {
  /** Routes the events of one more kind. `id` must differ from those of the watches that are open. */
  watch(watch: DeclaredWatch, id: string): OpenWatch;
}
