/** Kubernetes' libraries `quantity`, `semver` and `format`. */
import {
  dns1035LabelProblems,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  labelKeyProblems,
  labelValueProblems,
} from "@treadle/apimachinery";
import { canonicalQuantity } from "../../builtin/quantity.ts";
import { formatError } from "../../schema/string-formats.ts";
import type { Library } from "../overloads.ts";
import { CelError, List, Opaque, Optional, type Value } from "../values.ts";

/**
 * A quantity in billionths. `scale` is the power of ten of Go's digits, absent when Go needs a decimal of any size. Only a
 * quantity with a scale that is whole counts as an integer.
 */
class Quantity extends Opaque {
  readonly typeName = "kubernetes.Quantity";
  readonly nanos: bigint;
  readonly scale: number | undefined;
  constructor(nanos: bigint, scale: number | undefined) {
    super();
    this.nanos = nanos;
    this.scale = scale;
  }
  equals(other: Opaque): boolean {
    return other instanceof Quantity && other.nanos === this.nanos;
  }
}

class Semver extends Opaque {
  readonly typeName = "kubernetes.Semver";
  readonly numbers: readonly bigint[];
  readonly pre: readonly string[];
  constructor(numbers: readonly bigint[], pre: readonly string[]) {
    super();
    this.numbers = numbers;
    this.pre = pre;
  }
  equals(other: Opaque): boolean {
    return other instanceof Semver && compareSemver(this, other) === 0;
  }
}

class Format extends Opaque {
  readonly typeName = "kubernetes.NamedFormat";
  readonly name: string;
  readonly problems: (text: string) => readonly string[];
  constructor(name: string, problems: (text: string) => readonly string[]) {
    super();
    this.name = name;
    this.problems = problems;
  }
  equals(other: Opaque): boolean {
    return other instanceof Format && other.name === this.name;
  }
}

const BILLION = 1_000_000_000n;

export const kubernetes: Library = {
  quantity: { "string -> Quantity": toQuantity },
  isQuantity: { "string -> bool": (text: string) => nanosOf(text) !== undefined },
  sign: { "Quantity -> int": (a: Quantity) => (a.nanos > 0n ? 1n : a.nanos < 0n ? -1n : 0n) },
  isGreaterThan: {
    ".Quantity, Quantity -> bool": (a: Quantity, b: Quantity) => a.nanos > b.nanos,
    ".Semver, Semver -> bool": (a: Semver, b: Semver) => compareSemver(a, b) > 0,
  },
  isLessThan: {
    ".Quantity, Quantity -> bool": (a: Quantity, b: Quantity) => a.nanos < b.nanos,
    ".Semver, Semver -> bool": (a: Semver, b: Semver) => compareSemver(a, b) < 0,
  },
  compareTo: {
    ".Quantity, Quantity -> int": (a: Quantity, b: Quantity) => (a.nanos > b.nanos ? 1n : a.nanos < b.nanos ? -1n : 0n),
    ".Semver, Semver -> int": (a: Semver, b: Semver) => BigInt(compareSemver(a, b)),
  },
  asApproximateFloat: { ".Quantity -> double": (a: Quantity) => Number(a.nanos) / 1e9 },
  isInteger: { ".Quantity -> bool": isInteger },
  asInteger: {
    ".Quantity -> int": (a: Quantity) => {
      if (isInteger(a)) return a.nanos / BILLION;
      throw new CelError("cannot convert value to integer");
    },
  },
  add: {
    ".Quantity, Quantity -> Quantity": (a: Quantity, b: Quantity) => added(a, b, a.nanos + b.nanos),
    ".Quantity, int -> Quantity": (a: Quantity, b: bigint) => added(a, whole(b), a.nanos + b * BILLION),
  },
  sub: {
    ".Quantity, Quantity -> Quantity": (a: Quantity, b: Quantity) => added(a, b, a.nanos - b.nanos),
    ".Quantity, int -> Quantity": (a: Quantity, b: bigint) => added(a, whole(b), a.nanos - b * BILLION),
  },
  semver: {
    "string -> Semver": (text: string) => toSemver(text),
    "string, bool -> Semver": (text: string, normalizes: boolean) => toSemver(normalizes ? normalized(text) : text),
  },
  isSemver: {
    "string -> bool": (text: string) => parseSemver(text) instanceof Semver,
    "string, bool -> bool": (text: string, normalizes: boolean) => parseSemver(normalizes ? normalized(text) : text) instanceof Semver,
  },
  major: { ".Semver -> int": ({ numbers }: Semver) => numbers[0] ?? 0n },
  minor: { ".Semver -> int": ({ numbers }: Semver) => numbers[1] ?? 0n },
  patch: { ".Semver -> int": ({ numbers }: Semver) => numbers[2] ?? 0n },
  validate: {
    ".NamedFormat, string -> optional(list(string))": (format: Format, text: string) => {
      const problems = format.problems(text);
      return new Optional(problems.length === 0 ? undefined : new List(problems));
    },
  },
  "format.named": { "string -> optional(NamedFormat)": (name: string) => new Optional(namedFormats.get(name)) },
};

