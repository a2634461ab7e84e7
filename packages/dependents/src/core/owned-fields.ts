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

/**
 * Returns the path of the first field that an apply of `wanted` would change in `live`; `undefined` if none. `owned` are the
 * fields that we have applied. The identity (apiVersion, kind, name, namespace, uid, resourceVersion) is not compared.
 */
export function firstDifference(
  wanted: object,
  live: object,
  given: { readonly owned: FieldSet; readonly trust: boolean },
): string | undefined {
  const { owned, trust } = given;
  // At the root an empty set means that no field is ours. Below the root it means a field that is ours as a whole.
  return differsInside({ wanted: withoutIdentity(wanted), live, trust }, owned, "");
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

interface Sides {
  readonly wanted: unknown;
  readonly live: unknown;
  readonly trust: boolean;
}

function differs(sides: Sides, owned: FieldSet, path: string): string | undefined {
  if (!isLeaf(owned)) return differsInside(sides, owned, path);
  return sides.trust || jsonEqual(sides.live, sides.wanted) ? undefined : path;
}

function differsInside({ wanted, live, trust }: Sides, owned: FieldSet, path: string): string | undefined {
  const unmatched = new Set(membersOf(wanted));
  for (const [key, fields] of Object.entries(owned)) {
    if (key === ".") continue;
    const here = pathOf(path, key);
    const inWanted = wantedAt(wanted, key);
    // Ours, but no longer desired.
    if (inWanted === undefined) return here;
    unmatched.delete(inWanted.member);
    const inLive = memberAt(live, key);
    if (inLive === undefined && !trust) return here;
    const difference = isObject(fields) ? differs({ wanted: inWanted.value, live: inLive, trust }, fields, here) : undefined;
    if (difference !== undefined) return difference;
  }
  // Desired, but not ours.
  const [missing] = unmatched;
  return missing === undefined ? undefined : pathOf(path, typeof missing === "number" ? `i:${missing}` : `f:${missing}`);
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
