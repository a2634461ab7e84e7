/**
 * Empty metadata of applied custom objects. The real server stores it as it was sent and never shows it. The next write
 * removes it, and counts as a change only because of that. Here it is kept beside the object.
 */
import { isObject, type JsonObject } from "../internal/json.ts";
import type { StoredObject } from "../storage/stored-object.ts";

/** Fields of metadata with their empty values. */
export type Residue = Readonly<Record<string, unknown>>;

export const NO_RESIDUE: Residue = {};

const FIELDS = ["labels", "annotations", "finalizers", "ownerReferences"] as const;
const RESIDUES = new WeakMap<StoredObject, Residue>();

/** Returns the empty fields of an object's metadata. */
export function residueIn({ metadata }: JsonObject): Residue {
  if (!isObject(metadata)) return NO_RESIDUE;
  const isEmpty = (value: unknown): boolean => value === null || (typeof value === "object" && Object.keys(value).length === 0);
  const empty = FIELDS.filter((field) => isEmpty(metadata[field]));
  return empty.length === 0 ? NO_RESIDUE : Object.fromEntries(empty.map((field) => [field, metadata[field]]));
}

/** Returns the empty metadata that is kept with a stored object. */
export function residueOf(object: StoredObject): Residue {
  return RESIDUES.get(object) ?? NO_RESIDUE;
}

export function keepResidue(object: StoredObject, residue: Residue): void {
  if (residue !== NO_RESIDUE) RESIDUES.set(object, residue);
}
