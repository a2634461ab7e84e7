/**
 * What is to be done later, with one timer of the clock for all of it: what is due at one time becomes due together, so that
 * a thousand pods that start at once cost their ReplicaSet one look, not a thousand.
 */
import type { Clock, Timer } from "@treadle/apimachinery";

export class Agenda<Task> {
  readonly #clock: Clock;
  readonly #onDue: (task: Task) => void;
  /** By time, and there by id. */
  readonly #tasks = new Map<number, Map<string, Task>>();
  readonly #times = new Map<string, number>();
  #timer: { readonly timer: Timer; readonly dueMs: number } | undefined;

  /** @param onDue is called for each task when its time has come, in the order of times, and of one time in that of `put` */
  constructor(clock: Clock, onDue: (task: Task) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  /** When the first is due, in milliseconds of the clock. */
  nextDue(): number | undefined {
    let next: number | undefined;
    for (const dueMs of this.#tasks.keys()) next = Math.min(next ?? dueMs, dueMs);
    return next;
  }

  /** In place of what the id stood for before. */
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

  /** Sees to it that the timer is that of the first task. */
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
