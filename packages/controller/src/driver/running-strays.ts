/** Steps that still run after their pass: each holds its key for a while, and a graceful stop waits for them. */
import type { Strays } from "@treadle/reconcile/unstable/engine";

/** The strays of one handler. */
export class RunningStrays {
  readonly #running = new Set<{ readonly returned: Promise<void>; holdsKey: boolean }>();

  /** Calls `free` when the key of `strays` may be handed out again. */
  add({ freed, returned }: Strays, free: () => void): void {
    const stray = { returned, holdsKey: true };
    this.#running.add(stray);
    void freed.then(() => {
      stray.holdsKey = false;
      free();
    });
    void returned.then(() => this.#running.delete(stray));
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
