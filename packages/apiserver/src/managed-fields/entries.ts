/** Entries of managedFields with their fields as a set, by their identity. */
import type { ManagedFieldsEntry } from "@treadle/apimachinery";
import type { FieldSet } from "./field-set.ts";
import { readForm, storedForm } from "./stored-sets.ts";

/** An entry with its fields as a set. */
export interface ManagedEntry {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly fields: FieldSet;
  /** Stored form of the entry, unless the entry changed. */
  readonly raw?: ManagedFieldsEntry;
}

/** Entries by {@link identityOf}. */
export type Managers = ReadonlyMap<string, ManagedEntry>;

/** Decodes an entry, or returns `undefined` for an invalid one. */
export function decodeEntry(entry: ManagedFieldsEntry): ManagedEntry | undefined {
  if (!entry.apiVersion || entry.fieldsType !== "FieldsV1") return undefined;
  const fields = readForm(entry.fieldsV1);
  if (fields === undefined || (entry.operation !== "Apply" && entry.operation !== "Update")) return undefined;
  return {
    manager: entry.manager ?? "",
    operation: entry.operation,
    apiVersion: entry.apiVersion,
    subresource: entry.subresource ?? "",
    time: entry.time,
    fields,
    raw: entry,
  };
}

export function encodeEntry(entry: ManagedEntry): ManagedFieldsEntry {
  if (entry.raw !== undefined) return entry.raw;
  return {
    manager: entry.manager,
    operation: entry.operation,
    apiVersion: entry.apiVersion,
    ...(entry.time === undefined ? {} : { time: entry.time }),
    fieldsType: "FieldsV1",
    fieldsV1: storedForm(entry.fields),
    ...(entry.subresource === "" ? {} : { subresource: entry.subresource }),
  };
}

export function decodeEntries(entries: readonly ManagedFieldsEntry[]): Map<string, ManagedEntry> {
  const managers = new Map<string, ManagedEntry>();
  for (const raw of entries) {
    const entry = decodeEntry(raw);
    if (entry !== undefined) managers.set(identityOf(entry), entry);
  }
  return managers;
}

/** Encodes the entries in the order of the real server. */
export function encodeEntries(managers: Managers): readonly ManagedFieldsEntry[] {
  return [...managers.values()].map(encodeEntry).toSorted(byRank);
}

/** Returns an entry with other fields. */
export function withFields(entry: ManagedEntry, fields: FieldSet): ManagedEntry {
  if (fields === entry.fields) return entry;
  const { raw: _, ...rest } = entry;
  return { ...rest, fields };
}

/**
 * Returns the identity of an entry. For each subresource a manager has one entry for all its applies, and one for its updates
 * in each version.
 */
export function identityOf({ manager, operation, apiVersion, subresource }: Omit<ManagedEntry, "fields" | "time">): string {
  return JSON.stringify({
    ...(manager === "" ? {} : { manager }),
    operation,
    ...(operation === "Apply" || apiVersion === "" ? {} : { apiVersion }),
    ...(subresource === "" ? {} : { subresource }),
  });
}

function byRank(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  const rank = (entry: ManagedFieldsEntry): readonly string[] => [
    entry.operation ?? "",
    entry.time ?? "",
    entry.manager ?? "",
    entry.apiVersion ?? "",
    entry.subresource ?? "",
  ];
  const [left, right] = [rank(a), rank(b)];
  for (let i = 0; i < left.length; i++) {
    const [x = "", y = ""] = [left[i], right[i]];
    if (x !== y) return x < y ? -1 : 1;
  }
  return 0;
}
