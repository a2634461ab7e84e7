/** Functions on strings: those of the language, cel-go's extension, and Kubernetes' regex library. Positions count characters. */
import { compilePattern } from "../../schema/pattern.ts";
import { PatternTimeError, runPattern } from "../../schema/pattern-run.ts";
import { goFloat } from "../../internal/go-float.ts";
import { BudgetError } from "../budget.ts";
import type { Library } from "../overloads.ts";
import { CelError, Dict, Duration, kindOf, List, quoted, Struct, Timestamp, TypeValue, Uint, type Value } from "../values.ts";
import { durationText, timestampText } from "./time.ts";

export const text: Library = {
  contains: { ".string, string -> bool": (a: string, b: string) => a.includes(b) },
  startsWith: { ".string, string -> bool": (a: string, b: string) => a.startsWith(b) },
  endsWith: { ".string, string -> bool": (a: string, b: string) => a.endsWith(b) },
  matches: { ".string, string -> bool": matches, "string, string -> bool": matches },
  charAt: {
    ".string, int -> string": (a: string, at: bigint) => {
      const chars = [...a];
      if (at < 0n || at > chars.length) throw outOfRange(at);
      return chars[Number(at)] ?? "";
    },
  },
  indexOf: {
    ".string, string -> int": (a: string, b: string) => indexOf(a, b, 0n),
    ".string, string, int -> int": indexOf,
  },
  lastIndexOf: {
    ".string, string -> int": lastOf,
    ".string, string, int -> int": lastIndexOf,
  },
  lowerAscii: { ".string -> string": (a: string) => a.replace(/[A-Z]/g, (char) => char.toLowerCase()) },
  upperAscii: { ".string -> string": (a: string) => a.replace(/[a-z]/g, (char) => char.toUpperCase()) },
  replace: {
    ".string, string, string -> string": (a: string, from: string, to: string) => a.replaceAll(from, () => to),
    ".string, string, string, int -> string": replaceSome,
  },
  split: {
    ".string, string -> list(string)": (a: string, by: string) => split(a, by, -1n),
    ".string, string, int -> list(string)": split,
  },
  substring: {
    ".string, int -> string": (a: string, from: bigint) => substring(a, from, undefined),
    ".string, int, int -> string": substring,
  },
  trim: { ".string -> string": (a: string) => a.replace(/^[\s\u0085\u200e\u200f]+|[\s\u0085\u200e\u200f]+$/g, "") },
  join: {
    ".list(string) -> string": (list: List) => list.items.join(""),
    ".list(string), string -> string": (list: List, by: string) => list.items.join(by),
  },
  format: { ".string, list(dyn) -> string": format },
  "strings.quote": { "string -> string": quote },
  find: { ".string, string -> string": (a: string, pattern: string) => run(a, pattern, (found) => found.exec(a)?.[0] ?? "") },
  findAll: {
    ".string, string -> list(string)": (a: string, pattern: string) => findAll(a, pattern, -1n),
    ".string, string, int -> list(string)": findAll,
  },
};

/** Compiles a pattern. @throws CelError with Go's text */
function regexp(pattern: string): RegExp {
  const found = compilePattern(pattern);
  if (found === undefined) throw new CelError(`Illegal regex: error parsing regexp: \`${pattern}\``);
  return found;
}

function matches(a: string, pattern: string): boolean {
  return run(a, pattern, (found) => found.test(a));
}

/** Runs a pattern on a text. @throws CelError for an invalid pattern, BudgetError for a slow one */
function run<T>(a: string, pattern: string, of: (found: RegExp) => T): T {
  const found = regexp(pattern);
  try {
    return runPattern(found, a, () => of(found));
  } catch (error) {
    throw error instanceof PatternTimeError ? new BudgetError(error.message) : error;
  }
}

function findAll(a: string, pattern: string, limit: bigint): List {
  const found = run(a, pattern, ({ source, flags }) => [...a.matchAll(new RegExp(source, `${flags}g`))].map(([whole]) => whole));
  return new List(limit < 0n ? found : found.slice(0, Number(limit)));
}

function outOfRange(at: bigint): CelError {
  return new CelError(`index out of range: ${at}`);
}

function indexOf(a: string, b: string, from: bigint): bigint {
  if (b === "") return from;
  const [chars, wanted] = [[...a], [...b]];
  if (from < 0n) throw outOfRange(from);
  for (let i = Number(from); i <= chars.length - wanted.length; i++) if (wanted.every((char, j) => chars[i + j] === char)) return BigInt(i);
  return -1n;
}

function lastIndexOf(a: string, b: string, from: bigint): bigint {
  if (b === "") return from;
  const [chars, wanted] = [[...a], [...b]];
  if (from < 0n) throw outOfRange(from);
  if (from >= chars.length) return -1n;
  for (let i = Math.min(Number(from), chars.length - wanted.length); i >= 0; i--)
    if (wanted.every((char, j) => chars[i + j] === char)) return BigInt(i);
  return -1n;
}

function lastOf(a: string, b: string): bigint {
  const length = BigInt([...a].length);
  if (b === "") return length;
  return length === 0n ? -1n : lastIndexOf(a, b, length - 1n);
}

function replaceSome(a: string, from: string, to: string, limit: bigint): string {
  if (limit < 0n) return a.replaceAll(from, () => to);
  let done = 0n;
  return a.replaceAll(from, (found) => (done++ < limit ? to : found));
}

function split(a: string, by: string, limit: bigint): List {
  if (limit === 0n) return new List([]);
  const parts = by === "" ? [...a] : a.split(by);
  if (limit < 0n || parts.length <= limit) return new List(parts);
  const whole = Number(limit) - 1;
  return new List([...parts.slice(0, whole), parts.slice(whole).join(by)]);
}

