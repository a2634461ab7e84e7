/**
 * A token bucket with reservations. An object that finds no token is told when its turn is. When it returns at that time, its tokens
 * are there.
 *
 * Guarantees
 * - In any window of `t` seconds at most `burst + perSecond * t` tokens are spent. Only a pass that alone needs more than
 *   `burst` tokens may exceed `burst`, by what it lacks.
 * - Urgent objects come before others; within a class, the first comes first.
 * - An object that does not return keeps no token from others for more than {@link MISSED_AFTER_MS}. If it returns later, it has
 *   its place again.
 *
 * Caveats: an urgent object takes the token of an object that was told its turn. That object is told a later turn when it returns.
 */
import { Line, type Place } from "./line.ts";
import type { Rate } from "./rate.ts";

/** The share of an object in the bucket. */
export interface Share {
  /** The tokens that the running pass has spent. */
  used: number;
  /** The tokens that are set aside for the rest of the running pass. */
  held: number;
  /** The place in the line; `undefined`: the object does not wait. */
  place: Place | undefined;
}

/** Sums of fractions of tokens are not exact. */
const TOLERANCE = 1e-6;

/** Shares out the tokens of a bucket. */
export class Turns {
  readonly #rate: Required<Rate>;
  readonly #urgent: Line = new Line();
  readonly #polls: Line = new Line();
  /** The unspent tokens, with those that are set aside: tokens that are held do not raise the limit. */
  #tokens: number;
  #held = 0;
  #atMs = Number.NEGATIVE_INFINITY;

  constructor(rate: Required<Rate>) {
    this.#rate = rate;
    this.#tokens = rate.burst;
  }

  /** Spends a token and returns 0, or returns the milliseconds until the turn of the object. */
  take(share: Share, isUrgent: boolean, nowMs: number): number {
    this.#advance(nowMs);
    if (share.held > 0) {
      this.#hold(share, share.held - 1);
      return this.#spend(share);
    }
    const line = this.#lineFor(share, isUrgent);
    const ahead = this.#ahead(line, share);
    const reserved = share.place?.tokens ?? 1;
    const needed = share.used > 0 ? 1 : reserved;
    if (this.#lacking(ahead, needed) <= TOLERANCE) {
      this.#leave(share);
      this.#hold(share, needed - 1);
      return this.#spend(share);
    }
    const waitMs = Math.max(1, this.#msFor(this.#lacking(ahead, wantedBy(share))));
    this.#keep(share, line, nowMs + waitMs);
    return waitMs;
  }

  /**
   * Keeps a place for an object while a stop of all objects lasts, and returns the milliseconds until its turn after the stop. The
   * objects return one after the other: a full bucket is no reason to begin with a burst.
   */
  stand(share: Share, isUrgent: boolean, nowMs: number, stopMs: number): number {
    this.#advance(nowMs);
    const line = this.#lineFor(share, isUrgent);
    const waitMs = Math.max(1, Math.ceil(stopMs) + this.#msFor(this.#ahead(line, share)));
    this.#keep(share, line, nowMs + waitMs);
    return waitMs;
  }

  /** Ends the pass of an object: tokens that it did not need are free for others. Its place stays. */
  end(share: Share): void {
    this.#hold(share, 0);
    share.used = 0;
  }

  /** Returns whether no token is missing. */
  isFull(nowMs: number): boolean {
    this.#advance(nowMs);
    return this.#tokens - this.#held >= this.#rate.burst - TOLERANCE;
  }

  /** Forgets an object. */
  drop(share: Share): void {
    this.end(share);
    this.#leave(share);
  }

  #advance(nowMs: number): void {
    const { perSecond, burst } = this.#rate;
    if (nowMs > this.#atMs) {
      this.#tokens = Math.min(burst, this.#tokens + ((nowMs - this.#atMs) / 1000) * perSecond);
      this.#atMs = nowMs;
    }
    this.#urgent.passMissed(nowMs);
    this.#polls.passMissed(nowMs);
  }

  /** Returns the line of the object. A place that became urgent moves. An urgent place stays urgent until its turn. */
  #lineFor(share: Share, isUrgent: boolean): Line {
    const { place } = share;
    if (place === undefined) return isUrgent ? this.#urgent : this.#polls;
    if (!isUrgent || place.line === this.#urgent) return place.line;
    place.line.remove(place);
    share.place = this.#urgent.add(place.tokens, place.turnMs);
    return this.#urgent;
  }

  /** Returns the tokens that are missing. More than a full bucket never comes, so a larger need waits for a full one and overdraws it. */
  #lacking(ahead: number, needed: number): number {
    return ahead + Math.min(needed, this.#rate.burst) - (this.#tokens - this.#held);
  }

  /** Returns the tokens that others claim before this object. */
  #ahead(line: Line, { place }: Share): number {
    return (line === this.#urgent ? 0 : this.#urgent.total) + (place === undefined ? line.total : line.ahead(place));
  }

  #msFor(tokens: number): number {
    return Math.ceil((tokens / this.#rate.perSecond) * 1000 - TOLERANCE);
  }

  #keep(share: Share, line: Line, turnMs: number): void {
    const wanted = wantedBy(share);
    if (share.place === undefined) share.place = line.add(wanted, turnMs);
    else line.keep(share.place, wanted, turnMs);
  }

  #leave(share: Share): void {
    if (share.place !== undefined) share.place.line.remove(share.place);
    share.place = undefined;
  }

  #hold(share: Share, tokens: number): void {
    this.#held += tokens - share.held;
    share.held = tokens;
  }

  #spend(share: Share): number {
    this.#tokens -= 1;
    share.used += 1;
    return 0;
  }
}

/** A pass that starts over needs the tokens again that this pass has spent. */
function wantedBy({ place, used }: Share): number {
  return Math.max(place?.tokens ?? 1, used + 1);
}
