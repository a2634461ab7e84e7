/**
 * What metadata.managedFields says that is of use to its reader: which conditions a field manager wrote, and what the unit
 * managers of a handler (`<handler>/<step>/<owner uid>`) have applied. Of conditions it can tell only where
 * `status.conditions` is a list-map; of an atomic list managedFields names no elements, and nothing counts as written.
 */
import type { KubernetesObject, ManagedFieldsEntry } from "./objects.ts";
import { isObject } from "./internal/is-object.ts";

/**
 * The types of the conditions that `fieldManager` wrote, by Update or by Apply.
 * A condition of ours whose `status` another manager has written since counts as theirs.
 */
export function conditionsWrittenBy(object: KubernetesObject, fieldManager: string): ReadonlySet<string> {
  const entries = object.metadata.managedFields ?? [];
  const statusOwners = new Map<string, Set<string>>();
  const written = new Set<string>();
  for (const entry of entries) {
    for (const [key, fields] of conditionFields(entry)) {
      const type = typeOf(key);
      if (type === undefined) continue;
      if (entry.manager === fieldManager) written.add(type);
      if (isObject(fields) && "f:status" in fields) {
        const owners = statusOwners.get(type) ?? new Set();
        statusOwners.set(type, owners.add(entry.manager ?? ""));
      }
    }
  }
  return new Set([...written].filter((type) => (statusOwners.get(type)?.size ?? 0) === 0 || statusOwners.get(type)?.has(fieldManager)));
}

/**
 * The object with only that part of managedFields that {@link conditionsWrittenBy} needs for `managers`; for caches,
 * where the rest is most of an object's weight. The answer of conditionsWrittenBy for these managers is the same before and after.
 * What their unit managers, `<manager>/...`, have applied is kept whole: a dependent is compared with it.
 * The object itself is not changed; one without managedFields is returned as it is.
 */
export function keepOwnManagedFields<T extends KubernetesObject>(object: T, managers: ReadonlySet<string>): T {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields, ...metadata } = object.metadata;
  const kept: ManagedFieldsEntry[] = [];
  for (const entry of managedFields) {
    if (isUnitOf(entry, managers)) kept.push(entry);
    if (entry.manager === undefined || !managers.has(entry.manager)) continue;
    const written = conditionsWrittenBy(object, entry.manager);
    const keys = conditionFields(entry)
      .map(([key]) => key)
      .filter((key) => written.has(typeOf(key) ?? ""));
    if (keys.length === 0) continue;
    const { fieldsV1: _, ...rest } = entry;
    // Only the keys carry the answer; the leaves are one shared object.
    kept.push({ ...rest, fieldsV1: { "f:status": { "f:conditions": Object.fromEntries(keys.map((key) => [key, NOTHING])) } } });
  }
  return { ...object, metadata: kept.length === 0 ? metadata : { ...metadata, managedFields: kept } };
}

/** Whether a dependent was applied by it. */
function isUnitOf({ manager = "", operation, subresource = "" }: ManagedFieldsEntry, managers: ReadonlySet<string>): boolean {
  const slash = manager.indexOf("/");
  return slash > 0 && operation === "Apply" && subresource === "" && managers.has(manager.slice(0, slash));
}

const NOTHING: Readonly<Record<string, never>> = Object.freeze({});

/** The `k:{...}` members of `f:status.f:conditions`. */
function conditionFields(entry: ManagedFieldsEntry): readonly (readonly [key: string, fields: unknown])[] {
  const status = entry.fieldsV1?.["f:status"];
  const conditions = isObject(status) ? status["f:conditions"] : undefined;
  return isObject(conditions) ? Object.entries(conditions).filter(([key]) => key.startsWith("k:")) : [];
}

function typeOf(key: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(key.slice(2));
    return isObject(parsed) && typeof parsed["type"] === "string" ? parsed["type"] : undefined;
  } catch {
    return undefined; // not a key that a server writes
  }
}
