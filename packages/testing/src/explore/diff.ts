/** The difference between two states, as lines for a person. */
import type { Json, Snapshot } from "./snapshot.ts";

/** The difference between two states. */
export interface Difference {
  /** Objects that only the reference has. */
  readonly missing: readonly string[];
  /** Objects that only the other run has. */
  readonly leaked: readonly string[];
  /** Lines: `-` the reference, `+` the other run. */
  readonly changed: readonly string[];
}

/** Compares two states. */
export function difference(reference: Snapshot, actual: Snapshot): Difference {
  const missing = [...reference.keys()].filter((id) => !actual.has(id));
  const leaked = [...actual.keys()].filter((id) => !reference.has(id));
  const changed = [...reference].flatMap(([id, was]) => {
    const is = actual.get(id);
    const lines = is === undefined ? [] : [...changes(was, is, "")];
    return lines.length === 0 ? [] : [`${id}:`, ...lines.map((line) => `  ${line}`)];
  });
  return { missing, leaked, changed };
}

/** Compares two values. */
export function* changes(was: Json | undefined, is: Json | undefined, path: string): Iterable<string> {
  if (JSON.stringify(was) === JSON.stringify(is)) return;
  if (isRecord(was) && isRecord(is)) {
    for (const key of new Set([...Object.keys(was), ...Object.keys(is)]))
      yield* changes(was[key], is[key], path === "" ? key : `${path}.${key}`);
    return;
  }
  if (Array.isArray(was) && Array.isArray(is)) {
    const [wasKeyed, isKeyed] = [keyed(was), keyed(is)];
    if (wasKeyed !== undefined && isKeyed !== undefined) {
      for (const key of new Set([...wasKeyed.keys(), ...isKeyed.keys()]))
        yield* changes(wasKeyed.get(key), isKeyed.get(key), `${path}[${key}]`);
      return;
    }
    for (let index = 0; index < Math.max(was.length, is.length); index++) yield* changes(was[index], is[index], `${path}[${index}]`);
    return;
  }
  if (was !== undefined) yield `- ${path}: ${shown(was)}`;
  if (is !== undefined) yield `+ ${path}: ${shown(is)}`;
}

/** Indexes a list by the type or the name of its items; undefined if the items do not have unique ones. */
function keyed(list: readonly Json[]): ReadonlyMap<string, Json> | undefined {
  const map = new Map<string, Json>();
  for (const item of list) {
    const key = isRecord(item) ? (item["type"] ?? item["name"]) : undefined;
    if (typeof key !== "string" || map.has(key)) return undefined;
    map.set(key, item);
  }
  return map;
}

function isRecord(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const MAX_CHARACTERS = 200;

function shown(value: Json): string {
  const text = JSON.stringify(value);
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS)}...`;
}
