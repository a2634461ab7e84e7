/**
 * Reads metadata.managedFields: which conditions a field manager wrote, and what the unit managers of a handler
 * (`<handler>/<unit>/<owner uid>`) applied.
 *
 * Caveat: conditions are found only where `status.conditions` is a list of type map. For an atomic list managedFields names
 * no elements, so no condition counts as written.
 */
import type { KubernetesObject, ManagedFieldsEntry } from "./objects.ts";
import { isObject } from "./internal/is-object.ts";

/**
 * Returns the types of the conditions that `fieldManager` wrote, by update or by apply.
 * When another manager has written the `status` of a condition since, the condition counts as that manager's.
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
 * Returns the object with only the part of managedFields that matters to `managers`. Use it for caches, where managedFields
 * are often the largest part of an object.
 *
 * Guarantees: {@link conditionsWrittenBy} returns the same for these managers. Entries of their unit managers,
 * `<manager>/...`, are kept whole, because applied objects are compared with them. The object itself does not change; an
 * object without managedFields is returned as it is.
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
    // Only the keys matter; the leaves are one shared object.
    kept.push({ ...rest, fieldsV1: { "f:status": { "f:conditions": Object.fromEntries(keys.map((key) => [key, NOTHING])) } } });
  }
  return { ...object, metadata: kept.length === 0 ? metadata : { ...metadata, managedFields: kept } };
}

/** Whether it is the entry of an object that a unit of `managers` applied. */
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
  // Nearly every key has this form, and each object has several: the parser is not needed for them.
  const [, plain] = PLAIN_KEY.exec(key) ?? [];
  if (plain !== undefined) return plain;
  try {
    const parsed: unknown = JSON.parse(key.slice(2));
    return isObject(parsed) && typeof parsed["type"] === "string" ? parsed["type"] : undefined;
  } catch {
    return undefined; // a server does not write such a key
  }
}

/** A key with nothing but a type that has no escapes. */
const PLAIN_KEY = /^k:\{"type":"([\w./-]*)"\}$/;