const prefixOf = (problems: (name: string) => readonly string[]) => (text: string) =>
  problems(text.length > 1 && text.endsWith("-") ? `${text.slice(0, -2)}a` : text);

/** Returns the problems of a label. A subdomain with dots gets a short message. */
function labelProblems(name: string): readonly string[] {
  const problems = dns1123LabelProblems(name);
  const isSubdomain = problems.length > 0 && dns1123SubdomainProblems(name).length === 0;
  return isSubdomain ? problems.map((problem) => (problem.includes("regex used") ? "must not contain dots" : problem)) : problems;
}

const byFormat = (format: string, problem: string) => (text: string) => (formatError(format, text) ? [problem] : []);

const namedFormats: ReadonlyMap<string, Format> = new Map(
  (
    [
      ["dns1123Label", labelProblems],
      ["dns1123Subdomain", dns1123SubdomainProblems],
      ["dns1035Label", dns1035LabelProblems],
      ["qualifiedName", labelKeyProblems],
      ["dns1123LabelPrefix", prefixOf(labelProblems)],
      ["dns1123SubdomainPrefix", prefixOf(dns1123SubdomainProblems)],
      ["dns1035LabelPrefix", prefixOf(dns1035LabelProblems)],
      ["labelValue", labelValueProblems],
      ["uri", byFormat("uri", "invalid URI")],
      ["uuid", byFormat("uuid", "does not match the UUID format")],
      ["byte", byFormat("byte", "invalid base64")],
      ["date", byFormat("date", "invalid date")],
      ["datetime", byFormat("datetime", "invalid datetime")],
    ] as const
  ).map(([name, problems]) => [name, new Format(name, problems)]),
);

/** `format.dns1123Label()` and the other named formats. */
export const formats: Library = Object.fromEntries(
  [...namedFormats].map(([name, format]) => [`format.${name}`, { "-> NamedFormat": (): Value => format }]),
);

function toQuantity(text: string): Quantity {
  const nanos = nanosOf(text);
  if (nanos !== undefined) return new Quantity(nanos, scaleOf(text));
  try {
    canonicalQuantity(text);
  } catch (error) {
    throw new CelError((error as Error).message);
  }
  throw new CelError(`unable to parse quantity ${text}`);
}

const UNITS: Readonly<Record<string, bigint>> = {
  n: 1n,
  u: 1000n,
  m: 1_000_000n,
  "": BILLION,
  k: BILLION * 10n ** 3n,
  M: BILLION * 10n ** 6n,
  G: BILLION * 10n ** 9n,
  T: BILLION * 10n ** 12n,
  P: BILLION * 10n ** 15n,
  E: BILLION * 10n ** 18n,
  Ki: BILLION * 1024n,
  Mi: BILLION * 1024n ** 2n,
  Gi: BILLION * 1024n ** 3n,
  Ti: BILLION * 1024n ** 4n,
  Pi: BILLION * 1024n ** 5n,
  Ei: BILLION * 1024n ** 6n,
};

function nanosOf(text: string): bigint | undefined {
  const [, sign, whole = "", fraction = "", unit = ""] = /^([+-]?)(\d*)(?:\.(\d*))?([a-zA-Z]{0,2}|[eE][+-]?\d{1,3})$/.exec(text) ?? [];
  if (sign === undefined || whole + fraction === "") return undefined;
  const exponent = /^[eE]([+-]?\d+)$/.exec(unit)?.[1];
  let factor = UNITS[unit];
  let divisor = 10n ** BigInt(fraction.length);
  if (exponent !== undefined) {
    factor = BILLION * 10n ** BigInt(Math.max(0, Number(exponent)));
    divisor *= 10n ** BigInt(Math.max(0, -Number(exponent)));
  }
  if (factor === undefined) return undefined;
  const size = (BigInt(whole + fraction) * factor + divisor - 1n) / divisor;
  return sign === "-" ? -size : size;
}

/** Returns the scale of a text: that of its unit, less the digits after the point. Binary units keep it only for small whole numbers. */
function scaleOf(text: string): number | undefined {
  const [, whole = "", fraction = "", unit = ""] = /^[+-]?0*(\d*)\.?(\d*)(.*)$/.exec(text) ?? [];
  const binary = BINARY.indexOf(unit);
  if (binary >= 0) return fraction === "" && 14 - whole.length - Math.floor(((binary + 1) * 10 * 3) / 10) >= 0 ? 0 : undefined;
  const exponent = /^[eE]([+-]?\d+)$/.exec(unit)?.[1] ?? DECIMAL[unit];
  const scale = Number(exponent) - fraction.length;
  return whole.length + fraction.length <= 18 && scale >= -9 ? scale : undefined;
}

