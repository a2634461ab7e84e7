/** Limits the events of one object, with client-go's numbers (`tools/record`). */
import { LruMap } from "../internal/lru-map.ts";

/** Number of events of an object without a pause, and the time until one more is allowed. */
const BURST = 25;
const REFILL_MS = 300_000;

interface Bucket {
  readonly tokens: number;
  readonly atMs: number;
}

export class SpamFilter {
  readonly #buckets = new LruMap<string, Bucket>();

  /** Whether one more event of this object is allowed; then it is counted. */
  admits(uid: string, nowMs: number): boolean {
    const bucket = this.#buckets.get(uid) ?? { tokens: BURST, atMs: nowMs };
    const tokens = Math.min(BURST, bucket.tokens + Math.max(0, nowMs - bucket.atMs) / REFILL_MS);
    const isAdmitted = tokens >= 1;
    this.#buckets.set(uid, { tokens: isAdmitted ? tokens - 1 : tokens, atMs: nowMs });
    return isAdmitted;
  }
}
