/** Limits the size of managedFields: the oldest entries of updates in a version are merged into one. */
import type { ManagedFieldsEntry } from "@treadle/apimachinery";
import { union } from "./field-set.ts";
import { decodeEntry, encodeEntry } from "./entries.ts";

/** k8s.io/apimachinery `managedfields.DefaultMaxUpdateManagers`. */
const MAX_UPDATERS = 10;

/** Manager of merged entries, as on the real server. */
const ANCIENT = "ancient-changes";

/** Merges entries of updates until at most ten are left, if merging within versions can reach that. */
export function capUpdaters(entries: readonly ManagedFieldsEntry[]): readonly ManagedFieldsEntry[] {
  const updaters = entries.filter((entry) => entry.operation === "Update");
  let excess = updaters.length - MAX_UPDATERS;
  if (excess <= 0) return entries;
  const oldestFirst = updaters.toSorted((a, b) => compareTexts(a.time ?? "", b.time ?? ""));
  const merged = new Map<string, ManagedFieldsEntry>();
  const gone = new Set<ManagedFieldsEntry>();
  for (const entry of oldestFirst) {
    if (excess <= 0) break;
    const version = entry.apiVersion ?? "";
    const first = merged.get(version);
    if (first === undefined) {
      merged.set(version, entry);
      continue;
    }
    const [older, newer] = [decodeEntry(first), decodeEntry(entry)];
    if (older === undefined || newer === undefined) continue;
    gone.add(first).add(entry);
    const { raw: _, ...latest } = newer;
    merged.set(version, encodeEntry({ ...latest, manager: ANCIENT, subresource: "", fields: union(older.fields, newer.fields) }));
    excess--;
  }
  const made = [...merged.values()].filter((entry) => entry.manager === ANCIENT && !entries.includes(entry));
  return [...entries.filter((entry) => !gone.has(entry)), ...made];
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