function substring(a: string, from: bigint, to: bigint | undefined): string {
  const chars = [...a];
  const end = to ?? BigInt(chars.length);
  if (to !== undefined && from > to) throw new CelError(`invalid substring range. start: ${from}, end: ${to}`);
  if (from < 0n || from > chars.length) throw outOfRange(from);
  if (end < 0n || end > chars.length) throw outOfRange(end);
  return chars.slice(Number(from), Number(end)).join("");
}

function quote(a: string): string {
  return `"${[...a].map((char) => QUOTED[char] ?? char).join("")}"`;
}

const QUOTED: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

function format(template: string, args: List): string {
  let next = 0;
  return template.replace(/%(%|(?:\.(\d+))?([a-zA-Z]))?/g, (whole, rest?: string, precision?: string, clause?: string) => {
    if (rest === undefined) throw new CelError(`could not parse formatting clause: unexpected end of string`);
    if (rest === "%") return "%";
    const value = args.items[next++];
    if (value === undefined) throw new CelError(`index ${next - 1} out of range`);
    return clauseText(clause ?? whole, value, precision);
  });
}

function clauseText(clause: string, value: Value, precision: string | undefined): string {
  const digits = precision === undefined ? 6 : Number(precision);
  switch (clause) {
    case "s":
      return shown(value);
    case "d":
      if (typeof value === "bigint" || value instanceof Uint) return String(value instanceof Uint ? value.value : value);
      if (typeof value === "number" && !Number.isFinite(value))
        return goFloat(value).replace("+Inf", "Infinity").replace("-Inf", "-Infinity");
      break;
    case "f":
    case "e":
      if (typeof value === "number" && Number.isFinite(value)) {
        return clause === "f" ? fixed(value, digits) : scientific(value, digits);
      }
      if (typeof value === "bigint") return clause === "f" ? fixed(Number(value), digits) : scientific(Number(value), digits);
      break;
    case "b":
      if (typeof value === "boolean") return value ? "1" : "0";
      if (typeof value === "bigint" || value instanceof Uint) return (value instanceof Uint ? value.value : value).toString(2);
      break;
    case "o":
      if (typeof value === "bigint" || value instanceof Uint) return (value instanceof Uint ? value.value : value).toString(8);
      break;
    case "x":
    case "X": {
      const text =
        typeof value === "bigint"
          ? value.toString(16)
          : value instanceof Uint
            ? value.value.toString(16)
            : typeof value === "string" || value instanceof Uint8Array
              ? Buffer.from(value as string).toString("hex")
              : undefined;
      if (text !== undefined) return clause === "x" ? text : text.toUpperCase();
      break;
    }
    default:
      throw new CelError(`could not parse formatting clause: unrecognized formatting clause "${clause}"`);
  }
  throw new CelError(`error during formatting: ${WANTED[clause] ?? "no such overload"}, was given ${kindOf(value)}`);
}

/** Formats a number with the thousands separators of cel-go's formatter. */
function fixed(value: number, digits: number): string {
  const text = Math.abs(value) < 1e21 ? value.toFixed(digits) : `${BigInt(Math.trunc(value))}${digits > 0 ? `.${"0".repeat(digits)}` : ""}`;
  return text.replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));
}

/** Formats a number as `1.5×10⁰³`: cel-go writes the exponent as a power. */
function scientific(value: number, digits: number): string {
  const [mantissa = "", exponent = ""] = value.toExponential(digits).split("e");
  const raised = [...exponent.replace("+", "").replace(/^(-?)(\d)$/, "$10$2")].map((char) => RAISED[char] ?? char).join("");
  return `${mantissa}×10${raised}`;
}

const RAISED: Readonly<Record<string, string>> = Object.fromEntries(
  [..."0123456789-"].map((char, i) => [char, [..."⁰¹²³⁴⁵⁶⁷⁸⁹⁻"][i] ?? char]),
);

const WANTED: Readonly<Record<string, string>> = {
  d: "decimal clause can only be used on integers",
  b: "only integers and bools can be formatted as binary",
  o: "octal clause can only be used on integers",
  x: "only integers, byte buffers, and strings can be formatted as hex",
  X: "only integers, byte buffers, and strings can be formatted as hex",
  f: "fixed-point clause can only be used on doubles",
  e: "scientific clause can only be used on doubles",
};

/** Formats a value inside a list or a map, where its type must be visible. */
function nested(value: Value): string {
  if (typeof value === "string") return quoted(value);
  if (value instanceof Timestamp) return `timestamp(${quoted(timestampText(value))})`;
  if (value instanceof Duration) return `duration(${quoted(durationText(value))})`;
  if (value instanceof Uint8Array) return `b${quoted(Buffer.from(value).toString())}`;
  return shown(value);
}

function shown(value: Value): string {
  if (typeof value === "string") return value;
  if (value === null) return "null";
  if (typeof value === "number") return goFloat(value).replace("+Inf", "Infinity").replace("-Inf", "-Infinity");
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof List) return `[${value.items.map(nested).join(", ")}]`;
  if (value instanceof Dict) {
    const entries = [...value.entries].map(([key, item]) => `${nested(key)}:${nested(item)}`);
    return `{${entries.toSorted().join(", ")}}`;
  }
  if (typeof value === "bigint" || typeof value === "boolean") return String(value);
  throw new CelError(
    `error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ${value instanceof Struct ? "object" : quoted(kindOf(value))}`,
  );
}
