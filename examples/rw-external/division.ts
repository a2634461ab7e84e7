/** The data of both Secrets. This file does not know Kubernetes. No error repeats a value: the values are secret. */

export interface Division {
  readonly dividend: bigint;
  readonly divisor: bigint;
}

/** The data of a Secret: values in base64. */
export type SecretData = Readonly<Record<string, string>>;

/** Reads the division that a Secret asks for, or explains why its data is not one. */
export function parseDivision(
  data: SecretData = {},
): Division | { readonly reason: "MissingKey" | "NotAnInteger"; readonly problem: string } {
  const keys = ["dividend", "divisor"] as const;
  const missing = keys.filter((key) => !Object.hasOwn(data, key));
  if (missing.length > 0) return { reason: "MissingKey", problem: `has no ${missing.join(" and no ")}` };
  const [dividend, divisor] = keys.map((key) => integerOf(data[key] ?? ""));
  if (dividend === undefined || divisor === undefined) {
    const bad = dividend === undefined && divisor === undefined ? keys.join(" and ") : dividend === undefined ? keys[0] : keys[1];
    return { reason: "NotAnInteger", problem: `has no integer as ${bad}` };
  }
  return { dividend, divisor };
}

/** Returns the result, rounded towards zero. @throws RangeError when the divisor is 0 */
export function divide({ dividend, divisor }: Division): SecretData {
  return { quotient: encode(dividend / divisor), remainder: encode(dividend % divisor) };
}

/** Limit of the digits of a number, so that a division takes no noticeable time. */
const MAX_DIGITS = 1_000;

/** Reads a decimal number. White space around it is allowed: `echo` and editors add it. */
function integerOf(base64: string): bigint | undefined {
  const text = Buffer.from(base64, "base64").toString("utf8").trim();
  return text.length <= MAX_DIGITS && /^[+-]?[0-9]+$/.test(text) ? BigInt(text.replace("+", "")) : undefined;
}

function encode(value: bigint): string {
  return Buffer.from(value.toString()).toString("base64");
}
