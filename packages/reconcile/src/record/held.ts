/** Which fetched objects the reads of an object hold. */
import type { Kind, Ref } from "@treadle/apimachinery";

/** A read whose object is held in {@link Fetches}. */
export interface Held {
  readonly kind: Kind;
  readonly ref: Ref;
}

/** Who holds fetched objects: an object, by its key, of one handler. */
export function readerOf({ name }: { readonly name: string }, key: string): string {
  return `${name} ${key}`;
}
