/**
 * Computes `metadata.managedFields` after a write that is not an apply. The writer gets the fields that it added or changed,
 * and other managers lose them. All managers lose the removed fields.
 */
import { jsonEqual, type ManagedFieldsEntry } from "@treadle/apimachinery";
import type { JsonObject } from "../internal/json.ts";
import { capUpdaters } from "./cap.ts";
import { decodeEntries, decodeEntry, encodeEntries, identityOf } from "./entries.ts";
import { equalSets, type FieldSet, isEmptySet, union } from "./field-set.ts";
import { type Model, present, settle } from "./settle.ts";

/** The manager of a write, its operation and its time. */
export interface Writer {
  readonly manager: string;
  readonly subresource: string;
  /** Time in RFC 3339, in whole seconds. */
  readonly time: string;
}

/**
 * Returns the managedFields of `after`, which `writer` wrote over `before` (`undefined` for a create). Unchanged entries are
 * returned as they were given, so that an equal list means no change.
 */
export function managedAfterUpdate(given: {
  readonly before: JsonObject | undefined;
  readonly after: JsonObject;
  /** A new object before anything is written into it. Its fields have no owner. */
  readonly empty?: JsonObject;
  readonly model: Model;
  readonly managed: readonly ManagedFieldsEntry[];
  readonly writer: Writer;
}): readonly ManagedFieldsEntry[] {
  const { before, after, empty = {}, model, managed, writer } = given;
  // An object without managers stays so: it was created without fields, or its managers were reset.
  if (before !== undefined && managed.length === 0) return managed;
  const old = present(decodeEntries(managed), model);
  const { managers, comparison } = settle(old, { before: before ?? empty, after, model, isForced: true });
  const taken = withoutIdentity(union(comparison.added, comparison.modified));
  if (!isEmptySet(taken)) {
    const entry = { ...writer, operation: "Update" as const, apiVersion: model.apiVersion };
    const id = identityOf(entry);
    const own = managers.get(id);
    managers.set(id, { ...entry, fields: own === undefined ? taken : joined(own.fields, taken) });
  }
  const entries = encodeEntries(managers);
  const capped = capUpdaters(entries);
  // Merged entries can have another identity, and another place.
  return capped === entries ? entries : encodeEntries(decodeEntries(capped));
}

/** Returns the union, which is the first set if it contains all paths. */
function joined(a: FieldSet, b: FieldSet): FieldSet {
  const both = union(a, b);
  return equalSets(a, both) ? a : both;
}

/**
 * Returns the entries before a write: those of the request if it has any, because a client may edit them. A single empty
 * entry resets them. A subresource cannot edit them.
 */
export function managedBefore(requested: unknown, live: unknown, isSubresource: boolean): readonly ManagedFieldsEntry[] {
  const current = Array.isArray(live) ? (live as ManagedFieldsEntry[]) : []; // stored by this module
  if (isSubresource || !Array.isArray(requested) || requested.length === 0) return current;
  if (requested.length === 1 && jsonEqual(requested[0], {})) return [];
  const entries = requested as ManagedFieldsEntry[]; // read by readMeta
  if (jsonEqual(entries, current)) return current;
  return entries.every((entry) => decodeEntry(entry) !== undefined) ? entries : current;
}

/** Removes fields that identify the object or that only the server writes, which have no manager (managedfields `stripMeta`). */
export function withoutIdentity(set: FieldSet): FieldSet {
  const metadata = set.children.get("f:metadata");
  if (metadata === undefined && !set.children.has("f:kind") && !set.children.has("f:apiVersion")) return set;
  const children = new Map(set.children);
  children.delete("f:apiVersion");
  children.delete("f:kind");
  children.delete("f:metadata");
  if (metadata !== undefined) {
    const fields = new Map(metadata.children);
    for (const field of IDENTITY) fields.delete(field);
    if (fields.size > 0) children.set("f:metadata", { isMember: false, children: fields });
  }
  return { isMember: set.isMember, children };
}

const IDENTITY = [
  "f:name",
  "f:namespace",
  "f:creationTimestamp",
  "f:selfLink",
  "f:uid",
  "f:generation",
  "f:managedFields",
  "f:resourceVersion",
] as const;
