/** The fetched objects that the reads of an object hold. */
import type { Kind, Ref } from "@treadle/apimachinery";

/** A read whose object is held in {@link Fetches}. */
export interface Held {
  readonly kind: Kind;
  readonly ref: Ref;
}

/** Returns the name of a reader of fetched objects: an object of one handler, by its key. */
export function readerOf({ name }: { readonly name: string }, key: string): string {
  return `${name} ${key}`;
}
