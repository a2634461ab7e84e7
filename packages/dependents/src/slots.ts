/**
 * Slots limit how much of something runs at once: programs, or passes that use one target cluster. A pass that finds no free slot
 * returns, so that it holds no worker. A pass of its object is triggered when its turn comes.
 *
 * Guarantees
 * - At most `limit` slots are taken or reserved at any time.
 * - Those that ask first are served first. A key that asks again keeps its place.
 * - A free slot is reserved for the key whose `wake` is called. If that key does not take it within `reservedMs`, the next key gets it.
 *   So a key that no longer needs a slot takes and releases it, or leaves.
 */
import type { Clock } from "@treadle/apimachinery";

/** The options of {@link Slots}. */
export interface SlotsOptions {
  /** The maximum number of slots in use. */
  readonly limit: number;
  /** The clock of the operator. */
  readonly clock: Pick<Clock, "after">;
  /** Time for which a slot is reserved for a key, in milliseconds. @defaultValue 10_000 */
  readonly reservedMs?: number;
}

/** A slot that is in use until it is released. */
export interface Slot {
  /** Frees the slot. A second call does nothing. */
  release(): void;
}

interface Waiting {
  wake: () => void;
}

/** A limited number of slots. */
export class Slots {
  readonly #options: Required<SlotsOptions>;
  #limit: number;
  #used = 0;
  /** The keys that wait, in the order in which they asked. */
  readonly #waiting = new Map<string, Waiting>();
  /** The keys for which a slot is kept, with the timer that ends it. */
  readonly #reserved = new Map<string, { cancel(): void }>();

  constructor(options: SlotsOptions) {
    this.#options = { reservedMs: 10_000, ...options };
    this.#limit = options.limit;
  }

  /** The number of keys that wait for a slot. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** The maximum number of slots. Slots in use are not taken away by a lower one. */
  get limit(): number {
    return this.#limit;
  }

  set limit(limit: number) {
    this.#limit = limit;
    this.#serve();
  }

  /**
   * Takes a slot. `undefined`: none is free; then `wake` is called once, when a slot is kept for `key`, and `key` asks again.
   * @param key identifies what asks, such as the uid of an object and the name of its step
   */
  take(key: string, wake: () => void): Slot | undefined {
    const reserved = this.#reserved.get(key);
    if (reserved !== undefined) {
      reserved.cancel();
      this.#reserved.delete(key);
    } else if (this.#waiting.size > 0 || !this.#isFree) {
      const before = this.#waiting.get(key);
      if (before === undefined) this.#waiting.set(key, { wake });
      else before.wake = wake;
      return undefined;
    }
    this.#used += 1;
    return new TakenSlot(() => {
      this.#used -= 1;
      this.#serve();
    });
  }

  /** Removes a key that no longer waits, such as that of a deleted object. */
  leave(key: string): void {
    this.#waiting.delete(key);
    const reserved = this.#reserved.get(key);
    if (reserved === undefined) return;
    reserved.cancel();
    this.#reserved.delete(key);
    this.#serve();
  }

  get #isFree(): boolean {
    return this.#used + this.#reserved.size < this.#limit;
  }

  #serve(): void {
    for (const [key, { wake }] of this.#waiting) {
      if (!this.#isFree) return;
      this.#waiting.delete(key);
      this.#reserved.set(
        key,
        this.#options.clock.after(this.#options.reservedMs, () => this.leave(key)),
      );
      wake();
    }
  }
}

class TakenSlot implements Slot {
  #free: (() => void) | undefined;

  constructor(free: () => void) {
    this.#free = free;
  }

  release(): void {
    this.#free?.();
    this.#free = undefined;
  }
}
