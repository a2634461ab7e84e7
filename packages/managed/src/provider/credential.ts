/**
 * The state that all objects of one provider config share: the limit of calls, the pause after 429, and the breaker after 401 and
 * 403. It sets no timer: an object that may not call is told when to ask again, and its pass ends.
 *
 * Guarantees
 * - No window has more calls than the rate allows ({@link Turns} says exactly how many).
 * - After a refusal one call at a time probes the credentials.
 * - Creates and deletes come before polls, but they do not starve them: a poll that has waited for a full round comes with them.
 *
 * Assumptions
 * - The caller asks before every call, reports its result, and calls `done` at the end of each pass.
 */
import { Breaker, Pause } from "./breaker.ts";
import { type Rate, requireRate } from "./rate.ts";
import { type Share, Turns } from "./turns.ts";

/** The answer to an object that wants to call the provider. */
export type Admission = { readonly type: "granted" } | Waiting;

/** The answer to an object that has to wait. */
export interface Waiting {
  /** The type of the answer. */
  readonly type: "wait";
  /** The reason of the condition. */
  readonly reason: "RateLimited" | "CredentialsRefused";
  /** The message of the condition: a constant text, so that waiting writes nothing. */
  readonly message: string;
  /** The time until the object should ask again, in milliseconds. */
  readonly afterMs: number;
}

/** What an object asks for. */
export interface Asked {
  /** Whether the call comes before polls: a create or a delete. */
  readonly isUrgent: boolean;
  /** The time of the clock, in milliseconds. */
  readonly nowMs: number;
}

interface Member extends Share {
  seenMs: number;
  /** The time since which the rate alone has kept the object waiting; `undefined`: it does not wait. */
  limitedMs: number | undefined;
  /** The stop in which the object has got its slot. Only for a credential without a rate. */
  stop: number;
  slot: number;
}

const GRANTED: Admission = { type: "granted" };
const PAUSED = "the provider asked for fewer calls, so all objects of the config wait";
const REFUSED = "the provider refused the credentials, so all objects of the config wait for a new Secret, or for the next try";

/** A poll waits for this time at least before it comes with the creates and deletes. They may fail again and again. */
const MIN_PATIENCE_MS = 60_000;

/** The time between two objects that return after a stop, for a credential without a rate. */
const SPACING_MS = 10;

/** The limits and the breaker of one provider config. */
export class Credential {
  readonly #rate: Required<Rate> | undefined;
  readonly #turns: Turns | undefined;
  readonly #limited: string;
  readonly #pause: Pause = new Pause();
  readonly #breaker: Breaker = new Breaker();
  readonly #members = new Map<string, Member>();
  /** Counts the stops, and the slots of the present one. */
  #stop = 0;
  #slots = 0;

  /** @throws TypeError for a rate with impossible numbers */
  constructor(rate: Rate | undefined) {
    this.#rate = rate === undefined ? undefined : requireRate(rate, "Credential");
    this.#turns = this.#rate === undefined ? undefined : new Turns(this.#rate);
    this.#limited = `waiting for a turn: the config allows ${this.#rate?.perSecond} calls per second`;
  }

  /** The number of objects that use the credential. */
  get objects(): number {
    return this.#members.size;
  }

  /** Returns the time that one call for each object takes at the rate, in milliseconds; 0 without a rate. */
  floorMs(): number {
    return this.#rate === undefined ? 0 : (this.objects / this.#rate.perSecond) * 1000;
  }

