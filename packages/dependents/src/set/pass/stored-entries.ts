/** What an earlier pass has stored of the objects of a set in `status.dependents`. */
import { groupKindOf, keyOf, parseApiVersion } from "@treadle/apimachinery";
import { entryHandlerOf } from "@treadle/reconcile/unstable/engine";
import { type DependentEntry, type DependentIdentity, entriesOfStep, storedEntries } from "../../core/entries.ts";
import type { DependentPass } from "../../extension/data.ts";
import { underPresentName } from "../../extension/entries.ts";
import type { Phase } from "./outcome.ts";

/** The stored entries of one set. They are read when a pass asks for them, and once: a settled pass does not. */
export class StoredEntries {
  readonly #pass: Pick<DependentPass, "handler" | "object">;
  readonly #set: string;
  #list: readonly DependentEntry[] | undefined;
  #phases: ReadonlyMap<string, string> | undefined;
  #notes: ReadonlyMap<string, string> | undefined;

  constructor(pass: Pick<DependentPass, "handler" | "object">, set: string) {
    this.#pass = pass;
    this.#set = set;
  }

  /** All entries of the set. */
  get list(): readonly DependentEntry[] {
    if (this.#list !== undefined) return this.#list;
    const { handler, object } = this.#pass;
    const entries = underPresentName(handler, storedEntries(object));
    this.#list = entriesOfStep(entries, { handler: entryHandlerOf(handler), step: this.#set });
    return this.#list;
  }

  /** Returns the phase of an object, by its key. */
  phaseOf(key: string): Phase | undefined {
    this.#phases ??= this.#attributes("phase");
    return this.#phases.get(key) as Phase | undefined; // The set has written it.
  }

  /** Returns the policies of an object that are not the defaults, as its annotation has them, by its key. */
  noteOf(key: string): string | undefined {
    this.#notes ??= this.#attributes("policies");
    return this.#notes.get(key);
  }

  #attributes(wanted: string): ReadonlyMap<string, string> {
    return new Map(
      this.list.flatMap((entry) => {
        const value = entry.attributes?.find(({ name }) => name === wanted)?.value;
        return value === undefined ? [] : [[keyOfEntry(entry), value] as const];
      }),
    );
  }
}

/** Returns the key of the object of an entry. */
export function keyOfEntry({ apiVersion, kind, name, namespace }: DependentIdentity): string {
  const { group } = parseApiVersion(apiVersion);
  return `${groupKindOf({ group, kind })} ${keyOf(namespace === undefined ? { name } : { name, namespace })}`;
}
