/**
 * A snapshot of a server that can be compared with that of another run. Values that differ from run to run are removed or replaced:
 * - a uid becomes the name of its object, wherever it appears; resourceVersion, generation and times are removed;
 * - observedGeneration becomes its distance from generation;
 * - a generated name becomes its prefix, wherever it appears.
 */
import type { Kind, KubernetesObject, Transport } from "@treadle/apimachinery";

/** A path in objects of all kinds, or of one kind, that is not compared; `*` stands for any member. */
export type IgnoredPath = readonly string[] | { readonly kind: Pick<Kind, "kind">; readonly path: readonly string[] };

/** A collection of a server. */
export interface Collection {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** The comparable objects, by `Kind namespace/name`. */
export type Snapshot = ReadonlyMap<string, Json>;
/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** Takes a snapshot of these collections. */
export async function takeSnapshot(
  transport: Transport,
  collections: Iterable<Collection>,
  ignored: readonly IgnoredPath[],
): Promise<Snapshot> {
  const objects: Listed[] = [];
  for (const collection of collections) objects.push(...(await listed(transport, collection)));
  const names = namesIn(objects);
  const comparable = objects.map((object) => {
    const json = normal(object as unknown as Json, names);
    const kept = ignored.reduce((each, one) => withoutTrace(each, pathFor(one, object.kind)), json);
    return { id: idOf(object, names), json: kept };
  });
  const snapshot = new Map<string, Json>();
  // Objects with generated names are ordered by their content.
  for (const { id, json } of comparable.toSorted((a, b) => compare(a.id + JSON.stringify(a.json), b.id + JSON.stringify(b.json)))) {
    let key = id;
    for (let number = 2; snapshot.has(key); number++) key = `${id} (${number})`;
    snapshot.set(key, json);
  }
  return snapshot;
}

type Listed = KubernetesObject;

async function listed(transport: Transport, { group, version, resource }: Collection): Promise<readonly Listed[]> {
  const path = `${group === "" ? "/api" : `/apis/${group}`}/${version}/${resource}`;
  const { status, body = "{}" } = await transport.request({ method: "GET", path, headers: { accept: "application/json" } });
  if (status === 404) return [];
  if (status !== 200) throw new Error(`explore: cannot list ${path}: ${status} ${body.slice(0, 200)}`);
  const { apiVersion = "v1", kind = "List", items = [] } = JSON.parse(body) as { apiVersion?: string; kind?: string; items?: Listed[] };
  return items.map((item) => ({ ...item, apiVersion, kind: kind.replace(/List$/, "") }));
}

/** Words that differ in another run, and their replacements. */
interface Names {
  readonly words: ReadonlyMap<string, string>;
  readonly pattern: RegExp | undefined;
}

function namesIn(objects: readonly Listed[]): Names {
  const words = new Map<string, string>();
  for (const { kind, metadata } of objects) {
    const generated = generatedName(metadata);
    if (generated !== undefined) words.set(metadata.name, generated);
    if (metadata.uid !== undefined) words.set(metadata.uid, `<uid of ${kind} ${generated ?? metadata.name}>`);
  }
  const escaped = [...words.keys()].map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return { words, pattern: escaped.length === 0 ? undefined : new RegExp(escaped.join("|"), "g") };
}

function generatedName({ name, generateName }: KubernetesObject["metadata"] & { readonly generateName?: string }): string | undefined {
  return generateName !== undefined && name.startsWith(generateName) && name !== generateName ? `${generateName}*` : undefined;
}

function idOf({ kind, metadata }: Listed, names: Names): string {
  const name = names.words.get(metadata.name) ?? metadata.name;
  return `${kind} ${metadata.namespace === undefined ? "" : `${metadata.namespace}/`}${name}`;
}

function normal(object: Json, names: Names): Json {
  const { metadata, ...rest } = object as { readonly metadata: Readonly<Record<string, Json>> };
  const { uid: _uid, resourceVersion: _version, creationTimestamp: _created, generation, managedFields, ...kept } = metadata;
  const managed = Array.isArray(managedFields) ? { managedFields: entries(managedFields) } : {};
  return cleaned({ ...rest, metadata: { ...kept, ...managed } } as Json, names, Number(generation ?? 0));
}

function entries(managedFields: readonly Json[]): Json {
  const timeless = managedFields.map((entry) => {
    const { time: _time, ...rest } = entry as Readonly<Record<string, Json>>;
    return rest;
  });
  return timeless.toSorted((a, b) => compare(JSON.stringify(a), JSON.stringify(b)));
}

function cleaned(value: Json, names: Names, generation: number): Json {
  if (typeof value === "string") return word(value, names);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => cleaned(item, names, generation));
  const members = Object.entries(value as Readonly<Record<string, Json>>).map(([key, member]): [string, Json] => {
    if (key === "observedGeneration" && typeof member === "number")
      return [key, member === generation ? "current" : `${generation - member} behind`];
    return [word(key, names), cleaned(member, names, generation)];
  });
  return Object.fromEntries(members);
}

const TIMES = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
/** The uids of a test server; one that is left belongs to a deleted object. */
const UIDS = /00000000-0000-4000-8[0-9a-f]{3}-[0-9a-f]{12}/g;

function word(text: string, { words, pattern }: Names): string {
  const named = pattern === undefined ? text : text.replace(pattern, (found) => words.get(found) ?? found);
  return named.replace(TIMES, "<time>").replace(UIDS, "<uid of a deleted object>");
}

function pathFor(ignored: IgnoredPath, kind: string): readonly string[] | undefined {
  if ("kind" in ignored) return ignored.kind.kind === kind ? ignored.path : undefined;
  return ignored;
}

/** Removes the field and its entries in managedFields. */
function withoutTrace(object: Json, path: readonly string[] | undefined): Json {
  if (path === undefined) return object;
  const owners = ["metadata", "managedFields", "*", "fieldsV1", ...path.map((name) => (name === "*" ? name : `f:${name}`))];
  return without(without(object, path), owners);
}

function without(value: Json, path: readonly string[] | undefined): Json {
  const [first, ...rest] = path ?? [];
  if (first === undefined || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const isMember = (index: number): boolean => first === "*" || first === String(index);
    if (rest.length === 0) return value.filter((_, index) => !isMember(index));
    return value.map((item, index) => (isMember(index) ? without(item, rest) : item));
  }
  const members = Object.entries(value as Readonly<Record<string, Json>>).flatMap(([key, member]): [string, Json][] => {
    if (first !== "*" && first !== key) return [[key, member]];
    return rest.length === 0 ? [] : [[key, without(member, rest)]];
  });
  return Object.fromEntries(members);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
