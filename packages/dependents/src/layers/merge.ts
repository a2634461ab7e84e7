/** Merges a deep partial into a draft. Lists with keys are merged by entry, `null` removes, other lists are replaced. Twice is as once. */
import { jsonEqual } from "@treadle/apimachinery";
import { type Misuse, misuse } from "@treadle/reconcile/unstable/engine";
import type { Fields, ListKeys } from "./merge-keys.ts";

/** An object of JSON that may be changed. */
export type Draft = Record<string, unknown>;

/** Where a merge happens, for messages. */
export interface MergePlace {
  /** The author's layer: `step "web": layer "tracing"`. */
  readonly where: string;
  /** The path in the object, `spec.template`; empty at the root. */
  readonly path: string;
}

/** Merges `partial` into `draft`, in place. @throws TypeError for a partial that does not fit the lists of the kind */
export function mergeInto(draft: Draft, partial: object, fields: Fields, place: MergePlace): void {
  for (const [field, value] of Object.entries(partial)) {
    const at = { where: place.where, path: place.path === "" ? field : `${place.path}.${field}` };
    const rule = fields(field);
    const present = Object.hasOwn(draft, field) ? draft[field] : undefined;
    if (value === undefined) continue;
    if (value === null) delete draft[field];
    else if (rule?.keys !== undefined && typeof value === "object")
      setField(draft, field, mergedList(isList(present) ? present : undefined, value, { keys: rule.keys, fields: rule.fields, at }));
    else if (isList(value)) setField(draft, field, replaced(value, at));
    else if (typeof value === "object") setField(draft, field, mergedObject(present, value, rule?.fields, at));
    else setField(draft, field, value);
  }
}

const NO_FIELDS: Fields = () => undefined;

/** A list without keys. `null` in an entry is a field that is not there. */
function replaced(list: readonly unknown[], { where, path }: MergePlace): unknown[] {
  return list.map((entry, i) => {
    const at = { where, path: `${path}[${i}]` };
    return isList(entry) ? replaced(entry, at) : isObject(entry) ? mergedObject(undefined, entry, NO_FIELDS, at) : entry;
  });
}

function mergedObject(present: unknown, value: object, fields: Fields = NO_FIELDS, at: MergePlace): unknown {
  if (isList(present)) throw mistake(at, "is a list whose entries have no key: give the whole list, or edit the draft by a function");
  const object = isObject(present) ? present : {};
  mergeInto(object, value, fields, at);
  return object;
}

interface KeyedList {
  readonly keys: ListKeys;
  readonly fields: Fields;
  readonly at: MergePlace;
}

/** Merges a list, or a record of entries by their key. Returns `undefined` if there is still no list. */
function mergedList(present: unknown[] | undefined, value: object, { keys, fields, at }: KeyedList): unknown[] | undefined {
  const list = present ?? [];
  if (isList(value)) {
    // An entry with a name may change the number by which one without a name is found: names come first, or a second merge would differ.
    const isNamed = ([, entry]: [number, unknown]): boolean => keys.isByName && isObject(entry) && hasName(entry);
    const entries = [...value.entries()];
    for (const [i, entry] of [...entries.filter(isNamed), ...entries.filter((each) => !isNamed(each))])
      mergeEntry(list, entry, { keys, fields, at: { ...at, path: `${at.path}[${i}]` } });
    return list;
  }
  const key = keys.isByName ? "name" : keys.paths.length === 1 ? keys.paths[0]?.path : undefined;
  if (key === undefined)
    throw mistake(
      at,
      `has entries with the keys ${keys.paths.map(({ path }) => path).join(", ")}: give a list, or edit the draft by a function`,
    );
  let isEmpty = present === undefined;
  for (const [name, entry] of Object.entries(value)) {
    const inEntry = { ...at, path: `${at.path}.${name}` };
    if (entry === undefined) continue;
    if (entry === null) {
      for (let i = list.length - 1; i >= 0; i--) if (isObject(list[i]) && (list[i] as Draft)[key] === name) list.splice(i, 1);
      continue;
    }
    const given: unknown = isObject(entry) ? entry[key] : undefined;
    if (given !== undefined && given !== name)
      throw mistake(inEntry, `has another ${key}: leave it out, or rename the entry by a function`);
    mergeEntry(list, isObject(entry) ? { [key]: name, ...entry } : entry, { keys, fields, at: inEntry });
    isEmpty = false;
  }
  return isEmpty ? undefined : list;
}

function mergeEntry(list: unknown[], entry: unknown, { keys, fields, at }: KeyedList): void {
  if (!isObject(entry)) throw mistake(at, "is not an object");
  const paths = keys.paths.map(({ path }) => path);
  const isNamed = keys.isByName && hasName(entry);
  if (!isNamed && !paths.some((path) => isGiven(valueAt(entry, path))))
    throw mistake(at, `has no ${[...(keys.isByName ? ["name"] : []), ...paths].join(" or ")}, which tells the entries apart`);
  const candidates = list.filter(isObject);
  const byName = isNamed ? candidates.find((each) => each["name"] === entry["name"]) : undefined;
  const found = byName ?? candidates.find((each) => !(isNamed && hasName(each)) && hasSameKeys(each, entry, keys));
  if (found !== undefined) return mergeInto(found, entry, fields, at);
  const added: Draft = {};
  mergeInto(added, entry, fields, at);
  list.push(added);
}

/** A list of names alone, such as `[name]`, has its key among the paths. */
function hasSameKeys(a: Draft, b: Draft, { paths }: ListKeys): boolean {
  return paths.every(({ path, missing }) => jsonEqual(valueAt(a, path) ?? missing, valueAt(b, path) ?? missing));
}

function hasName({ name }: Draft): boolean {
  return typeof name === "string" && name !== "";
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

function valueAt(entry: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((value, field) => (isObject(value) ? value[field] : undefined), entry);
}

/** Sets a field as a value of its own, also one with the name `__proto__`. */
function setField(draft: Draft, field: string, value: unknown): void {
  if (value !== undefined) Object.defineProperty(draft, field, { value, writable: true, enumerable: true, configurable: true });
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value);
}

/** Whether `value` is an object, and no list. */
export function isObject(value: unknown): value is Draft {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function mistake({ where, path }: MergePlace, text: string): Misuse {
  return misuse("ERR_INVALID_STEP", `${where}: ${path} ${text}`);
}
