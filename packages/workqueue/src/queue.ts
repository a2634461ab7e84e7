/**
 * The queue between events and passes: keys in, keys out.
 *
 * Guarantees
 * - A key is in it at most once, however often it was added, and with at most one holder at a time.
 * - A key added while it is held is handed out exactly once more after `done`.
 * - Of several delays of a key the earliest wins; of several priorities the highest.
 * - Higher priorities first. Inside a priority the groups (by default: namespaces) take turns, so none starves;
 *   inside a group first in, first out.
 * - Nothing is lost: what was added before `stop` is handed out, unless `stop` was told to drop it.
 * - Delays are counted by `Clock.elapsed`: that somebody sets the time makes no key come sooner or later.
 *
 * It runs nothing by itself and keeps no process alive.
 */
import { type Clock, refOf, systemClock, type Timer } from "@treadle/apimachinery";
import { Pending } from "./internal/pending.ts";
import type { AddOptions, QueueKeys, QueueObserver, QueueOptions, QueueStatus } from "./options.ts";

interface Waiter {
  readonly resolve: (key: string | undefined) => void;
}

export class WorkQueue {
  readonly #clock: Clock;
  readonly #observer: QueueObserver;
  readonly #pending: Pending;
  readonly #running = new Map<string, { readonly priority: number; readonly since: number }>();
  readonly #waiters = new Set<Waiter>();
  readonly #idleListeners = new Set<() => void>();
  #timer: { readonly dueAt: number; readonly timer: Timer } | undefined;
  #isStopped = false;

  constructor(options: QueueOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#observer = options.observer ?? {};
    this.#pending = new Pending({
      groupOf: options.groupOf ?? ((key) => refOf(key).namespace ?? ""),
      isRunning: (key) => this.#running.has(key),
      observer: this.#observer,
    });
  }

  /** Queues `key` for now. After {@link stop} it does nothing. */
  add(key: string, options: AddOptions = {}): void {
    this.#insert(key, 0, options.priority ?? 0);
  }

  /** Queues `key` for `delayMs` from now, or earlier if it is queued for earlier already. @throws RangeError unless finite. */
  addAfter(key: string, delayMs: number, options: AddOptions = {}): void {
    if (!Number.isFinite(delayMs))
      throw new RangeError(`cannot queue ${JSON.stringify(key)} after ${delayMs} ms: the delay must be finite`);
    this.#insert(key, Math.max(0, delayMs), options.priority ?? this.#running.get(key)?.priority);
  }

  /** Takes `key` out, unless somebody holds it: nobody needs its work any more. */
  drop(key: string): void {
    if (!this.#pending.remove(key)) return;
    this.#arm();
    this.#announce();
  }

  /**
   * Hands out the next key; the caller holds it until {@link done}. Waits while there is none; several callers are
   * served in the order in which they asked. `undefined` means: stopped, and nothing is left.
   * Rejects with the signal's reason when aborted while waiting; no key is lost by that.
   */
  async get(signal?: AbortSignal): Promise<string | undefined> {
    signal?.throwIfAborted();
    // Who waits already is served before the caller, also with a key that came due a moment ago.
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
   * Gives back a key; if it was added in the meantime it is queued again, last of its group. Does nothing for a key that
   * nobody holds. Call it once for each key that was handed out: a second call ends the hold of who got the key since.
   */
  done(key: string): void {
    const run = this.#running.get(key);
    if (run === undefined) return;
    this.#running.delete(key);
    this.#observer.finished?.(key, this.#clock.elapsed() - run.since);
    this.#pending.released(key);
    this.#dispatch();
    this.#announce();
  }

  /**
   * Takes no more keys and drops the delayed ones; keys that are held stay with their holders. Keys that are ready are
   * still handed out (`"drain"`) or dropped too (`"drop"`). May be called again to drop what a drain left.
   */
  stop(pending: "drain" | "drop" = "drain"): void {
    this.#isStopped = true;
    if (pending === "drop") this.#pending.dropAll();
    else this.#pending.dropDelayed();
    this.#arm();
    this.#dispatch();
    this.#announce();
  }

  /** Resolves when the queue was stopped, nothing is left, and every holder is done. */
  async drained(signal?: AbortSignal): Promise<void> {
    await this.#until(() => this.#isStopped && this.#pending.size === 0 && this.#running.size === 0, signal);
  }

  /** Resolves when no key is queued or running and none is due within `horizonMs` from now. */
  async settled(options: { readonly horizonMs?: number; readonly signal?: AbortSignal } = {}): Promise<void> {
    await this.#until(() => this.isSettled(options.horizonMs), options.signal);
  }

  /** No key is queued or running, and none is due within `horizonMs` from now. @defaultValue horizonMs 0 */
  isSettled(horizonMs: number = 0): boolean {
    const { due, nextDueAt } = this.#pending;
    if (due > 0 || this.#running.size > 0) return false;
    return nextDueAt === undefined || nextDueAt > this.#clock.elapsed() + horizonMs;
  }

  /** Calls `listener` each time after which no key is queued or running. Returns the way to unsubscribe. */
  onIdle(listener: () => void): () => void {
    this.#idleListeners.add(listener);
    return () => void this.#idleListeners.delete(listener);
  }

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

  /** At most `limit` keys of each state. Takes time by the size of the queue. */
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
    if (delayMs > 0) this.#observer.retried?.(key);
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
    this.#observer.started?.(entry.key, now - entry.dueAt);
    return entry.key;
  }

  /** Serves those who wait, and sends them away when nothing can come any more. */
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

  /** One timer, for the first delayed key. */
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
