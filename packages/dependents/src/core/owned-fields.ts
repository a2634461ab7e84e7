/**
 * Decides whether an apply would change the live object, without a request. The desired state is compared with the fields
 * that our field manager owns in `metadata.managedFields`. Pure.
 *
 * A difference is a desired field that is not ours, or a field of ours that is no longer desired. A desired field is not
 * ours when it was never applied, or when another writer took it over.
 *
 * With `trust` the last apply had the same desired state. Then values are not compared: a writer that changes or removes a
 * field takes it from us. So our fields have our values, in the form that the server stores (quantities, defaults inside
 * atomic lists). Without `trust` the values are compared exactly. Fields of other writers are not a difference.
 */
import { jsonEqual, type KubernetesObject, type ManagedFieldsEntry } from "@treadle/apimachinery";

/** A set of fields in the form of `fieldsV1`. */
export type FieldSet = Readonly<Record<string, unknown>>;

/** Returns the fields of `live` that `manager` has applied; `undefined` if it never applied, or if managedFields are missing. */
export function appliedFields(live: KubernetesObject, manager: string): FieldSet | undefined {
  const isOurs = (entry: ManagedFieldsEntry): boolean =>
    entry.manager === manager && entry.operation === "Apply" && (entry.subresource ?? "") === "";
  return live.metadata.managedFields?.find(isOurs)?.fieldsV1;
}

/** What an apply is compared with. `owned`: the fields that we have applied. */
export interface Compared {
  readonly owned: FieldSet;
  readonly trust: boolean;
}

/** The way to a field, as keys of fieldsV1: `["f:spec", "f:replicas"]`. */
export type FieldPath = readonly string[];

/**
 * Returns the path of the first field that an apply of `wanted` would change in `live`; `undefined` if none. The identity
 * (apiVersion, kind, name, namespace, uid, resourceVersion) is not compared.
 */
export function firstDifference(wanted: object, live: object, compared: Compared): string | undefined {
  const [first] = differences(wanted, live, { ...compared, max: 1 });
  return first === undefined ? undefined : textOfPath(first);
}

/** Returns the paths of the fields that an apply of `wanted` would change in `live`, at most `max`. */
export function differences(wanted: object, live: object, given: Compared & { readonly max: number }): readonly FieldPath[] {
  const { owned, trust, max } = given;
  const found: FieldPath[] = [];
  const report = (place: Place): boolean => found.push(keysOf(place)) >= max;
  // At the root an empty set means that no field is ours. Below the root it means a field that is ours as a whole.
  differsInside({ wanted: withoutIdentity(wanted), live, trust, report }, owned, undefined);
  return found;
}

/** Returns the path for people: `spec.ports[{"port":80}]`. */
export function textOfPath(path: FieldPath): string {
  return path.reduce(pathOf, "");
}

/** Returns the value at a path; `undefined`: none. */
export function valueAtPath(value: unknown, path: FieldPath): unknown {
  return path.reduce(memberAt, value);
}

/** Whether a set has the field at `path` of `wanted`, a field below it, or a value that the field is a part of. */
export function containsField(set: FieldSet, path: FieldPath, wanted: unknown): boolean {
  const [key, ...below] = path;
  if (key === undefined) return true;
  const value = wantedAt(wanted, key)?.value;
  return Object.entries(set).some(([each, fields]) => {
    if (each !== key && !(key.startsWith("i:") && namesElement(each, value))) return false;
    return !isObject(fields) || isLeaf(fields) || containsField(fields, below, value);
  });
}

/** Returns the values of `live` at the fields of `owned`, each under its path. */
export function extractOwned(live: unknown, owned: FieldSet): unknown {
  if (isLeaf(owned)) return live;
  const found: Record<string, unknown> = {};
  for (const [key, fields] of Object.entries(owned)) {
    if (key === ".") continue;
    const value = memberAt(live, key);
    // Only the key distinguishes a null from an absent value.
    if (value !== undefined) found[key] = isObject(fields) ? extractOwned(value, fields) : value;
  }
  return found;
}

/** Returns the part of `live` that `owned` names, in the form in which it can be applied. Elements of lists are in the live order. */
export function ownedPart(live: unknown, owned: FieldSet): unknown {
  if (isLeaf(owned)) return live;
  const keys = Object.entries(owned).filter(([key]) => key !== ".");
  if (keys.length === 0) return live;
  const parts = keys.flatMap(([key, fields]) => {
    const value = memberAt(live, key);
    return value === undefined ? [] : [{ key, value, part: isObject(fields) ? ownedPart(value, fields) : value }];
  });
  if (!Array.isArray(live)) return Object.fromEntries(parts.map(({ key, part }) => [key.slice(2), part]));
  return live.flatMap((element: unknown) => parts.filter(({ value }) => value === element).map(({ part }) => part));
}

/** A place in an object, with those above it. */
interface Place {
  readonly key: string;
  readonly above: Place | undefined;
}

interface Sides {
  readonly wanted: unknown;
  readonly live: unknown;
  readonly trust: boolean;
  /** Notes a difference. Answers whether it is the last one that is asked for. */
  report(place: Place): boolean;
}

