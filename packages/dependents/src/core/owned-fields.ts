/**
 * Whether applying would change anything, without asking the server: what we want is compared with the fields of the live
 * object that our field manager owns, as `metadata.managedFields` says. Pure.
 *
 * A difference is: a wanted field that is not ours (somebody took it over, or it was never applied), and one of ours that
 * is wanted no more. Where we know that what we want is what we applied last (`trust`), that is all: whoever changes or
 * removes a field takes it from us, so what is ours has our value, in whatever form the server keeps it (quantities,
 * defaults inside atomic lists). Else the values are compared as well, exactly. Fields of others are no difference.
 */
import { jsonEqual, type KubernetesObject, type ManagedFieldsEntry } from "@treadle/apimachinery";

/** A set of fields in the form of `fieldsV1`. */
export type FieldSet = Readonly<Record<string, unknown>>;

/** The fields of `live` that `manager` has applied; `undefined` when it never has, or managedFields were not kept. */
export function appliedFields(live: KubernetesObject, manager: string): FieldSet | undefined {
  const isOurs = (entry: ManagedFieldsEntry): boolean =>
    entry.manager === manager && entry.operation === "Apply" && (entry.subresource ?? "") === "";
  return live.metadata.managedFields?.find(isOurs)?.fieldsV1;
}

/**
 * Where applying `wanted` would change `live`, as a path for people; `undefined` when nowhere. `owned` are the fields that
 * we have applied. What names the object (apiVersion, kind, name, namespace, uid, resourceVersion) is not compared.
 */
export function firstDifference(
  wanted: object,
  live: object,
  given: { readonly owned: FieldSet; readonly trust: boolean },
): string | undefined {
  const { owned, trust } = given;
  // At the root an empty set means that nothing is ours, below it a field that is ours as a whole.
  return differsInside({ wanted: withoutIdentity(wanted), live, trust }, owned, "");
}

/** The values of `live` at the fields of `owned`, each under its path: what is ours of it, for remembering. */
export function extractOwned(live: unknown, owned: FieldSet): unknown {
  if (isLeaf(owned)) return live;
  const found: Record<string, unknown> = {};
  for (const [key, fields] of Object.entries(owned)) {
    if (key === ".") continue;
    const value = memberAt(live, key);
    // Absent and null are told apart from each other by the key alone.
    if (value !== undefined) found[key] = isObject(fields) ? extractOwned(value, fields) : value;
  }
  return found;
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
    // Ours, but wanted no more.
    if (inWanted === undefined) return here;
    unmatched.delete(inWanted.member);
    const inLive = memberAt(live, key);
    if (inLive === undefined && !trust) return here;
    const difference = isObject(fields) ? differs({ wanted: inWanted.value, live: inLive, trust }, fields, here) : undefined;
    if (difference !== undefined) return difference;
  }
  // Wanted, but not ours.
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

/** What stands in `live` at a key of fieldsV1; `undefined` when nothing. */
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

/** What names the object is no field that anybody owns. */
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
    return undefined; // No key that a server writes.
  }
}
