/** Removes what a manager applied last time, does not apply now, and nobody else owns (structured-merge-diff `merge.Updater.prune`). */
import type { JsonObject } from "../internal/json.ts";
import { identityOf, type ManagedEntry, type Managers } from "./entries.ts";
import { difference, type FieldSet, intersection, isEmptySet, union } from "./field-set.ts";
import type { Model } from "./settle.ts";
import { fieldsOf, removeFields, withNamedFields } from "./typed-sets.ts";
import type { TypeDef } from "./field-types.ts";

export interface Pruning {
  /** As they are after the apply, the applier included. */
  readonly managers: Managers;
  readonly model: Model;
  /** The applier's entry before. */
  readonly last: ManagedEntry | undefined;
  /** Of the result. */
  readonly apiVersion: string;
}

/** `merged` without what fell away; containers that lost everything are null. */
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

/**
 * Whether the new configuration has all that the last one had, in the version of everybody: then whatever is taken away at
 * first is given back.
 */
function keepsAll({ managers, last, apiVersion }: Pruning & { readonly last: ManagedEntry }): boolean {
  for (const manager of managers.values()) if (manager.apiVersion !== apiVersion) return false;
  const now = managers.get(identityOf(last));
  return last.apiVersion === apiVersion && now !== undefined && isEmptySet(difference(last.fields, now.fields));
}

/** Gives back what somebody owns: the new configuration, other appliers, updaters. */
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
  // The version of what was removed comes first: it needs no conversion.
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

/** Gives back what went without having been the applier's: fields inside of something that it had listed. */
function addBackDangling(whole: JsonObject, pruned: JsonObject, type: TypeDef, last: FieldSet): JsonObject {
  const gone = difference(fieldsIn(whole, type), fieldsIn(pruned, type));
  return remove(whole, intersection(gone, withNamedFields(last, type)), type);
}

const NONE: FieldSet = { isMember: false, children: new Map() };

function fieldsIn(object: JsonObject, type: TypeDef): FieldSet {
  return withNamedFields(fieldsOf(object, type), type);
}

function remove(object: JsonObject, set: FieldSet, type: TypeDef): JsonObject {
  return removeFields(object, set, type) as JsonObject; // kind and apiVersion are nobody's, so something is left
}
