/**
 * Who wrote which field: `metadata.managedFields` after an ordinary (non-apply) write.
 * What the writer changed or added becomes its own and leaves the others; what it removed leaves everybody.
 */
import { jsonEqual, type ManagedFieldsEntry } from "@treadle/apimachinery";
import type { JsonObject } from "../internal/json.ts";
import { capUpdaters } from "./cap.ts";
import { decodeEntries, decodeEntry, encodeEntries, identityOf } from "./entries.ts";
import { equalSets, type FieldSet, isEmptySet, union } from "./field-set.ts";
import { type Model, present, settle } from "./settle.ts";

/** Who writes, how and when. */
export interface Writer {
  readonly manager: string;
  readonly subresource: string;
  /** RFC 3339, whole seconds. */
  readonly time: string;
}

/**
 * The managedFields of `after`, written by `writer` over `before` (`undefined`: created). An entry that did not change
 * is returned as it was given, so that an equal list means that nothing changed hands.
 */
export function managedAfterUpdate(given: {
  readonly before: JsonObject | undefined;
  readonly after: JsonObject;
  /** What a new object is before anything is written into it: what it has of that nobody owns. */
  readonly empty?: JsonObject;
  readonly model: Model;
  readonly managed: readonly ManagedFieldsEntry[];
  readonly writer: Writer;
}): readonly ManagedFieldsEntry[] {
  const { before, after, empty = {}, model, managed, writer } = given;
  // What nobody manages is not followed: objects begin so when they are created without fields, or by a reset.
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
  // Entries that were merged may be another one's by now, and stand elsewhere.
  return capped === entries ? entries : encodeEntries(decodeEntries(capped));
}

/** The union, as the first set itself where that has all. */
function joined(a: FieldSet, b: FieldSet): FieldSet {
  const both = union(a, b);
  return equalSets(a, both) ? a : both;
}

/**
 * The entries that count as the state before a write: those that the request carries (a client may edit them), unless it
 * carries none; a single empty entry asks for a reset. Subresources cannot edit them.
 */
export function managedBefore(requested: unknown, live: unknown, isSubresource: boolean): readonly ManagedFieldsEntry[] {
  const current = Array.isArray(live) ? (live as ManagedFieldsEntry[]) : []; // stored by this module
  if (isSubresource || !Array.isArray(requested) || requested.length === 0) return current;
  if (requested.length === 1 && jsonEqual(requested[0], {})) return [];
  const entries = requested as ManagedFieldsEntry[]; // read by readMeta
  if (jsonEqual(entries, current)) return current;
  return entries.every((entry) => decodeEntry(entry) !== undefined) ? entries : current;
}

/** Fields that name the object or that only the server writes have no manager (managedfields `stripMeta`). */
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
