/** Steps that go on after their pass: they keep their keys for a while, and the stop waits for them. */
import type { Strays } from "@treadle/reconcile";

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

  /** How many go on without a key. */
  get withoutKey(): number {
    return [...this.#running].filter(({ holdsKey }) => !holdsKey).length;
  }

  /** Resolves when all that are here now have returned. */
  async ended(): Promise<void> {
    await Promise.all([...this.#running].map(({ returned }) => returned));
  }
}
