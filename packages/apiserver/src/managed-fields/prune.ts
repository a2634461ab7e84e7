/**
 * Removes the fields that a manager applied last time, does not apply now, and that no other manager owns
 * (structured-merge-diff `merge.Updater.prune`).
 */
import type { JsonObject } from "../internal/json.ts";
import { identityOf, type ManagedEntry, type Managers } from "./entries.ts";
import { difference, type FieldSet, intersection, isEmptySet, union } from "./field-set.ts";
import type { Model } from "./settle.ts";
import { fieldsOf, removeFields, withNamedFields } from "./typed-sets.ts";
import type { TypeDef } from "./field-types.ts";

export interface Pruning {
  /** Managers after the apply, including the applier. */
  readonly managers: Managers;
  readonly model: Model;
  /** Entry of the applier before the apply. */
  readonly last: ManagedEntry | undefined;
  /** Version of the result. */
  readonly apiVersion: string;
}

/** Returns `merged` without removed fields. Containers that lost all fields are null. */
export function prune(merged: JsonObject, { managers, model, last, apiVersion }: Pruning): JsonObject {
  if (last === undefined || isEmptySet(last.fields) || keepsAll({ managers, model, last, apiVersion })) return merged;
  const type = model.typeIn(last.apiVersion);
  if (type === undefined) return merged;
  const whole = model.convert(merged, last.apiVersion);
  const bare = remove(whole, withNamedFields(last.fields, type), type);
  const owned = addBackOwned(whole, bare, { managers, model, first: last.apiVersion });
  const pruned = addBackDangling(whole, model.convert(owned, last.apiVersion), type, last.fields);
  return model.convert(pruned, apiVersion);
}

/** Reports whether the new configuration contains all of the last one, in each version. Then nothing is removed. */
function keepsAll({ managers, last, apiVersion }: Pruning & { readonly last: ManagedEntry }): boolean {
  for (const manager of managers.values()) if (manager.apiVersion !== apiVersion) return false;
  const now = managers.get(identityOf(last));
  return last.apiVersion === apiVersion && now !== undefined && isEmptySet(difference(last.fields, now.fields));
}

/** Adds back the fields of the new configuration and of other managers. */
function addBackOwned(
  whole: JsonObject,
  bare: JsonObject,
  { managers, model, first }: { readonly managers: Managers; readonly model: Model; readonly first: string },
): JsonObject {
  const byVersion = new Map<string, FieldSet>();
  for (const { apiVersion, fields } of managers.values()) {
    const known = byVersion.get(apiVersion);
    byVersion.set(apiVersion, known === undefined ? fields : union(known, fields));
  }
  // The version of the removed fields comes first, because it needs no conversion.
  const versions = [...byVersion.keys()].toSorted((a, b) => Number(b === first) - Number(a === first));
  let pruned = bare;
  for (const version of versions) {
    const type = model.typeIn(version);
    if (type === undefined) continue;
    const full = model.convert(whole, version);
    const kept = union(fieldsIn(model.convert(pruned, version), type), withNamedFields(byVersion.get(version) ?? NONE, type));
    pruned = remove(full, difference(fieldsIn(full, type), kept), type);
  }
  return pruned;
}

/** Adds back removed fields that the applier did not own: fields inside of something that it had listed. */
function addBackDangling(whole: JsonObject, pruned: JsonObject, type: TypeDef, last: FieldSet): JsonObject {
  const gone = difference(fieldsIn(whole, type), fieldsIn(pruned, type));
  return remove(whole, intersection(gone, withNamedFields(last, type)), type);
}

const NONE: FieldSet = { isMember: false, children: new Map() };

function fieldsIn(object: JsonObject, type: TypeDef): FieldSet {
  return withNamedFields(fieldsOf(object, type), type);
}

function remove(object: JsonObject, set: FieldSet, type: TypeDef): JsonObject {
  return removeFields(object, set, type) as JsonObject; // kind and apiVersion have no manager, so the object is not empty
}
