/** What is read from one Secret and written into the other. Nothing here knows Kubernetes, and no error repeats a value: they are secret. */

export interface Division {
  readonly dividend: bigint;
  readonly divisor: bigint;
}

/** The data of a Secret: values in base64. */
export type SecretData = Readonly<Record<string, string>>;

/** The division that a Secret asks for, or what keeps it from being one. */
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

/** The result, rounded towards zero. @throws RangeError when the divisor is 0 */
export function divide({ dividend, divisor }: Division): SecretData {
  return { quotient: encode(dividend / divisor), remainder: encode(dividend % divisor) };
}

/** More digits than anybody means, and few enough that a division takes no time. */
const MAX_DIGITS = 1_000;

/** Decimal, with the white space that `echo` and editors leave. */
function integerOf(base64: string): bigint | undefined {
  const text = Buffer.from(base64, "base64").toString("utf8").trim();
  return text.length <= MAX_DIGITS && /^[+-]?[0-9]+$/.test(text) ? BigInt(text.replace("+", "")) : undefined;
}

function encode(value: bigint): string {
  return Buffer.from(value.toString()).toString("base64");
}
