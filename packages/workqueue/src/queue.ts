/**
 * The queue between events and passes. Keys go in, and workers take keys out.
 *
 * Guarantees
 * - A key is in the queue at most once, however often it was added, and has at most one holder at a time.
 * - A key that is added while it is held is handed out exactly once after `done`.
 * - The earliest delay of a key wins, and the highest priority.
 * - Higher priorities come first. In a priority the groups (by default: namespaces) take turns, so that none starves. In a group
 *   the order is first in, first out.
 * - No key is lost: keys that were added before `stop` are handed out, unless `stop` drops them.
 * - Delays are counted by `Clock.elapsed`, so a change of the system time does not move them.
 *
 * The queue runs nothing by itself and does not keep the process alive.
 */
import { type Clock, refOf, systemClock, type Timer } from "@treadle/apimachinery";
import { Pending } from "./internal/pending.ts";
import type { AddOptions, QueueKeys, QueueListeners, QueueOptions, QueueStatus } from "./options.ts";

interface Waiter {
  readonly resolve: (key: string | undefined) => void;
}

/** Holds the keys that need work, each once. See the guarantees at the top of the file. */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #listeners: QueueListeners;
  readonly #pending: Pending;
  readonly #running = new Map<string, { readonly priority: number; readonly since: number }>();
  readonly #waiters = new Set<Waiter>();
  readonly #idleListeners = new Set<() => void>();
  #timer: { readonly dueAt: number; readonly timer: Timer } | undefined;
  #isStopped = false;

  constructor(options: QueueOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#listeners = options;
    this.#pending = new Pending({
      groupOf: options.groupOf ?? ((key) => refOf(key).namespace ?? ""),
      isRunning: (key) => this.#running.has(key),
      listeners: this.#listeners,
    });
  }

  /** Queues `key` for now. After {@link WorkQueue.stop} it does nothing. */
  add(key: string, options: AddOptions = {}): void {
    this.#insert(key, 0, options.priority ?? 0);
  }

  /** Queues `key` for `delayMs` from now. An earlier time of a queued key stays. @throws RangeError for a delay that is not finite */
  addAfter(key: string, delayMs: number, options: AddOptions = {}): void {
    if (!Number.isFinite(delayMs))
      throw new RangeError(`cannot queue ${JSON.stringify(key)} after ${delayMs} ms: the delay must be finite`);
    this.#insert(key, Math.max(0, delayMs), options.priority ?? this.#running.get(key)?.priority);
  }

  /** Removes `key`, because its work is no longer needed. A key that is held stays. */
  drop(key: string): void {
    if (!this.#pending.remove(key)) return;
    this.#arm();
    this.#announce();
  }

  /**
   * Hands out the next key. The caller holds it until {@link WorkQueue.done}. It waits while no key is ready, and serves several
   * callers in the order of their calls. `undefined` means that the queue was stopped and no key is left.
   * When the signal is aborted during the wait, it rejects with the signal's reason, and no key is lost.
   */
  async get(signal?: AbortSignal): Promise<string | undefined> {
    signal?.throwIfAborted();
    // Callers that wait already come first, also for a key that became due a moment ago.
    this.#dispatch();
    const key = this.#take();
    if (key !== undefined || this.#isExhausted()) return key;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiters.delete(waiter);
        reject(signal?.reason);
      };
      const waiter: Waiter = {
        resolve: (given) => {
          signal?.removeEventListener("abort", onAbort);
          resolve(given);
        },
      };
      this.#waiters.add(waiter);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  /**
   * Ends the hold of a key. If the key was added meanwhile, it is queued again as the last one of its group. A key that is not held
   * is ignored. Call it once for each key that was handed out: a second call ends the hold of the next holder.
   */
  done(key: string): void {
    const run = this.#running.get(key);
    if (run === undefined) return;
    this.#running.delete(key);
    this.#listeners.onFinished?.(key, this.#clock.elapsed() - run.since);
    this.#pending.released(key);
    this.#dispatch();
    this.#announce();
  }

  /**
   * Accepts no more keys and drops the delayed ones. Keys that are held stay with their holders. Keys that are ready are still
   * handed out (`"drain"`) or dropped as well (`"drop"`). A second call can drop the keys that a drain left.
   */
  stop(pending: "drain" | "drop" = "drain"): void {
    this.#isStopped = true;
    if (pending === "drop") this.#pending.dropAll();
    else this.#pending.dropDelayed();
    this.#arm();
    this.#dispatch();
    this.#announce();
  }

  /** Resolves when the queue was stopped, no key is left, and no key is held. */
  async drained(signal?: AbortSignal): Promise<void> {
    await this.#until(() => this.#isStopped && this.#pending.size === 0 && this.#running.size === 0, signal);
  }

  /** Resolves when no key is queued or held, and none is due within `horizonMs` from now. */
  async settled(options: { readonly horizonMs?: number; readonly signal?: AbortSignal } = {}): Promise<void> {
    await this.#until(() => this.isSettled(options.horizonMs), options.signal);
  }

  /** Tells whether no key is queued or held, and none is due within `horizonMs` from now. @defaultValue horizonMs 0 */
  isSettled(horizonMs: number = 0): boolean {
    const { due, nextDueAt } = this.#pending;
    if (due > 0 || this.#running.size > 0) return false;
    return nextDueAt === undefined || nextDueAt > this.#clock.elapsed() + horizonMs;
  }

  /** Calls `listener` each time that the last queued or held key is done. Returns a function that unsubscribes. */
  onIdle(listener: () => void): () => void {
    this.#idleListeners.add(listener);
    return () => void this.#idleListeners.delete(listener);
  }

  /** Returns the counts and times of the queue, for metrics. */
  status(): QueueStatus {
    const now = this.#clock.elapsed();
    let unfinishedMs = 0;
    let longestRunningMs = 0;
    for (const { since } of this.#running.values()) {
      unfinishedMs += now - since;
      longestRunningMs = Math.max(longestRunningMs, now - since);
    }
    const { due, delayed, nextDueAt } = this.#pending;
    return {
      queued: due,
      running: this.#running.size,
      delayed,
      nextDueAt: nextDueAt === undefined ? undefined : this.#clock.now() + nextDueAt - now,
      unfinishedMs,
      longestRunningMs,
    };
  }

  /** Returns at most `limit` keys of each state, for inspection. Its time grows with the size of the queue. */
  keys(limit: number): QueueKeys {
    const now = this.#clock.elapsed();
    const entries = this.#pending.all();
    const queued = entries.filter(({ state }) => state !== "delayed").sort((a, b) => b.priority - a.priority || a.dueAt - b.dueAt);
    const delayed = entries.filter(({ state }) => state === "delayed").sort((a, b) => a.dueAt - b.dueAt);
    const running = [...this.#running].sort(([, a], [, b]) => a.since - b.since);
    return {
      running: running.slice(0, limit).map(([key, { since }]) => ({ key, forMs: now - since })),
      queued: queued.slice(0, limit).map(({ key, priority, dueAt }) => ({ key, priority, forMs: now - dueAt })),
      delayed: delayed.slice(0, limit).map(({ key, dueAt }) => ({ key, inMs: dueAt - now })),
    };
  }

  #insert(key: string, delayMs: number, priority: number | undefined): void {
    if (this.#isStopped) return;
    if (priority !== undefined && !Number.isFinite(priority))
      throw new RangeError(`cannot queue ${JSON.stringify(key)} at priority ${priority}`);
    if (delayMs > 0) this.#listeners.onRetried?.(key);
    const now = this.#clock.elapsed();
    this.#pending.insert(key, { dueAt: now + delayMs, priority, now });
    this.#arm();
    this.#dispatch();
  }

  #take(): string | undefined {
    const now = this.#clock.elapsed();
    const entry = this.#pending.shift(now);
    if (entry === undefined) return undefined;
    this.#running.set(entry.key, { priority: entry.priority, since: now });
    this.#listeners.onStarted?.(entry.key, now - entry.dueAt);
    return entry.key;
  }

  /** Serves the waiting callers, or ends their waits when no key can come. */
  #dispatch(): void {
    for (const waiter of this.#waiters) {
      const key = this.#take();
      if (key === undefined && !this.#isExhausted()) return;
      this.#waiters.delete(waiter);
      waiter.resolve(key);
    }
  }

  #isExhausted(): boolean {
    return this.#isStopped && this.#pending.size === 0;
  }

  /** Sets one timer, for the first delayed key. */
  #arm(): void {
    const dueAt = this.#pending.nextDueAt;
    if (dueAt === this.#timer?.dueAt) return;
    this.#timer?.timer.cancel();
    this.#timer = undefined;
    if (dueAt === undefined) return;
    const onDue = (): void => {
      this.#timer = undefined;
      this.#pending.collectDue(this.#clock.elapsed());
      this.#arm();
      this.#dispatch();
    };
    this.#timer = { dueAt, timer: this.#clock.after(dueAt - this.#clock.elapsed(), onDue) };
  }

  #announce(): void {
    if (this.#pending.due > 0 || this.#running.size > 0) return;
    for (const listener of this.#idleListeners) listener();
  }

  async #until(isTrue: () => boolean, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (isTrue()) return;
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        unsubscribe();
        reject(signal?.reason);
      };
      const unsubscribe = this.onIdle(() => {
        if (!isTrue()) return;
        unsubscribe();
        signal?.removeEventListener("abort", onAbort);
        resolve();
      });
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }
}
