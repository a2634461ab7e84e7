/** Values of expressions. Integers are bigints and doubles are numbers; the other types of CEL are classes here. */
import { goQuote } from "../internal/json.ts";

export type Value =
  | bigint
  | number
  | string
  | boolean
  | null
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | TypeValue
  | Optional
  | List
  | Dict
  | Struct
  | Opaque;

/** An error of a running expression. `&&`, `||` and macros can ignore it. */
export class CelError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "CelError";
  }
}

export function noOverload(): CelError {
  return new CelError("no such overload");
}

export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    if (value < 0n || value > 0xffff_ffff_ffff_ffffn) throw new CelError("unsigned integer overflow");
    this.value = value;
  }
}

/** A time in nanoseconds since 1970. `zone` is the offset of its text from UTC, in minutes. */
export class Timestamp {
  readonly nanos: bigint;
  readonly zone: number;
  constructor(nanos: bigint, zone = 0) {
    if (nanos < MIN_TIME || nanos > MAX_TIME) throw new CelError("timestamp overflow");
    this.nanos = nanos;
    this.zone = zone;
  }
}

const MIN_TIME = -62_135_596_800_000_000_000n;
const MAX_TIME = 253_402_300_799_999_999_999n;

export class Duration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    if (BigInt.asIntN(64, nanos) !== nanos) throw new CelError("integer overflow");
    this.nanos = nanos;
  }
}

export class TypeValue {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

export class Optional {
  readonly value: Value | undefined;
  constructor(value: Value | undefined) {
    this.value = value;
  }
}

/** A list. A list of a schema has a list-type, which decides about equality and `+`. */
export class List {
  readonly items: readonly Value[];
  readonly kind: "atomic" | "set" | "map";
  readonly keys: readonly string[];
  constructor(items: readonly Value[], kind: List["kind"] = "atomic", keys: readonly string[] = []) {
    this.items = items;
    this.kind = kind;
    this.keys = keys;
  }
}

export class Dict {
  readonly entries: ReadonlyMap<Key, Value>;
  constructor(entries: ReadonlyMap<Key, Value>) {
    this.entries = entries;
  }
}

export type Key = bigint | string | boolean;

/** An object of a schema, with the field names of rules. */
export abstract class Struct {
  abstract readonly fields: readonly string[];
  /** Returns a field, or `undefined` when it is absent. */
  abstract get(field: string): Value | undefined;
}

/** A value that only its library can read. */
export abstract class Opaque {
  abstract readonly typeName: string;
  abstract equals(other: Opaque): boolean;
}

/** Returns the name of a value's type. */
export function kindOf(value: Value): string {
  if (typeof value === "bigint") return "int";
  if (typeof value === "number") return "double";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (value === null) return "null_type";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof Opaque) return value.typeName;
  return CLASSES.find(([of]) => value instanceof of)?.[1] ?? "object";
}

const CLASSES = [
  [List, "list"],
  [Dict, "map"],
  [Uint, "uint"],
  [Timestamp, "timestamp"],
  [Duration, "duration"],
  [TypeValue, "type"],
  [Optional, "optional"],
] as const;

/** Compares by CEL's equality. Values of different types are equal only if they are equal numbers. */
export function isEqual(a: Value, b: Value): boolean {
  const [x, y] = [toNumber(a), toNumber(b)];
  // JavaScript compares a bigint and a number by their mathematical value, as CEL does.
  // oxlint-disable-next-line eqeqeq
  if (x !== undefined && y !== undefined) return x == y;
  if (a instanceof List) return b instanceof List && equalLists(a, b);
  if (a instanceof Dict) return b instanceof Dict && equalMaps(a, b);
  if (a instanceof Struct) return b instanceof Struct && equalStructs(a, b);
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof Opaque) return b instanceof Opaque && a.typeName === b.typeName && a.equals(b);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof Optional) {
    if (!(b instanceof Optional)) return false;
    return a.value === undefined || b.value === undefined ? a.value === b.value : isEqual(a.value, b.value);
  }
  return a === b;
}

/** Returns the number of a numeric value. */
export function toNumber(value: Value): bigint | number | undefined {
  if (typeof value === "bigint" || typeof value === "number") return value;
  return value instanceof Uint ? value.value : undefined;
}

/** Compares two values: negative, zero or positive. @throws CelError for values without an order */
export function compare(a: Value, b: Value): number {
  const [x, y] = [toNumber(a), toNumber(b)];
  if (x !== undefined && y !== undefined) return order(x, y);
  if (typeof a === "string" && typeof b === "string") return Buffer.compare(Buffer.from(a), Buffer.from(b));
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if (a instanceof Timestamp && b instanceof Timestamp) return order(a.nanos, b.nanos);
  if (a instanceof Duration && b instanceof Duration) return order(a.nanos, b.nanos);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  throw noOverload();
}

/** Quotes a text. */
export function quoted(text: string): string {
  return goQuote(text);
}

/** Returns the key of a value in a map. */
export function keyOf(value: Value): Key {
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "bigint") return value;
  if (value instanceof Uint) return value.value;
  if (typeof value === "number" && Number.isInteger(value)) return BigInt(value);
  throw new CelError(`unsupported key type: ${kindOf(value)}`);
}

/** Joins two lists. The left one decides how: a set ignores duplicates, a list-map replaces items with the same keys. */
export function concatenate(a: List, b: List): List {
  if (a.kind === "set") return new List([...a.items, ...b.items.filter((item) => !a.items.some((own) => isEqual(own, item)))], "set");
  if (a.kind !== "map") return new List([...a.items, ...b.items]);
  const items = [...a.items];
  const places = new Map(items.map((item, i) => [mapKey(item, a.keys), i]));
  for (const item of b.items) {
    const place = places.get(mapKey(item, a.keys));
    if (place === undefined) items.push(item);
    else items[place] = item;
  }
  return new List(items, "map", a.keys);
}

function order(a: bigint | number, b: bigint | number): number {
  if (a < b) return -1;
  // oxlint-disable-next-line eqeqeq
  if (a == b) return 0;
  if (a > b) return 1;
  throw new CelError("NaN values cannot be ordered");
}

function equalLists(a: List, b: List): boolean {
  if (a.items.length !== b.items.length) return false;
  if (a.kind === "set") return a.items.every((item) => b.items.some((other) => isEqual(item, other)));
  if (a.kind === "map") {
    const byKey = new Map(a.items.map((item) => [mapKey(item, a.keys), item]));
    return b.items.every((item) => {
      const own = byKey.get(mapKey(item, a.keys));
      return own !== undefined && isEqual(own, item);
    });
  }
  return a.items.every((item, i) => isEqual(item, b.items[i] as Value)); // same length
}

function mapKey(item: Value, keys: readonly string[]): string {
  if (!(item instanceof Struct)) return "";
  return JSON.stringify(keys.map((key) => String(item.get(key) ?? null)));
}

function equalMaps(a: Dict, b: Dict): boolean {
  if (a.entries.size !== b.entries.size) return false;
  for (const [key, value] of a.entries) {
    const other = b.entries.get(key);
    if (other === undefined || !isEqual(value, other)) return false;
  }
  return true;
}

function equalStructs(a: Struct, b: Struct): boolean {
  if (a.fields.length !== b.fields.length) return false;
  return a.fields.every((field) => {
    const [own, other] = [a.get(field), b.get(field)];
    return own === undefined || other === undefined ? own === other : isEqual(own, other);
  });
}
