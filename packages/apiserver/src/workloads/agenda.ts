/**
 * Tasks that are due later, with one timer of the clock. Tasks of the same time become due together, so a ReplicaSet is
 * synced once for a thousand pods that start at the same time.
 */
import type { Clock, Timer } from "@treadle/apimachinery";

export class Agenda<Task> {
  readonly #clock: Clock;
  readonly #onDue: (task: Task) => void;
  /** Tasks by time and id. */
  readonly #tasks = new Map<number, Map<string, Task>>();
  readonly #times = new Map<string, number>();
  #timer: { readonly timer: Timer; readonly dueMs: number } | undefined;

  /** @param onDue is called for each task when it is due, in the order of times, and of `put` within one time */
  constructor(clock: Clock, onDue: (task: Task) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  /** Returns the time of the first task, in milliseconds of the clock. */
  nextDue(): number | undefined {
    let next: number | undefined;
    for (const dueMs of this.#tasks.keys()) next = Math.min(next ?? dueMs, dueMs);
    return next;
  }

  /** Adds a task. It replaces the earlier task of the id. */
  put(id: string, task: Task, afterMs: number): void {
    this.#forget(id);
    const dueMs = this.#clock.now() + Math.max(0, afterMs);
    this.#times.set(id, dueMs);
    const together = this.#tasks.get(dueMs);
    if (together === undefined) this.#tasks.set(dueMs, new Map([[id, task]]));
    else together.set(id, task);
    this.#arm();
  }

  remove(id: string): void {
    this.#forget(id);
    this.#arm();
  }

  clear(): void {
    this.#tasks.clear();
    this.#times.clear();
    this.#arm();
  }

  #forget(id: string): void {
    const dueMs = this.#times.get(id);
    if (dueMs === undefined) return;
    this.#times.delete(id);
    const together = this.#tasks.get(dueMs);
    together?.delete(id);
    if (together?.size === 0) this.#tasks.delete(dueMs);
  }

  /** Sets the timer for the first task. */
  #arm(): void {
    const dueMs = this.nextDue();
    if (dueMs === this.#timer?.dueMs) return;
    this.#timer?.timer.cancel();
    this.#timer = dueMs === undefined ? undefined : { dueMs, timer: this.#clock.after(dueMs - this.#clock.now(), () => this.#fire()) };
  }

  #fire(): void {
    this.#timer = undefined;
    const nowMs = this.#clock.now();
    const times = [...this.#tasks.keys()].filter((dueMs) => dueMs <= nowMs).toSorted((a, b) => a - b);
    const due = times.flatMap((dueMs) => [...(this.#tasks.get(dueMs) ?? [])]);
    for (const [id] of due) this.#forget(id);
    this.#arm();
    for (const [, task] of due) this.#onDue(task);
  }
}
