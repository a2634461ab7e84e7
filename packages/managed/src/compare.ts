/** Compares the desired values with an observation. Pure. */
import { truncate } from "@treadle/reconcile/unstable/engine";

/** A difference is one path at which the observation is not as desired. */
export interface Difference {
  /** The path, such as `tags.env` or `rules[0].port`. */
  readonly path: string;
  /** The first key of the path. */
  readonly key: string;
  /** The observed value. */
  readonly from: unknown;
  /** The desired value. */
  readonly to: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the differences at the keys that `want` names, deeply. A key with `undefined`, and keys that only the observation has,
 * belong to the provider. `null` equals a missing value. Lists are compared as a whole: by their length, then item by item.
 */
export function differences(want: object, seen: object): readonly Difference[] {
  return Object.entries(want).flatMap(([key, value]) => within({ want: value, seen: (seen as Fields)[key], path: key, key, depth: 0 }));
}

/** Returns the desired values of the keys that differ. */
export function changesOf(want: object, found: readonly Difference[]): Fields {
  return Object.fromEntries([...new Set(found.map(({ key }) => key))].map((key) => [key, (want as Fields)[key]]));
}

interface Pair {
  readonly want: unknown;
  readonly seen: unknown;
  readonly path: string;
  readonly key: string;
  readonly depth: number;
}

/** Below this depth, values are not compared: they refer to themselves, or no provider has them. */
const MAX_DEPTH = 32;

function within({ want, seen, path, key, depth: above }: Pair): readonly Difference[] {
  if (want === undefined || Object.is(want, seen)) return [];
  const depth = above + 1;
  if (depth > MAX_DEPTH) return [{ path, key, from: seen, to: want }];
  if (want === null) return seen === undefined ? [] : [{ path, key, from: seen, to: want }];
  if (Array.isArray(want) && Array.isArray(seen) && want.length === seen.length)
    return want.flatMap((item, i) => within({ want: item, seen: seen[i], path: `${path}[${i}]`, key, depth }));
  if (isFields(want) && isFields(seen))
    return Object.entries(want).flatMap(([name, value]) => within({ want: value, seen: seen[name], path: `${path}.${name}`, key, depth }));
  if (isSame(want, seen)) return [];
  return [{ path, key, from: seen, to: want }];
}

function isFields(value: unknown): value is Fields {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Compares values that are not plain JSON: dates by their time, and bytes by their content. */
function isSame(want: unknown, seen: unknown): boolean {
  if (want instanceof Date && seen instanceof Date) return want.getTime() === seen.getTime();
  if (want instanceof Uint8Array && seen instanceof Uint8Array) return Buffer.compare(want, seen) === 0;
  return false;
}

/** The number of differences that a text names. */
const MAX_SHOWN = 5;
/** The maximum length of a value in a text, in characters. */
const MAX_VALUE_LENGTH = 64;

/**
 * Returns the differences as a text for a condition: `versioning: false -> true`. Values of redacted keys are not shown.
 * @param hide hides secrets in a text. It gets whole texts: a part of a secret, or an escaped one, would not be known as one.
 */
export function differenceText(found: readonly Difference[], redacted: ReadonlySet<string>, hide: (text: string) => string): string {
  const shown = found.slice(0, MAX_SHOWN).map(({ path, key, from, to }) => {
    if (redacted.has(key)) return `${path}: <redacted>`;
    return `${path}: ${valueText(from, hide)} -> ${valueText(to, hide)}`;
  });
  const rest = found.length - shown.length;
  return hide(shown.join(", ")) + (rest > 0 ? `, and ${rest} more` : "");
}

function valueText(value: unknown, hide: (text: string) => string): string {
  if (value === undefined) return "nothing";
  let text: string | undefined;
  try {
    text = JSON.stringify(value, (_key, part: unknown) => (typeof part === "string" ? hide(part) : part));
  } catch {
    text = undefined; // a circle, or a number of 64 bits
  }
  return truncate(hide(text ?? String(value)), MAX_VALUE_LENGTH);
}
