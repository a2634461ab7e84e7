/** Steps that still run after their pass: each holds its key for a while, and a graceful stop waits for them. */
import type { Strays } from "@treadle/reconcile/unstable/engine";

/** The strays of one handler. */
export class RunningStrays {
  readonly #running = new Set<{ readonly key: string; readonly returned: Promise<void>; holdsKey: boolean }>();

  /** Calls `free` when `key` may be handed out again. */
  add(key: string, { freed, returned }: Strays, free: () => void): void {
    const stray = { key, returned, holdsKey: true };
    this.#running.add(stray);
    void freed.then(() => {
      stray.holdsKey = false;
      free();
    });
    void returned.then(() => this.#running.delete(stray));
  }

  /** Whether a stray holds `key`. */
  holds(key: string): boolean {
    return [...this.#running].some((stray) => stray.holdsKey && stray.key === key);
  }

  /** The number of strays that hold no key. */
  get withoutKey(): number {
    return [...this.#running].filter(({ holdsKey }) => !holdsKey).length;
  }

  /** Resolves when all strays that run now have returned. */
  async ended(): Promise<void> {
    await Promise.all([...this.#running].map(({ returned }) => returned));
  }
}
