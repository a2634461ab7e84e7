/**
 * Elector: competes for one Lease, renews it, and releases it. The protocol is client-go's (`tools/leaderelection`), so that
 * operators in Go can share a lease with it.
 *
 * Guarantees
 * - No two processes lead at the same time, however wrong their times of day are, if their clocks run equally fast.
 *   `isLeading` is false from `renewDeadlineMs` after the last renewal was sent. That time includes the suspension of a
 *   machine, and no timer needs to fire. Others take the lease no earlier than `leaseDuration` after they saw that renewal.
 * - Every write carries the version that it is based on, so that neither a lost answer nor a late write reverts another.
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
  /** The handlers of this operator, for the lease. */
  readonly handlers: readonly string[];
  readonly times: LeaseTimes;
  readonly onElected: () => void;
  /** Called when the leadership is lost; `reason` says why. Not called by {@link Elector.release}. */
  readonly onLost: (reason: string, cause: unknown) => void;
  /** Called when another process has taken the lease. */
  readonly onHolder: (record: LeaseRecord) => void;
  /** Called when a read, a write or the watch of the lease failed. */
  readonly onError: (error: unknown) => void;
  /** Called when a renewal took more than one request. */
  readonly onSlowPath: () => void;
}

/** Number of consecutive lost races for a write, before there is a pause. */
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
  /** Whether a write was sent that may have made this process the holder. */
  #mayHold = false;

  constructor(options: ElectorOptions) {
    this.#options = options;
    this.#view = new LeaseView(options.clock, options.times.leaseDurationMs);
  }

  /** Starts to compete. */
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

  /** Whether this process may act now. */
  get isLeading(): boolean {
    if (this.#state !== "leading") return false;
    if (this.#options.clock.now() < this.#validUntilMs) return true;
    this.#expire();
    return false;
  }

  /** The last known state of the lease; undefined before the first read. */
  get record(): LeaseRecord | undefined {
    return this.#view.record;
  }

  /** The last error, and since when every read and write of the lease has failed. */
  get lastError(): { readonly error: unknown; readonly sinceMs: number } | undefined {
    return this.#lastError;
  }

  /** Stops competing, and releases the lease if this process holds it. Rejects when that failed; then the lease expires. */
  async release(): Promise<void> {
    const { clock, ref, times } = this.#options;
    const [state, mayHold] = [this.#state, this.#mayHold];
    this.#end();
    await this.#loops;
    if (state === "ended" || !(mayHold || this.#mayHold)) return;
    const deadline = new AbortController();
    const timer = clock.after(requestTimeoutMs(times), () => deadline.abort(new Error("the server did not answer in time")));
    const call = { signal: deadline.signal, retry: false };
    try {
      // Only the server knows the result of an acquisition that was under way.
      for (let lease = state === "leading" ? this.#view.lease : undefined; ; lease = undefined) {
        lease ??= await this.#options.client.get(Lease, ref, call);
        if (lease === undefined || recordOf(lease).holder !== this.#options.identity) return;
        try {
          return void (await this.#options.client.update(Lease, releasedLease(ref, lease, clock.now()), call));
        } catch (error) {
          // A renewal that was under way came first.
          if (!isConflict(error) && !isNotFound(error)) throw error;
        }
      }
    } finally {
      timer.cancel();
    }
  }

  /** Stops competing, and leaves the lease as it is. */
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
        // Another process was faster; the next read shows which. A server that answers so repeatedly is not a race.
        if ((isConflict(error) || isAlreadyExists(error)) && ++races <= MAX_RACES) continue;
        races = 0;
        this.#lastError = { error, sinceMs: this.#lastError?.sinceMs ?? this.#options.clock.now() };
        this.#options.onError(error);
      }
      await this.#pause(startedAtMs);
    }
  }

  /** Renews or takes the lease, or finds out that it must wait. */
  async #attempt(signal: AbortSignal): Promise<void> {
    // A deadline may have passed while the loop was blocked, before its timer fired.
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

  /** Makes this process the holder, from the moment of sending. */
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
    // The answer came too late: a leader has lost its lease, and another process tries again.
    if (this.#state === "leading" ? !this.isLeading : clock.now() >= validUntilMs) return;
    this.#validUntilMs = validUntilMs;
    this.#deadline?.cancel();
    this.#deadline = clock.after(validUntilMs - clock.now(), () => void this.isLeading);
    if (this.#state === "leading") return;
    this.#state = "leading";
    this.#options.onElected();
  }

  /** Handles an event of the watch. */
  #changed(lease: Lease): void {
    if (!this.#note(lease)) return;
    const isRenewal = recordOf(lease).holder === this.#options.identity;
    if (this.#state === "leading" ? !isRenewal : this.#view.freeInMs() === 0) this.#wakeUp();
  }

  /** Notes the lease, and ends the leadership if another process holds it. Returns whether the state is new. */
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

  /** If two processes have one identity by mistake, the one that sent nothing is not the holder. */
  #isOwn({ holder }: LeaseRecord): boolean {
    return this.#mayHold && holder === this.#options.identity;
  }

  #expire(): void {
    this.#lose(`it could not be renewed for ${secondsOf(this.#options.times.renewDeadlineMs)} s`, this.#lastError?.error);
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

  /** Waits for the next attempt. That of a leader counts from the last one, so that an answer may take as long as a request may. */
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

  /** Starts the next attempt now, or right after the one in progress. */
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

const secondsOf = (ms: number): number => Math.round(ms / 100) / 10;

/** Half of the deadline, as in controller-runtime, so that a lost answer leaves a second attempt. */
function requestTimeoutMs({ renewDeadlineMs }: LeaseTimes): number {
  return Math.max(Math.min(1000, renewDeadlineMs), renewDeadlineMs / 2);
}
