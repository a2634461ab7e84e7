/**
 * What started a pass, as a short text for the log: `Secret ns/in was updated`, `due after 5000 ms: the bucket is being
 * created`. Of several causes the first is named, and the others are counted.
 */
import { keyOf } from "@treadle/apimachinery";
import { isRequested } from "../predicates.ts";
import type { EventCause } from "./event-router.ts";

interface Causes {
  readonly first: string;
  more: number;
}

/** The causes of the passes that are queued. */
export class PassCauses {
  readonly #queued = new Map<string, Causes>();
  readonly #due = new Map<string, string>();

  /** Notes why `key` was queued for now. */
  queued(key: string, text: string): void {
    const causes = this.#queued.get(key);
    if (causes === undefined) this.#queued.set(key, { first: text, more: 0 });
    else causes.more++;
  }

  /** Notes why `key` is due later; the latest reason counts. Undefined: it is not due any more. */
  due(key: string, text: string | undefined): void {
    if (text === undefined) this.#due.delete(key);
    else this.#due.set(key, text);
  }

  /** Returns why the pass that begins now was queued, and forgets it. */
  take(key: string): string | undefined {
    const causes = this.#queued.get(key);
    if (causes === undefined) return this.#due.get(key);
    this.#queued.delete(key);
    return causes.more === 0 ? causes.first : `${causes.first}, and ${causes.more} more`;
  }

  /** Forgets the causes of a key that gets no pass. */
  forget(key: string): void {
    this.#queued.delete(key);
    this.#due.delete(key);
  }
}

/** The text of an event. */
export function causeOfEvent({ kind, event }: EventCause, key: string): string {
  if (event.type === "added" && event.initial) return "start";
  const subject = `${kind.kind} ${keyOf(event.object.metadata)}`;
  if (keyOf(event.object.metadata) === key && isRequested(event)) return "requested by annotation";
  return `${subject} was ${CHANGES[event.type]}`;
}

const CHANGES = { added: "created", updated: "updated", deleted: "deleted" } as const;