/** Reports the differences below `place`, until `report` answers true. */
function differs(sides: Sides, owned: FieldSet, place: Place): boolean {
  if (!isLeaf(owned)) return differsInside(sides, owned, place);
  return !sides.trust && !jsonEqual(sides.live, sides.wanted) && sides.report(place);
}

function differsInside(sides: Sides, owned: FieldSet, above: Place | undefined): boolean {
  const { wanted, live, trust, report } = sides;
  const unmatched = new Set(membersOf(wanted));
  for (const [key, fields] of Object.entries(owned)) {
    if (key === ".") continue;
    const here = { key, above };
    const inWanted = wantedAt(wanted, key);
    if (inWanted !== undefined) unmatched.delete(inWanted.member);
    const inLive = memberAt(live, key);
    // Ours, but no longer desired; or removed by another writer.
    const isMissing = inWanted === undefined || (inLive === undefined && !trust);
    if (isMissing && report(here)) return true;
    if (!isMissing && isObject(fields) && differs({ ...sides, wanted: inWanted.value, live: inLive }, fields, here)) return true;
  }
  // Desired, but not ours.
  for (const missing of unmatched) if (report({ key: typeof missing === "number" ? `i:${missing}` : `f:${missing}`, above })) return true;
  return false;
}

function keysOf({ key, above }: Place): FieldPath {
  return above === undefined ? [key] : [...keysOf(above), key];
}

/** The names of the members, or the positions of the elements, that a value has. Members that are undefined are not sent. */
function membersOf(value: unknown): readonly (string | number)[] {
  if (Array.isArray(value)) return [...value.keys()];
  if (!isObject(value)) return [];
  return Object.keys(value).filter((name) => value[name] !== undefined);
}

/** The member of `wanted` at a key of fieldsV1. An element of a list-map may leave out keys that have a default. */
function wantedAt(wanted: unknown, key: string): { readonly member: string | number; readonly value: unknown } | undefined {
  if (key.startsWith("f:")) {
    const name = key.slice(2);
    const value = isObject(wanted) && Object.hasOwn(wanted, name) ? wanted[name] : undefined;
    return value === undefined ? undefined : { member: name, value };
  }
  if (!Array.isArray(wanted)) return undefined;
  const exact = indexAt(wanted, key, hasKeys);
  const position = exact >= 0 ? exact : indexAt(wanted, key, hasNoOtherKeys);
  return position < 0 ? undefined : { member: position, value: wanted[position] };
}

/** The value of `live` at a key of fieldsV1; `undefined` if there is none. */
function memberAt(live: unknown, key: string): unknown {
  if (key.startsWith("f:")) {
    const name = key.slice(2);
    return isObject(live) && Object.hasOwn(live, name) ? live[name] : undefined;
  }
  if (!Array.isArray(live)) return undefined;
  const position = indexAt(live, key, hasKeys);
  return position < 0 ? undefined : live[position];
}

type ElementTest = (element: Readonly<Record<string, unknown>>, keys: Readonly<Record<string, unknown>>) => boolean;

const hasKeys: ElementTest = (element, keys) => Object.entries(keys).every(([name, value]) => element[name] === value);

/** The keys that are left out have the server's defaults. */
const hasNoOtherKeys: ElementTest = (element, keys) =>
  Object.entries(keys).every(([name, value]) => element[name] === undefined || element[name] === value);

/** Whether a key of fieldsV1 names this element of a list. */
function namesElement(key: string, element: unknown): boolean {
  const named = parsed(key.slice(2));
  if (key.startsWith("k:")) return isObject(named) && isObject(element) && hasNoOtherKeys(element, named);
  return key.startsWith("v:") && jsonEqual(named, element);
}

/** The position of the element that `k:{...}` (list-map), `v:...` (set) or `i:...` (position) names, or -1. */
function indexAt(list: readonly unknown[], key: string, test: ElementTest): number {
  const named = parsed(key.slice(2));
  switch (key.slice(0, 2)) {
    case "k:":
      return isObject(named) ? list.findIndex((element) => isObject(element) && test(element, named)) : -1;
    case "v:":
      return list.findIndex((element) => jsonEqual(element, named));
    case "i:":
      return typeof named === "number" && named < list.length ? named : -1;
    default:
      return -1;
  }
}

/** The fields of the identity have no owner. */
function withoutIdentity(wanted: object): object {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = wanted as Readonly<Record<string, unknown>>;
  if (!isObject(metadata)) return rest;
  const { name: _name, namespace: _namespace, uid: _uid, resourceVersion: _version, ...owned } = metadata;
  return Object.values(owned).every((value) => value === undefined) ? rest : { ...rest, metadata: owned };
}

/** A field without fields below it is owned as a whole; one that has only itself below it (`.`) too. */
function isLeaf(owned: FieldSet): boolean {
  return Object.keys(owned).length === 0;
}

/** Decides whether a value is a JSON object: neither null nor a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function pathOf(path: string, key: string): string {
  if (!key.startsWith("f:")) return `${path}[${key.slice(2)}]`;
  return path === "" ? key.slice(2) : `${path}.${key.slice(2)}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // A server does not write such a key.
  }
}
