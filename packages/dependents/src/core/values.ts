/** Compares the values of a desired state with those of the live object, of any writer. Fields that are not desired do not count. Pure. */
import { jsonEqual } from "@treadle/apimachinery";
import { type FieldPath, isObject } from "./owned-fields.ts";

/** A desired value that the live object does not have. */
export interface ValueDifference {
  /** The way to the field. An element of a list is named by its position. */
  readonly path: FieldPath;
  /** The value that the live object has there; `undefined`: none. */
  readonly live: unknown;
}

/**
 * Returns where `live` lacks a desired value, at most `max` places. A list is a value with a length: one more element is a difference.
 * Of finalizers and owner references only the desired ones count. A desired null is not compared, because servers drop it.
 */
export function valueDifferences(wanted: object, live: object, max: number = Number.POSITIVE_INFINITY): readonly ValueDifference[] {
  const { metadata, apiVersion: _apiVersion, kind: _kind, ...fields } = wanted as Readonly<Record<string, unknown>>;
  const { metadata: liveMetadata, ...liveFields } = live as Readonly<Record<string, unknown>>;
  const found: ValueDifference[] = [];
  collect({ wanted: fields, live: liveFields, path: [] }, found);
  if (isObject(metadata)) collectInMetadata(metadata, isObject(liveMetadata) ? liveMetadata : {}, found);
  return found.slice(0, max);
}

/** As {@link valueDifferences}, at and below a path of object members. Of any other path, and of equal values, it returns the path. */
export function pathsBelow(path: FieldPath, { wanted, live }: { readonly wanted: object; readonly live: object }): readonly FieldPath[] {
  const found: ValueDifference[] = [];
  collect({ wanted: memberAt(wanted, path), live: memberAt(live, path), path }, found);
  return found.length === 0 ? [path] : found.map((each) => each.path);
}

/** Whether `live` has all values of `wanted`. */
export function hasValues(live: unknown, wanted: unknown): boolean {
  const found: ValueDifference[] = [];
  collect({ wanted, live, path: [] }, found);
  return found.length === 0;
}

type Members = Readonly<Record<string, unknown>>;

function collectInMetadata(wanted: Members, live: Members, found: ValueDifference[]): void {
  for (const name of ["labels", "annotations"])
    collect({ wanted: wanted[name] ?? {}, live: live[name] ?? {}, path: ["f:metadata", `f:${name}`] }, found);
  for (const name of ["finalizers", "ownerReferences"]) {
    const inLive = listIn(live[name]);
    const isThere = (each: unknown): boolean => inLive.some((other) => hasValues(other, each));
    if (!listIn(wanted[name]).every(isThere)) found.push({ path: ["f:metadata", `f:${name}`], live: live[name] });
  }
}

/** The value at a path of members; `undefined` for a path with an element of a list. */
function memberAt(value: unknown, path: FieldPath): unknown {
  return path.reduce((at: unknown, key) => (key.startsWith("f:") && isObject(at) ? at[key.slice(2)] : undefined), value);
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

interface Sides {
  readonly wanted: unknown;
  readonly live: unknown;
  readonly path: FieldPath;
}

function collect({ wanted, live, path }: Sides, found: ValueDifference[]): void {
  if (wanted === undefined || wanted === null) return;
  if (isObject(wanted)) {
    // Servers drop empty objects.
    if (!isObject(live) && Object.keys(wanted).length > 0) found.push({ path, live });
    if (isObject(live))
      for (const [name, value] of Object.entries(wanted))
        collect({ wanted: value, live: Object.hasOwn(live, name) ? live[name] : undefined, path: [...path, `f:${name}`] }, found);
    return;
  }
  if (Array.isArray(wanted)) {
    const elements: readonly unknown[] = wanted;
    if (elements.length !== listIn(live).length) found.push({ path, live });
    else elements.forEach((value, i) => collect({ wanted: value, live: listIn(live)[i], path: [...path, `i:${i}`] }, found));
    return;
  }
  if (!jsonEqual(wanted, live)) found.push({ path, live });
}