  /** Returns whether a new credential would behave the same: it has no objects, no missing tokens and no stop. */
  isIdle(nowMs: number): boolean {
    if (this.objects > 0 || this.#breaker.isOpen || this.#pause.restMs(nowMs) > 0) return false;
    return this.#turns?.isFull(nowMs) ?? true;
  }

  /** Decides whether the object `key` may make one call now. Call it before every call of a pass. */
  ask(key: string, { isUrgent, nowMs }: Asked): Admission {
    const member = this.#memberOf(key, nowMs);
    const isLate = member.limitedMs !== undefined && nowMs - member.limitedMs >= Math.max(MIN_PATIENCE_MS, this.floorMs());
    const waiting = this.#waiting(member, isUrgent || isLate, nowMs);
    if (waiting !== undefined) {
      // An object that was told to return later is not lost meanwhile.
      member.seenMs = nowMs + waiting.afterMs;
      return waiting;
    }
    member.limitedMs = undefined;
    if (this.#breaker.isOpen) {
      this.#breaker.probes(key, nowMs);
      this.#newStop();
    }
    return GRANTED;
  }

  /** Ends the pass of `key`: tokens that it did not need are free for others. Call it for every pass, also after a failure. */
  done(key: string, nowMs: number): void {
    const member = this.#members.get(key);
    if (member === undefined) return;
    member.seenMs = Math.max(member.seenMs, nowMs);
    this.#turns?.end(member);
    this.#breaker.ended(key);
  }

  /** Records that a call succeeded. */
  succeeded(nowMs: number): void {
    this.#pause.succeeded(nowMs);
    this.#breaker.succeeded(nowMs);
  }

  /**
   * Records that the provider has too many calls (429): all objects wait.
   * @param retryAfterMs the time that the provider asked for. @defaultValue 1 s doubling to 60 s
   */
  throttled(nowMs: number, retryAfterMs: number = 0): void {
    if (this.#pause.restMs(nowMs) === 0) this.#newStop();
    this.#pause.start(nowMs, retryAfterMs);
    // The provider knows the credentials: it only counts their calls.
    this.#breaker.succeeded(nowMs);
  }

  /** Records that the provider refused the credentials (401, 403): all objects wait. */
  refused(nowMs: number): void {
    if (this.#breaker.refused(nowMs)) this.#newStop();
  }

  /** Records that the config or its Secret has a new version: the breaker closes at once. */
  renewed(): void {
    this.#breaker.close();
  }

  /** Records that the object exists and uses the credential. */
  seen(key: string, nowMs: number): void {
    this.#memberOf(key, nowMs);
  }

  /** Forgets an object: its place and its tokens are free for others. */
  forget(key: string): void {
    const member = this.#members.get(key);
    if (member === undefined) return;
    this.#turns?.drop(member);
    this.#breaker.ended(key);
    this.#members.delete(key);
  }

  /** Forgets the objects that were last seen before this time. It looks at every object: call it about once in a poll interval. */
  forgetUnseen(beforeMs: number): void {
    for (const [key, member] of this.#members) if (member.seenMs < beforeMs) this.forget(key);
  }

  #waiting(member: Member, isUrgent: boolean, nowMs: number): Waiting | undefined {
    const refusedMs = this.#breaker.restMs(nowMs);
    if (refusedMs > 0) return wait("CredentialsRefused", REFUSED, this.#afterStop(member, isUrgent, nowMs, refusedMs));
    const pausedMs = this.#pause.restMs(nowMs);
    if (pausedMs > 0) return wait("RateLimited", PAUSED, this.#afterStop(member, isUrgent, nowMs, pausedMs));
    const turnMs = this.#turns?.take(member, isUrgent, nowMs) ?? 0;
    if (turnMs === 0) return undefined;
    member.limitedMs ??= nowMs;
    return wait("RateLimited", this.#limited, turnMs);
  }

  #memberOf(key: string, nowMs: number): Member {
    let member = this.#members.get(key);
    if (member === undefined) {
      member = { used: 0, held: 0, place: undefined, seenMs: nowMs, limitedMs: undefined, stop: -1, slot: 0 };
      this.#members.set(key, member);
    }
    member.seenMs = Math.max(member.seenMs, nowMs);
    return member;
  }

  #newStop(): void {
    this.#stop += 1;
    this.#slots = 0;
  }

  /** Spreads the objects that return after a stop, so that they do not return together. Urgent ones return first. */
  #afterStop(member: Member, isUrgent: boolean, nowMs: number, stopMs: number): number {
    member.limitedMs = undefined;
    if (this.#turns !== undefined) return this.#turns.stand(member, isUrgent, nowMs, stopMs);
    if (isUrgent) return stopMs;
    if (member.stop !== this.#stop) {
      member.stop = this.#stop;
      member.slot = this.#slots++;
    }
    return stopMs + member.slot * SPACING_MS;
  }
}

function wait(reason: Waiting["reason"], message: string, afterMs: number): Waiting {
  return { type: "wait", reason, message, afterMs: Math.max(1, Math.ceil(afterMs)) };
}
