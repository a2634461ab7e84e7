/**
 * Decides which events of a component are stored, as the recorders of client-go do: the same event again raises a count, many
 * similar events become one, and too many events about one object are dropped. Pure, except for what it remembers.
 */
import type { Clock } from "@treadle/apimachinery";
import type { JsonObject } from "../internal/json.ts";
import { Recent } from "../internal/recent.ts";

/** An event as `v1` has it, without its metadata. */
export interface EventContent {
  readonly involvedObject: JsonObject;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  readonly source: { readonly component: string; readonly host?: string };
  readonly reportingComponent: string;
  readonly reportingInstance: string;
}

/** What to write about an event. */
export interface Correlated {
  /** Name of the stored event that has the same key, or of a new one. */
  readonly name: string;
  readonly content: EventContent;
  /** Number of times that it happened. From 2 on the stored event is changed. */
  readonly count: number;
  readonly firstMs: number;
}

/** Values of client-go `record`: similar events and their time that become one, events about one object, and their refill. */
const MAX_SIMILAR = 10;
const SIMILAR_MS = 600_000;
const BURST = 25;
const REFILL_MS = 300_000;
const MAX_REMEMBERED = 4096;

interface Similar {
  readonly messages: Set<string>;
  lastMs: number;
}

interface Bucket {
  tokens: number;
  filledMs: number;
}

export class EventCorrelator {
  readonly #clock: Clock;
  readonly #similar = new Recent<Similar>(MAX_REMEMBERED);
  readonly #seen = new Recent<Correlated>(MAX_REMEMBERED);
  readonly #buckets = new Recent<Bucket>(MAX_REMEMBERED);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns what to write, or `undefined` for an event that is dropped. `newName` is called for an event that has no name yet. */
  correlate(given: EventContent, newName: () => string): Correlated | undefined {
    const { key, content } = this.#aggregate(given);
    const before = this.#seen.get(key);
    const firstMs = before?.firstMs ?? this.#clock.now();
    const next: Correlated = { name: before?.name ?? newName(), content, count: (before?.count ?? 0) + 1, firstMs };
    this.#seen.set(key, next);
    return this.#isSpam(content) ? undefined : next;
  }

  /** From ten different messages on, similar events become one. Its reporter is empty, as with client-go. */
  #aggregate(given: EventContent): { readonly key: string; readonly content: EventContent } {
    const nowMs = this.#clock.now();
    const { message, reportingComponent, reportingInstance } = given;
    const group = keyOf("similar", given, [given.reason, reportingComponent, reportingInstance]);
    const known = this.#similar.get(group);
    const similar = known !== undefined && nowMs - known.lastMs <= SIMILAR_MS ? known : { messages: new Set<string>(), lastMs: nowMs };
    similar.messages.add(message);
    similar.lastMs = nowMs;
    this.#similar.set(group, similar);
    if (similar.messages.size < MAX_SIMILAR)
      return { key: keyOf("event", given, [given.reason, String(given.involvedObject["fieldPath"] ?? ""), message]), content: given };
    const [oldest] = similar.messages;
    if (oldest !== undefined) similar.messages.delete(oldest);
    const content = { ...given, message: `(combined from similar events): ${message}`, reportingComponent: "", reportingInstance: "" };
    return { key: group, content };
  }

  /** Takes a token for the object. */
  #isSpam(content: EventContent): boolean {
    const nowMs = this.#clock.now();
    const key = keyOf("bucket", content, []);
    const { tokens, filledMs } = this.#buckets.get(key) ?? { tokens: BURST, filledMs: nowMs };
    const filled = Math.min(BURST, tokens + (nowMs - filledMs) / REFILL_MS);
    this.#buckets.set(key, { tokens: filled >= 1 ? filled - 1 : filled, filledMs: nowMs });
    return filled < 1;
  }
}

function keyOf(use: string, { source, involvedObject: about, type }: EventContent, more: readonly string[]): string {
  const object = [about["kind"], about["namespace"], about["name"], about["uid"], about["apiVersion"]];
  // No name contains a line break, and the message is last.
  return [use, source.component, source.host, ...object, type, ...more].join("\n");
}
