/**
 * The time of one process: that of the cluster until the process is killed. A killed process leaves no timer behind. Its time then
 * moves only when it is disposed of.
 */
import { type FakeClock, fakeClock, type Timer } from "@treadle/apimachinery";

export class ProcessClock implements FakeClock {
  readonly #shared: FakeClock;
  /** The time after the kill. */
  #own: FakeClock | undefined;
  readonly #timers = new Set<{ readonly dueMs: number; readonly run: () => void; timer: Timer }>();

  constructor(shared: FakeClock) {
    this.#shared = shared;
  }

  now(): number {
    return (this.#own ?? this.#shared).now();
  }

  elapsed(): number {
    return (this.#own ?? this.#shared).elapsed();
  }

  after(delayMs: number, run: () => void): Timer {
    if (this.#own !== undefined) return this.#own.after(delayMs, run);
    const entry = {
      dueMs: this.#shared.now() + Math.max(0, delayMs),
      run,
      timer: this.#shared.after(delayMs, () => {
        this.#timers.delete(entry);
        run();
      }),
    };
    this.#timers.add(entry);
    return {
      cancel: () => {
        this.#timers.delete(entry);
        entry.timer.cancel();
      },
    };
  }

  nextDue(): number | undefined {
    return (this.#own ?? this.#shared).nextDue();
  }

  async advance(ms: number): Promise<void> {
    await (this.#own ?? this.#shared).advance(ms);
  }

  /** Removes the timers of the process from the shared time. */
  kill(): void {
    if (this.#own !== undefined) return;
    const own = fakeClock(this.#shared.now());
    this.#own = own;
    for (const entry of this.#timers) {
      entry.timer.cancel();
      entry.timer = own.after(entry.dueMs - own.now(), entry.run);
    }
  }
}
