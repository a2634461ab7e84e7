/**
 * The health of one connection: a breaker, and the slots of passes.
 *
 * Guarantees
 * - `up`: at most two passes use the connection at a time. `away`: none, and nothing is sent but a probe, after 1 s doubling to 60 s.
 * - When a probe succeeds, one pass goes first. When it has got answers and no failure, all go. A failure makes it `away` again, and the
 *   backoff goes on: a target that answers the probe and hangs on writes takes one worker once a minute.
 * - Passes that found no slot are woken in their order.
 */
import type { Clock, Random } from "@treadle/apimachinery";
import { type Backoff, delayAfter } from "@treadle/workqueue";
import { type Slot, Slots } from "../slots.ts";
import type { TargetEntry } from "./types.ts";

/** What a probe found. */
export type Probed = { readonly type: "answered" } | { readonly type: "failed"; readonly message: string };

/** The options of {@link Health}. */
export interface HealthOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Asks the target. It must not reject. */
  probe(): Promise<Probed>;
  /** Called when a probe failed, so that the target was away for longer than a moment. */
  onAway(): void;
  /** Called when the target answers again. */
  onAnswered(): void;
}

/** Passes that use one connection at a time. */
const SLOTS = 2;
const PROBES: Backoff = { baseMs: 1_000, maxMs: 60_000, jitter: 0.1 };
/** Shortest time between two probes because of a failed request, in milliseconds. */
const SUSPECT_MS = 1_000;

/** The health of one connection. */
export class Health {
  readonly #options: HealthOptions;
  readonly #slots: Slots;
  #state: "up" | "away" | "first" = "up";
  #message = "";
  #failures = 0;
  #probe: { readonly timer: { cancel(): void }; readonly atMs: number } | undefined;
  #suspectedAt = Number.NEGATIVE_INFINITY;
  /** Answers of passes and failures since the state is `first`. */
  #answers = 0;
  #isClosed = false;

  constructor(options: HealthOptions) {
    this.#options = options;
    this.#slots = new Slots({ limit: SLOTS, clock: options.clock });
  }

  /** Why nothing is sent; `undefined`: requests are sent. */
  get awayBecause(): string | undefined {
    return this.#state === "away" ? this.#message : undefined;
  }

  /** As `enter` of a connection. */
  enter(key: string, wake: () => void): TargetEntry {
    if (this.#state === "away") {
      // It loses a slot that was kept for it, and waits with the others.
      this.#slots.leave(key);
      this.#slots.take(key, wake);
      const retryMs = Math.max(1, (this.#probe?.atMs ?? 0) - this.#options.clock.elapsed());
      return { type: "away", message: this.#message, retryMs };
    }
    const slot = this.#slots.take(key, wake);
    return slot === undefined ? { type: "later" } : { type: "entered", slot: this.#ending(slot) };
  }

  /** Removes a key that no longer waits. */
  leave(key: string): void {
    this.#slots.leave(key);
  }

  /** Notes an answer to a request of a pass. */
  answered(): void {
    this.#answers += 1;
  }

  /** Notes a failure of the whole target. */
  failed(message: string): void {
    if (this.#state === "away" || this.#isClosed) return;
    this.#state = "away";
    this.#message = message;
    this.#slots.limit = 0;
    this.#probeLater();
  }

  /** Notes a failure that may be of one request or of the whole target: a probe decides. */
  suspect(): void {
    const { clock } = this.#options;
    if (this.#state === "away" || this.#isClosed || clock.elapsed() - this.#suspectedAt < SUSPECT_MS) return;
    this.#suspectedAt = clock.elapsed();
    void this.#options.probe().then((probed) => {
      if (probed.type === "failed") this.failed(probed.message);
    });
  }

  /** Ends the timer. */
  close(): void {
    this.#isClosed = true;
    this.#probe?.timer.cancel();
  }

  #probeLater(): void {
    const { clock, random } = this.#options;
    // Whole milliseconds: the clock of a test stands still between two timers, and a rest of a rounding would be due again and again.
    const delayMs = Math.round(delayAfter(PROBES, this.#failures, random));
    this.#failures += 1;
    const timer = clock.after(delayMs, () => void this.#probeNow());
    this.#probe = { timer, atMs: clock.elapsed() + delayMs };
  }

  async #probeNow(): Promise<void> {
    const probed = await this.#options.probe();
    if (this.#isClosed) return;
    if (probed.type === "failed") {
      this.#message = probed.message;
      this.#probeLater();
      return this.#options.onAway();
    }
    this.#state = "first";
    this.#answers = 0;
    this.#options.onAnswered();
    this.#slots.limit = 1;
  }

  #ending(slot: Slot): Slot {
    return {
      release: () => {
        if (this.#state === "first" && this.#answers > 0) {
          this.#state = "up";
          this.#failures = 0;
          this.#slots.limit = SLOTS;
        }
        slot.release();
      },
    };
  }
}
