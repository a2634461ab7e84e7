/** Operators and conversions of the CEL language. */
import { goFloat } from "../../internal/go-float.ts";
import type { Library } from "../overloads.ts";
import {
  CelError,
  compare,
  concatenate,
  Duration,
  isEqual,
  kindOf,
  List,
  noOverload,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from "../values.ts";
import { indexInto, isIn } from "./collections.ts";
import { durationText, parseDuration, parseTimestamp, timestampText } from "./time.ts";

const ORDERED = ["bool", "int", "uint", "double", "string", "bytes", "timestamp", "duration"];
const NUMERIC = ["int", "uint", "double"];

export const standard: Library = {
  "_&&_": { "bool, bool -> bool": (a: boolean, b: boolean) => a && b },
  "_||_": { "bool, bool -> bool": (a: boolean, b: boolean) => a || b },
  "_?_:_": { "bool, A, A -> A": (c: boolean, a: Value, b: Value) => (c ? a : b) },
  "!_": { "bool -> bool": (a: boolean) => !a },
  "-_": { "int -> int": (a: bigint) => int(-a), "double -> double": (a: number) => -a },
  "_==_": { "A, A -> bool": isEqual },
  "_!=_": { "A, A -> bool": (a: Value, b: Value) => !isEqual(a, b) },
  "_<_": ordering((order) => order < 0),
  "_<=_": ordering((order) => order <= 0),
  "_>_": ordering((order) => order > 0),
  "_>=_": ordering((order) => order >= 0),
  "@in": { "A, list(A) -> bool": isIn, "A, map(A, B) -> bool": isIn },
  "_[_]": {
    "list(A), int -> A": (list: Value, index: Value) => indexInto(list, index, false),
    "map(A, B), A -> B": (map: Value, key: Value) => indexInto(map, key, false),
    "optional(list(A)), int -> optional(A)": (list: Value, index: Value) => indexInto(list, index, true),
    "optional(map(A, B)), A -> optional(B)": (map: Value, key: Value) => indexInto(map, key, true),
  },
  "_+_": {
    ...arithmetic(
      (a, b) => a + b,
      (a, b) => a + b,
    ),
    "string, string -> string": (a: string, b: string) => a + b,
    "bytes, bytes -> bytes": (a: Uint8Array, b: Uint8Array) => new Uint8Array([...a, ...b]),
    "list(A), list(A) -> list(A)": concatenate,
    "timestamp, duration -> timestamp": (a: Timestamp, b: Duration) => new Timestamp(a.nanos + b.nanos, a.zone),
    "duration, timestamp -> timestamp": (a: Duration, b: Timestamp) => new Timestamp(a.nanos + b.nanos, b.zone),
    "duration, duration -> duration": (a: Duration, b: Duration) => new Duration(a.nanos + b.nanos),
  },
  "_-_": {
    ...arithmetic(
      (a, b) => a - b,
      (a, b) => a - b,
    ),
    "timestamp, timestamp -> duration": (a: Timestamp, b: Timestamp) => new Duration(a.nanos - b.nanos),
    "timestamp, duration -> timestamp": (a: Timestamp, b: Duration) => new Timestamp(a.nanos - b.nanos, a.zone),
    "duration, duration -> duration": (a: Duration, b: Duration) => new Duration(a.nanos - b.nanos),
  },
  "_*_": arithmetic(
    (a, b) => a * b,
    (a, b) => a * b,
  ),
  "_/_": arithmetic(
    (a, b) => (b === 0n ? fail("division by zero") : a / b),
    (a, b) => a / b,
  ),
  "_%_": {
    "int, int -> int": (a: bigint, b: bigint) => (b === 0n ? fail("modulus by zero") : int(a % b)),
    "uint, uint -> uint": (a: Uint, b: Uint) => (b.value === 0n ? fail("modulus by zero") : new Uint(a.value % b.value)),
  },
  size: {
    "string -> int": textSize,
    "bytes -> int": byteSize,
    "list(A) -> int": listSize,
    "map(A, B) -> int": mapSize,
    ".string -> int": textSize,
    ".bytes -> int": byteSize,
    ".list(A) -> int": listSize,
    ".map(A, B) -> int": mapSize,
  },
  dyn: { "A -> dyn": (a: Value) => a },
  type: { "A -> type(A)": (a: Value) => new TypeValue(TYPE_NAMES[kindOf(a)] ?? kindOf(a)) },
  int: {
    "int -> int": (a: bigint) => a,
    "uint -> int": (a: Uint) => int(a.value),
    "double -> int": doubleToInt,
    "string -> int": (a: string) => (/^[+-]?\d+$/.test(a) ? int(BigInt(a), unconvertible("int")) : fail(unconvertible("int"))),
    "timestamp -> int": (a: Timestamp) => floorDiv(a.nanos, 1_000_000_000n),
    "duration -> int": (a: Duration) => a.nanos,
  },
  uint: {
    "uint -> uint": (a: Uint) => a,
    "int -> uint": (a: bigint) => new Uint(a),
    "double -> uint": (a: number) => (a < 2 ** 64 && a >= 0 ? new Uint(BigInt(Math.trunc(a))) : fail("unsigned integer overflow")),
    "string -> uint": (a: string) => (/^\d+$/.test(a) && BigInt(a) < 2n ** 64n ? new Uint(BigInt(a)) : fail(unconvertible("uint"))),
  },
  double: {
    "double -> double": (a: number) => a,
    "int -> double": Number,
    "uint -> double": (a: Uint) => Number(a.value),
    "string -> double": (a: string) => (DOUBLE.test(a) ? Number(a) : (SPECIAL[a] ?? fail(unconvertible("double")))),
  },
  string: {
    "string -> string": (a: string) => a,
    "bool -> string": String,
    "int -> string": String,
    "uint -> string": (a: Uint) => String(a.value),
    "double -> string": goFloat,
    "bytes -> string": (a: Uint8Array) => {
      try {
        return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(a);
      } catch {
        return fail("invalid UTF-8 in bytes, cannot convert to string");
      }
    },
    "timestamp -> string": timestampText,
    "duration -> string": durationText,
  },
  bytes: { "bytes -> bytes": (a: Uint8Array) => a, "string -> bytes": (a: string) => new Uint8Array(Buffer.from(a)) },
  bool: {
    "bool -> bool": (a: boolean) => a,
    "string -> bool": (a: string) => {
      if (["1", "t", "T", "TRUE", "true", "True"].includes(a)) return true;
      if (["0", "f", "F", "FALSE", "false", "False"].includes(a)) return false;
      return fail(unconvertible("bool"));
    },
  },
  duration: {
    "duration -> duration": (a: Duration) => a,
    "string -> duration": (a: string) => new Duration(parseDuration(a, false) ?? fail(unconvertible("google.protobuf.Duration"))),
    "int -> duration": () => fail("type conversion error from 'int' to 'google.protobuf.Duration'"),
  },
  timestamp: {
    "timestamp -> timestamp": (a: Timestamp) => a,
    "int -> timestamp": (a: bigint) => new Timestamp(a * 1_000_000_000n),
    "string -> timestamp": (a: string) => parseTimestamp(a) ?? fail(unconvertible("google.protobuf.Timestamp")),
  },
};

const TYPE_NAMES: Readonly<Record<string, string>> = {
  timestamp: "google.protobuf.Timestamp",
  duration: "google.protobuf.Duration",
  optional: "optional_type",
};

const DOUBLE = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
const SPECIAL: Readonly<Record<string, number>> = { NaN: Number.NaN, Inf: Infinity, "+Inf": Infinity, "-Inf": -Infinity };

function ordering(holds: (order: number) => boolean): Library[string] {
  const test = (a: Value, b: Value): boolean => {
    return holds(compare(a, b));
  };
  const pairs = [...ORDERED.map((type) => [type, type]), ...NUMERIC.flatMap((a) => NUMERIC.filter((b) => a !== b).map((b) => [a, b]))];
  return Object.fromEntries(pairs.map(([a, b]) => [`${a}, ${b} -> bool`, test]));
}

function arithmetic(whole: (a: bigint, b: bigint) => bigint, real: (a: number, b: number) => number): Library[string] {
  return {
    "int, int -> int": (a: bigint, b: bigint) => int(whole(a, b)),
    "uint, uint -> uint": (a: Uint, b: Uint) => new Uint(whole(a.value, b.value)),
    "double, double -> double": real,
  };
}

function int(value: bigint, message = "integer overflow"): bigint {
  if (BigInt.asIntN(64, value) !== value) throw new CelError(message);
  return value;
}

function doubleToInt(value: number): bigint {
  if (!Number.isFinite(value) || Math.abs(value) >= 2 ** 63) throw new CelError("integer overflow");
  return BigInt(Math.trunc(value));
}

function unconvertible(type: string): string {
  return `type conversion error from 'string' to '${type}'`;
}

function fail(message: string): never {
  throw new CelError(message);
}

function floorDiv(a: bigint, b: bigint): bigint {
  return a >= 0n || a % b === 0n ? a / b : a / b - 1n;
}

function textSize(text: string): bigint {
  return BigInt([...text].length);
}

function byteSize(bytes: Uint8Array): bigint {
  return BigInt(bytes.length);
}

function listSize(list: List): bigint {
  return BigInt(list.items.length);
}

function mapSize(map: Value): bigint {
  if (typeof map === "object" && map !== null && "entries" in map && map.entries instanceof Map) return BigInt(map.entries.size);
  if (typeof map === "object" && map !== null && "fields" in map) return BigInt(map.fields.length);
  throw noOverload();
}
