/** Quantities (`500m`, `1.5Gi`) in the canonical form of the real server (apimachinery `resource`). */

/** Returns the canonical form of a quantity: no fraction, the largest unit that keeps it exact. @throws SyntaxError with the text of Go */
export function canonicalQuantity(text: string): string {
  const { sign, nanos, isBinary, isExponent } = parse(text);
  const written = isBinary ? writeBinary(nanos) : writeDecimal(nanos, isExponent);
  return `${sign === "-" && written !== "0" ? "-" : ""}${written}`;
}

/** Adds two quantities. As in Go, the sum has the format of `a`, or that of `b` if `a` is zero. @throws SyntaxError */
export function addQuantities(a: string, b: string): string {
  return combine(a, b, 1n);
}

/** Subtracts `b` from `a`, in the format as for a sum. @throws SyntaxError */
export function subtractQuantities(a: string, b: string): string {
  return combine(a, b, -1n);
}

function combine(a: string, b: string, factor: bigint): string {
  const [one, other] = [parse(a), parse(b)];
  const total = signed(one) + factor * signed(other);
  const { isBinary, isExponent } = one.nanos === 0n ? other : one;
  const size = total < 0n ? -total : total;
  const written = isBinary ? writeBinary(size) : writeDecimal(size, isExponent);
  return total < 0n ? `-${written}` : written;
}

function signed({ sign, nanos }: Parsed): bigint {
  return sign === "-" ? -nanos : nanos;
}

/** Returns a quantity in billionths, to compare and to add. An invalid quantity is zero. */
export function quantityNanos(text: unknown): bigint {
  try {
    return signed(parse(String(text)));
  } catch (error) {
    if (error instanceof SyntaxError) return 0n;
    throw error;
  }
}

interface Parsed {
  readonly sign: string;
  readonly nanos: bigint;
  readonly isBinary: boolean;
  readonly isExponent: boolean;
}

function parse(text: string): Parsed {
  const [, sign = "", whole = "", fraction = "", unit = ""] = /^([+-]?)(\d*)\.?(\d*)([eEinumkKMGTP]*[+-]?\d*)$/.exec(text) ?? [];
  if (whole === "" && fraction === "") throw new SyntaxError(NO_QUANTITY);
  const exponent = /^[eE]([+-]?\d+)$/.exec(unit)?.[1];
  const decimal = exponent === undefined ? DECIMAL.get(unit) : Number(exponent);
  const binary = BINARY.indexOf(unit);
  if (decimal === undefined && binary < 0) throw new SyntaxError("unable to parse quantity's suffix");
  let scaled = BigInt(whole + fraction);
  let divisor = 10n ** BigInt(fraction.length);
  if (decimal === undefined) scaled *= 1024n ** BigInt(binary + 1);
  else if (decimal >= 0) scaled *= 10n ** BigInt(Math.min(decimal, MAX_EXPONENT));
  else divisor *= 10n ** BigInt(-decimal);
  // Rounded away from zero to billionths.
  const nanos = (scaled * 10n ** BigInt(NANO) + divisor - 1n) / divisor;
  return { sign, nanos, isBinary: decimal === undefined, isExponent: exponent !== undefined };
}

const NO_QUANTITY = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const NANO = 9;
/** The real server caps exponents here. */
const MAX_EXPONENT = 18;
const BINARY: readonly string[] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const DECIMAL: ReadonlyMap<string, number> = new Map([
  ["n", -9],
  ["u", -6],
  ["m", -3],
  ["", 0],
  ["k", 3],
  ["M", 6],
  ["G", 9],
  ["T", 12],
  ["P", 15],
  ["E", 18],
]);
const UNITS: ReadonlyMap<number, string> = new Map([...DECIMAL].map(([unit, exponent]) => [exponent, unit]));

function writeBinary(nanos: bigint): string {
  const one = 10n ** BigInt(NANO);
  if (nanos < 1024n * one) return writeDecimal(nanos, false);
  let value = (nanos + one - 1n) / one;
  let unit = "";
  for (const next of BINARY) {
    if (value % 1024n !== 0n) break;
    value /= 1024n;
    unit = next;
  }
  // A value that fits no binary unit becomes a decimal number.
  return unit === "" ? writeDecimal(value * one, false) : `${value}${unit}`;
}

function writeDecimal(nanos: bigint, asExponent: boolean): string {
  if (nanos === 0n) return "0";
  let value = nanos;
  let exponent = -NANO;
  while (value % 1000n === 0n && exponent < MAX_EXPONENT) {
    value /= 1000n;
    exponent += 3;
  }
  if (asExponent) return exponent === 0 ? String(value) : `${value}e${exponent}`;
  return `${value}${UNITS.get(exponent) ?? ""}`;
}
