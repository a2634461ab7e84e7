/** Keeps managedFields from growing without end: the oldest updaters of a version are merged into one entry. */
import type { ManagedFieldsEntry } from "@treadle/apimachinery";
import { union } from "./field-set.ts";
import { decodeEntry, encodeEntry } from "./entries.ts";

/** k8s.io/apimachinery `managedfields.DefaultMaxUpdateManagers`. */
const MAX_UPDATERS = 10;

/** The manager of merged entries on the real server. */
const ANCIENT = "ancient-changes";

/** At most ten entries of updates, where that can be reached by merging those of one version. */
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
