/**
 * The objects that reads with `through()` named in the last pass of each primary. Such a reference depends on another object, so no
 * index of primaries can hold it. A change of a named object triggers passes of the primaries that named it.
 *
 * Guarantee: a reference is noted before its object is read, so no change between the two is missed.
 */
import { keyOf, type Ref } from "@treadle/apimachinery";
import type { OneRead } from "../reads.ts";

export class References {
  readonly #named = new Map<string, Map<OneRead, Ref>>();
  readonly #primaries = new Map<OneRead, Map<string, Set<string>>>();

  /** Returns the object that the read named in the last pass of the primary with the key. */
  named(primary: string, read: OneRead): Ref | undefined {
    return this.#named.get(primary)?.get(read);
  }

  /** Notes the object that the read names for the primary. Returns whether it is another one than before. */
  note(primary: string, read: OneRead, ref: Ref | undefined): boolean {
    const before = this.named(primary, read);
    if ((before && keyOf(before)) === (ref && keyOf(ref))) return false;
    this.#drop(primary, read);
    if (ref === undefined) return true;
    entryOf(this.#named, primary, () => new Map()).set(read, ref);
    entryOf(
      entryOf(this.#primaries, read, () => new Map()),
      keyOf(ref),
      () => new Set(),
    ).add(primary);
    return true;
  }

  /** Returns the keys of the primaries whose last pass named the object by this read. */
  primariesOf(read: OneRead, ref: Ref): readonly string[] {
    return [...(this.#primaries.get(read)?.get(keyOf(ref)) ?? [])];
  }

  /** Drops the references of a primary. */
  forget(primary: string): void {
    this.#named.get(primary)?.forEach((_, read) => this.#drop(primary, read));
  }

  #drop(primary: string, read: OneRead): void {
    const before = this.named(primary, read);
    if (before === undefined) return;
    const named = this.#named.get(primary);
    named?.delete(read);
    if (named?.size === 0) this.#named.delete(primary);
    const byTarget = this.#primaries.get(read);
    const primaries = byTarget?.get(keyOf(before));
    primaries?.delete(primary);
    if (primaries?.size === 0) byTarget?.delete(keyOf(before));
  }
}

function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
