/** Functions on lists, maps and sets: indexing, membership, and the extensions of Kubernetes and cel-go. */
import type { Library } from "../overloads.ts";
import { CelError, compare, Dict, Duration, isEqual, List, noOverload, Optional, Struct, toNumber, Uint, type Value } from "../values.ts";

/** Evaluates `value[key]`. With `isOptional` a missing key gives an absent optional. */
export function indexInto(value: Value, key: Value, isOptional: boolean): Value {
  if (isOptional && value instanceof Optional) {
    return value.value === undefined ? value : indexInto(value.value, key, true);
  }
  const found = itemOf(value, key);
  if (isOptional) return found instanceof Optional ? found : new Optional(found);
  if (found !== undefined) return found;
  throw new CelError(value instanceof List ? `index out of bounds: ${String(key)}` : `no such key: ${shown(key)}`);
}

export function isIn(item: Value, range: Value): boolean {
  if (range instanceof List) return range.items.some((one) => isEqual(one, item));
  return itemOf(range, item) !== undefined;
}

function itemOf(value: Value, key: Value): Value | undefined {
  if (value instanceof List) {
    const index = toNumber(key);
    if (index === undefined) throw noOverload();
    return value.items[Number(index)];
  }
  if (value instanceof Struct) return typeof key === "string" ? value.get(key) : undefined;
  if (!(value instanceof Dict)) throw noOverload();
  if (typeof key === "string" || typeof key === "boolean") return value.entries.get(key);
  const number = toNumber(key);
  if (number === undefined) throw noOverload();
  return Number.isInteger(Number(number)) ? value.entries.get(BigInt(number)) : undefined;
}

function shown(key: Value): string {
  return key instanceof Uint ? String(key.value) : String(key);
}

const COMPARABLE = ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"];
const SUMMABLE = ["int", "uint", "double", "duration"];

export const collections: Library = {
  isSorted: forTypes(COMPARABLE, (type) => [`.list(${type}) -> bool`, isSorted]),
  sum: forTypes(SUMMABLE, (type) => [`.list(${type}) -> ${type}`, (list: List) => sum(list, type)]),
  min: forTypes(COMPARABLE, (type) => [`.list(${type}) -> ${type}`, (list: List) => extreme(list, "min")]),
  max: forTypes(COMPARABLE, (type) => [`.list(${type}) -> ${type}`, (list: List) => extreme(list, "max")]),
  indexOf: { ".list(A), A -> int": (list: List, item: Value) => BigInt(list.items.findIndex((one) => isEqual(one, item))) },
  lastIndexOf: { ".list(A), A -> int": (list: List, item: Value) => BigInt(list.items.findLastIndex((one) => isEqual(one, item))) },
  slice: { ".list(A), int, int -> list(A)": slice },
  flatten: { ".list(list(A)) -> list(A)": (list: List) => flatten(list, 1n), ".list(dyn), int -> list(dyn)": flatten },
  sort: forTypes(COMPARABLE, (type) => [
    `.list(${type}) -> list(${type})`,
    (list: List) => new List([...list.items].toSorted((a, b) => compare(a, b))),
  ]),
  reverse: { ".list(A) -> list(A)": (list: List) => new List(list.items.toReversed()) },
  distinct: {
    ".list(A) -> list(A)": (list: List) =>
      new List(list.items.filter((item, i) => list.items.findIndex((one) => isEqual(one, item)) === i)),
  },
  first: { ".list(A) -> optional(A)": (list: List) => new Optional(list.items[0]) },
  last: { ".list(A) -> optional(A)": (list: List) => new Optional(list.items.at(-1)) },
  "lists.range": { "int -> list(int)": (size: bigint) => new List(Array.from({ length: Number(size) }, (_, i) => BigInt(i))) },
  "sets.contains": { "list(A), list(A) -> bool": contains },
  "sets.equivalent": { "list(A), list(A) -> bool": (a: List, b: List) => contains(a, b) && contains(b, a) },
  "sets.intersects": { "list(A), list(A) -> bool": (a: List, b: List) => a.items.some((item) => isIn(item, b)) },
  "optional.of": { "A -> optional(A)": (a: Value) => new Optional(a) },
  "optional.ofNonZeroValue": { "A -> optional(A)": (a: Value) => new Optional(isZero(a) ? undefined : a) },
  "optional.none": { "-> optional(A)": () => new Optional(undefined) },
  "optional.unwrap": { "list(optional(A)) -> list(A)": unwrap },
  unwrapOpt: { ".list(optional(A)) -> list(A)": unwrap },
  hasValue: { ".optional(A) -> bool": (a: Optional) => a.value !== undefined },
  value: {
    ".optional(A) -> A": (a: Optional) => {
      if (a.value === undefined) throw new CelError("optional.none() dereference");
      return a.value;
    },
  },
  or: { ".optional(A), optional(A) -> optional(A)": (a: Optional, b: Optional) => (a.value === undefined ? b : a) },
  orValue: { ".optional(A), A -> A": (a: Optional, b: Value) => (a.value === undefined ? b : a.value) },
};

function unwrap(list: List): List {
  return new List(list.items.flatMap((item) => (item instanceof Optional && item.value !== undefined ? [item.value] : [])));
}

function forTypes(types: readonly string[], entry: (type: string) => readonly [string, Library[string][string]]): Library[string] {
  return Object.fromEntries(types.map(entry));
}

function isSorted(list: List): boolean {
  return list.items.every((item, i) => i === 0 || compare(list.items[i - 1] as Value, item) <= 0);
}

function sum(list: List, type: string): Value {
  if (type === "double") return list.items.reduce((total: number, item) => total + Number(item), 0);
  const total = list.items.reduce((all: bigint, item) => all + wholeOf(item), 0n);
  if (type === "duration") return new Duration(total);
  if (type === "uint") return new Uint(total);
  if (BigInt.asIntN(64, total) !== total) throw new CelError("integer overflow");
  return total;
}

function wholeOf(value: Value): bigint {
  if (value instanceof Duration) return value.nanos;
  return value instanceof Uint ? value.value : (value as bigint); // the signature lets nothing else in
}

function extreme(list: List, name: "min" | "max"): Value {
  const [first, ...rest] = list.items;
  if (first === undefined) throw new CelError(`${name} called on empty list`);
  return rest.reduce((best, item) => (compare(item, best) * (name === "min" ? 1 : -1) < 0 ? item : best), first);
}

function slice(list: List, start: bigint, end: bigint): List {
  const of = `cannot slice(${start}, ${end}), `;
  if (start < 0n || end < 0n) throw new CelError(`${of}negative indexes not supported`);
  if (start > end) throw new CelError(`${of}start index must be less than or equal to end index`);
  if (end > list.items.length) throw new CelError(`${of}list is length ${list.items.length}`);
  return new List(list.items.slice(Number(start), Number(end)));
}

function flatten(list: List, depth: bigint): List {
  if (depth < 0n) throw new CelError("level must be non-negative");
  return new List(list.items.flatMap((item) => (item instanceof List && depth > 0n ? flatten(item, depth - 1n).items : [item])));
}

function contains(list: List, sub: List): boolean {
  return sub.items.every((item) => isIn(item, list));
}

function isZero(value: Value): boolean {
  if (value instanceof List) return value.items.length === 0;
  if (value instanceof Dict) return value.entries.size === 0;
  if (value instanceof Struct) return value.fields.length === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Duration) return value.nanos === 0n;
  if (value instanceof Uint) return value.value === 0n;
  return value === null || value === false || value === "" || value === 0 || value === 0n;
}