const BINARY: readonly string[] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, "": 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };

function whole(value: bigint): Quantity {
  return new Quantity(value * BILLION, 0);
}

/** Adds two quantities. The sum has the finer scale of the two; the scale of a zero is ignored. */
function added(a: Quantity, b: Quantity, nanos: bigint): Quantity {
  if (a.scale === undefined || b.scale === undefined) return new Quantity(nanos, undefined);
  if (b.nanos === 0n) return new Quantity(nanos, a.scale);
  return new Quantity(nanos, a.nanos === 0n ? b.scale : Math.min(a.scale, b.scale));
}

function isInteger({ nanos, scale }: Quantity): boolean {
  return scale !== undefined && scale >= 0 && nanos % BILLION === 0n && isInt64(nanos / BILLION);
}

function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

function toSemver(text: string): Semver {
  const version = parseSemver(text);
  if (version instanceof Semver) return version;
  throw new CelError(version);
}

/** Parses a version, or returns the error of blang/semver. */
function parseSemver(text: string): Semver | string {
  if (text === "") return "Version string empty";
  if (text === ".0.0") return 'strconv.ParseUint: parsing "": invalid syntax'; // a normalised empty text
  const parts = text.split(".");
  if (parts.length < 3) return "No Major.Minor.Patch elements found";
  const [, core = "", pre, build] = /^([^+-]*)(?:-([^+]*))?(?:\+(.*))?$/s.exec(text) ?? [];
  const numbers = core.split(".");
  for (const [i, part] of numbers.entries()) {
    if (!/^\d+$/.test(part)) return `Invalid character(s) found in ${NUMBERS[i] ?? "patch"} number ${JSON.stringify(part)}`;
    if (part.length > 1 && part.startsWith("0"))
      return `${["Major", "Minor", "Patch"][i] ?? "Patch"} number must not contain leading zeroes ${JSON.stringify(part)}`;
  }
  if (numbers.length !== 3) return `Invalid character(s) found in patch number ${JSON.stringify(numbers.slice(2).join("."))}`;
  const labels = pre === undefined ? [] : pre.split(".");
  for (const label of labels) {
    if (label === "") return "Prerelease is empty";
    if (/^0\d+$/.test(label)) return `Numeric PreRelease version must not contain leading zeroes ${JSON.stringify(label)}`;
    if (!/^[0-9A-Za-z-]+$/.test(label)) return `Invalid character(s) found in prerelease ${JSON.stringify(label)}`;
  }
  for (const label of build?.split(".") ?? []) {
    if (label === "") return "Build meta data is empty";
    if (!/^[0-9A-Za-z-]+$/.test(label)) return `Invalid character(s) found in build meta data ${JSON.stringify(label)}`;
  }
  return new Semver(numbers.map(BigInt), labels);
}

const NUMBERS = ["major", "minor", "patch"];

/** Allows a leading `v`, missing parts and leading zeroes. */
function normalized(text: string): string {
  const parts = text.replace(/^v/, "").split(".");
  const three = parts.length < 3 ? parts : [parts[0] ?? "", parts[1] ?? "", parts.slice(2).join(".")];
  const trimmed = three.map((part) => part.replace(/^0+(?=\d)/, ""));
  if (trimmed.length < 3 && /[+-]/.test(trimmed.at(-1) ?? "")) return text;
  while (trimmed.length < 3) trimmed.push("0");
  return trimmed.join(".");
}

function compareSemver(a: Semver, b: Semver): number {
  for (let i = 0; i < 3; i++) {
    const [x, y] = [a.numbers[i] ?? 0n, b.numbers[i] ?? 0n];
    if (x !== y) return x < y ? -1 : 1;
  }
  if (a.pre.length === 0 || b.pre.length === 0) return Math.sign(b.pre.length - a.pre.length);
  for (let i = 0; i < Math.max(a.pre.length, b.pre.length); i++) {
    const [x, y] = [a.pre[i], b.pre[i]];
    if (x === undefined || y === undefined) return x === undefined ? -1 : 1;
    const order = compareLabels(x, y);
    if (order !== 0) return order;
  }
  return 0;
}

/** Compares two labels of a version. Numbers come before words, and are compared as numbers. */
function compareLabels(a: string, b: string): number {
  const [isA, isB] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isA !== isB) return isA ? -1 : 1;
  if (isA) return Math.sign(Number(BigInt(a) - BigInt(b)));
  return a < b ? -1 : a > b ? 1 : 0;
}
