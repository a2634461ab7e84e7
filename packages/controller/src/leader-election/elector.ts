/**
 * Elector: competes for one Lease, renews it, and gives it back. The protocol is client-go's (`tools/leaderelection`), so
 * that operators in Go can share a lease with it.
 *
 * Guarantees
 * - `isLeading` is false from `renewDeadlineMs` after the last renewal was sent, by a clock that counts what the machine
 *   slept, whether or not a timer had a chance to fire. Others take the lease not before its holder's `leaseDuration`
 *   after they saw that renewal, by a clock that counts nothing twice. So no two lead at once, however wrong the time of
 *   day, as long as the clocks of both run equally fast.
 * - Every write carries the version that it is based on, so no answer that was lost, and no write that comes late, undoes another.
 *
 * Caveat: a lease does not fence. A write that was sent in time may arrive late.
 */
import { type Clock, isAlreadyExists, isConflict, isNotFound, type Random, sleep, type Timer } from "@treadle/apimachinery";
import { Lease } from "@treadle/apimachinery/kinds";
import type { Client } from "@treadle/client";
import { heldLease, type LeaseRecord, recordOf, releasedLease } from "./lease-record.ts";
import { LeaseView } from "./lease-view.ts";
import { watchLease } from "./lease-watch.ts";
import { JITTER_FACTOR, type LeaseTimes } from "./options.ts";

export interface ElectorOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly ref: { readonly name: string; readonly namespace: string };
  readonly identity: string;
  /** Of this operator, for the lease. */
  readonly handlers: readonly string[];
  readonly times: LeaseTimes;
  readonly onElected: () => void;
  /** It led and does not any more; `reason` says why. Not called by {@link Elector.release}. */
  readonly onLost: (reason: string, cause: unknown) => void;
  /** Somebody else holds the lease now. */
  readonly onHolder: (record: LeaseRecord) => void;
  /** A look at the lease, a write or the watch failed. */
  readonly onError: (error: unknown) => void;
  /** A renewal took more than one request. */
  readonly onSlowPath: () => void;
}

/** Writes in a row that came second, before there is a pause. */
const MAX_RACES = 3;

export class Elector {
  readonly #options: ElectorOptions;
  readonly #view: LeaseView;
  readonly #abort = new AbortController();
  #state: "new" | "standby" | "leading" | "ended" = "new";
  #loops: Promise<unknown> | undefined;
  #validUntilMs = 0;
  #deadline: Timer | undefined;
  #wake: (() => void) | undefined;
  #isWoken = false;
  #lastError: { readonly error: unknown; readonly sinceMs: number } | undefined;
  #toldHolder: string | undefined;
  /** A write was sent that may have made us the holder. */
  #mayHold = false;

  constructor(options: ElectorOptions) {
    this.#options = options;
    this.#view = new LeaseView(options.clock, options.times.leaseDurationMs);
  }

  /** Begins to compete. */
  start(): void {
    if (this.#state !== "new") return;
    this.#state = "standby";
    const { client, clock, ref, times, onError } = this.#options;
    const watching = watchLease({
      client,
      clock,
      ref,
      retryMs: times.retryPeriodMs,
      onLease: (lease) => this.#changed(lease),
      onGone: (last) => {
        this.#view.gone(last);
        if (this.#state === "leading" || this.#view.freeInMs() === 0) this.#wakeUp();
      },
      onError,
      signal: this.#abort.signal,
    });
    this.#loops = Promise.all([watching, this.#compete()]);
  }

  /** Whether this process may act, as of this moment. */
  get isLeading(): boolean {
    if (this.#state !== "leading") return false;
    if (this.#options.clock.now() < this.#validUntilMs) return true;
    this.#expire();
    return false;
  }

  /** What the lease said last; undefined before it was seen. */
  get record(): LeaseRecord | undefined {
    return this.#view.record;
  }

  /** Since when every look at the lease, and every write, has failed, and why. */
  get lastError(): { readonly error: unknown; readonly sinceMs: number } | undefined {
    return this.#lastError;
  }

  /** Competes no more, and gives the lease back if it is ours. Rejects when that failed: the lease ends by itself, then. */
  async release(): Promise<void> {
    const { clock, ref, times } = this.#options;
    const { state, mayHold } = { state: this.#state, mayHold: this.#mayHold };
    this.#end();
    await this.#loops;
    if (state === "ended" || !(mayHold || this.#mayHold)) return;
    const deadline = new AbortController();
    const timer = clock.after(requestTimeoutMs(times), () => deadline.abort(new Error("the server did not answer in time")));
    const call = { signal: deadline.signal, retry: false };
    try {
      // What an acquisition has come to that was under way is known to the server only.
      for (let lease = state === "leading" ? this.#view.lease : undefined; ; lease = undefined) {
        lease ??= await this.#options.client.get(Lease, ref, call);
        if (lease === undefined || recordOf(lease).holder !== this.#options.identity) return;
        try {
          await this.#options.client.update(Lease, releasedLease(ref, lease, clock.now()), call);
          return;
        } catch (error) {
          // A renewal that was on its way came first.
          if (!isConflict(error) && !isNotFound(error)) throw error;
        }
      }
    } finally {
      timer.cancel();
    }
  }

  /** Competes no more, and leaves the lease as it is. */
  async abandon(): Promise<void> {
    this.#end();
    await this.#loops;
  }

  async #compete(): Promise<void> {
    for (let races = 0; !this.#isOver(); ) {
      const startedAtMs = this.#options.clock.elapsed();
      try {
        await this.#withTimeout((signal) => this.#attempt(signal));
        races = 0;
        this.#lastError = undefined;
      } catch (error) {
        if (this.#isOver()) return;
        // Somebody was faster; the next look shows who. A server that says so again and again is no race.
        if ((isConflict(error) || isAlreadyExists(error)) && ++races <= MAX_RACES) continue;
        races = 0;
        this.#lastError = { error, sinceMs: this.#lastError?.sinceMs ?? this.#options.clock.now() };
        this.#options.onError(error);
      }
      await this.#pause(startedAtMs);
    }
  }

  /** Renews, or takes, the lease, or finds out that it must wait. */
  async #attempt(signal: AbortSignal): Promise<void> {
    // A deadline that passed while the loop was blocked: its timer may not have fired yet.
    if (this.#state === "leading" && !this.isLeading) return;
    const known = this.#view.lease;
    if (this.#state === "leading" && known !== undefined) {
      try {
        return await this.#write(known, signal);
      } catch (error) {
        this.#options.onSlowPath();
        if (!isConflict(error) && !isNotFound(error)) throw error;
      }
    }
    const lease = await this.#options.client.get(Lease, this.#options.ref, { signal, retry: false });
    if (lease === undefined) {
      this.#view.gone();
      if (this.#state === "leading" || this.#view.freeInMs() === 0) await this.#write(undefined, signal);
      return;
    }
    this.#note(lease);
    if (this.#isOver()) return;
    const isFree = this.#view.freeInMs() === 0;
    if (this.#state === "leading" || isFree || this.#isOwn(recordOf(lease))) await this.#write(lease, signal);
  }

  /** Makes us the holder, from the moment of sending. */
  async #write(present: Lease | undefined, signal: AbortSignal): Promise<void> {
    const { client, clock, ref, identity, handlers, times } = this.#options;
    const sentAtMs = clock.now();
    const mightHold = this.#mayHold;
    const lease = heldLease(ref, present, { identity, handlers, durationMs: times.leaseDurationMs, nowMs: sentAtMs });
    this.#mayHold = true;
    const call = { signal, retry: false };
    const stored = await (present === undefined ? client.create(Lease, lease, call) : client.update(Lease, lease, call)).catch(
      (error: unknown) => {
        if (isConflict(error) || isAlreadyExists(error)) this.#mayHold = mightHold;
        throw error;
      },
    );
    this.#view.observe(stored);
    if (this.#isOver()) return;
    const validUntilMs = sentAtMs + times.renewDeadlineMs;
    // An answer that came too late: whoever led is over, and who did not tries again.
    if (this.#state === "leading" ? !this.isLeading : clock.now() >= validUntilMs) return;
    this.#validUntilMs = validUntilMs;
    this.#deadline?.cancel();
    this.#deadline = clock.after(validUntilMs - clock.now(), () => void this.isLeading);
    if (this.#state === "leading") return;
    this.#state = "leading";
    this.#options.onElected();
  }

  /** The watch told of the lease. */
  #changed(lease: Lease): void {
    if (!this.#note(lease)) return;
    const isRenewal = recordOf(lease).holder === this.#options.identity;
    if (this.#state === "leading" ? !isRenewal : this.#view.freeInMs() === 0) this.#wakeUp();
  }

  /** Takes note of the lease, and of the end of our own leadership if that is what it says. Returns whether it is news. */
  #note(lease: Lease): boolean {
    if (!this.#view.observe(lease)) return false;
    const record = recordOf(lease);
    if (record.holder === "" || this.#isOwn(record)) {
      this.#toldHolder = undefined;
      return true;
    }
    if (record.holder !== this.#toldHolder) this.#options.onHolder(record);
    this.#toldHolder = record.holder;
    if (this.#state === "leading") this.#lose(`${record.holder} holds it now`, undefined);
    return true;
  }

  /** Of two processes with one identity, which is a mistake, the one that sent nothing is not the holder. */
  #isOwn({ holder }: LeaseRecord): boolean {
    return this.#mayHold && holder === this.#options.identity;
  }

  #expire(): void {
    const { times } = this.#options;
    const { error } = this.#lastError ?? {};
    this.#lose(`it could not be renewed for ${secondsOf(times.renewDeadlineMs)} s`, error);
  }

  #lose(reason: string, cause: unknown): void {
    this.#end();
    this.#options.onLost(reason, cause);
  }

  #end(): void {
    this.#state = "ended";
    this.#deadline?.cancel();
    this.#abort.abort(new Error("the election is over"));
    this.#wakeUp();
  }

  #isOver(): boolean {
    return this.#state === "ended";
  }

  /** Until it is time for the next attempt; that of a leader counts from the last one, so that answers may take as long as a request may. */
  async #pause(attemptedAtMs: number): Promise<void> {
    const { clock, random, times } = this.#options;
    if (this.#isOver()) return;
    const freeInMs = this.#view.freeInMs();
    const retryMs =
      this.#state === "leading"
        ? Math.max(0, times.retryPeriodMs - (clock.elapsed() - attemptedAtMs))
        : times.retryPeriodMs * (1 + JITTER_FACTOR * random.next());
    // Timers of Node may fire a fraction early.
    const delayMs = this.#state !== "leading" && freeInMs > 0 ? Math.min(retryMs, Math.ceil(freeInMs) + 1) : retryMs;
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    if (this.#isWoken) woken.abort();
    await sleep(clock, delayMs, woken.signal).catch(() => undefined); // Woken.
    this.#wake = undefined;
    this.#isWoken = false;
  }

  /** The next attempt comes now, or right after the one in progress. */
  #wakeUp(): void {
    this.#isWoken = true;
    this.#wake?.();
  }

  async #withTimeout(run: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { clock, times } = this.#options;
    const ms = requestTimeoutMs(times);
    const late = new AbortController();
    const timer = clock.after(ms, () => late.abort(new Error(`the server did not answer within ${secondsOf(ms)} s`)));
    const onAbort = (): void => late.abort(this.#abort.signal.reason);
    this.#abort.signal.addEventListener("abort", onAbort, { once: true });
    try {
      await run(late.signal);
    } finally {
      timer.cancel();
      this.#abort.signal.removeEventListener("abort", onAbort);
    }
  }
}

function secondsOf(ms: number): number {
  return Math.round(ms / 100) / 10;
}

/** As controller-runtime has it: half of the deadline, so that a lost answer leaves a second try. */
function requestTimeoutMs({ renewDeadlineMs }: LeaseTimes): number {
  return Math.max(Math.min(1000, renewDeadlineMs), renewDeadlineMs / 2);
}
