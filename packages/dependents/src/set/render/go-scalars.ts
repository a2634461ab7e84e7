/**
 * The values of plain YAML scalars as `kubectl` reads them, which is YAML 1.1 with the exceptions of go-yaml 2: `yes` is true and
 * `0644` is 420, but dates and `1:30` are texts.
 */

/** A scalar with the type that its text has. */
export type GoScalar =
  | { readonly type: "str"; readonly value: string }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "null"; readonly value: null }
  | { readonly type: "int" | "float"; readonly value: number }
  /** A number that JSON or JavaScript cannot hold. */
  | { readonly type: "unusable"; readonly problem: string };

const WORDS: ReadonlyMap<string, GoScalar> = new Map<string, GoScalar>([
  ...["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"].map((word) => [word, bool(true)] as const),
  ...["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"].map((word) => [word, bool(false)] as const),
  ...["", "~", "null", "Null", "NULL"].map((word) => [word, { type: "null", value: null }] as const),
  ...[".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF"].map(
    (word) => [word, { type: "unusable", problem: `${word} is not a number that JSON can hold` }] as const,
  ),
]);

const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
/** The number formats that Go reads with base 0. */
const INT = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]([0-7]+)|0([0-7]+)|(0|[1-9][0-9]*))$/;

/** Returns what a plain scalar means. */
export function goScalar(text: string): GoScalar {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  if (!/^[-+.0-9]/.test(text)) return str(text);
  if (text.startsWith(".")) return FLOAT.test(text) ? float(text, text) : str(text);
  const plain = text.replaceAll("_", "");
  return integer(plain) ?? (FLOAT.test(plain) ? float(plain, text) : str(text));
}

function integer(plain: string): GoScalar | undefined {
  const [, sign, hex, binary, octal, oldOctal, decimal] = INT.exec(plain) ?? [];
  if (sign === undefined) return undefined;
  const amount =
    hex !== undefined
      ? BigInt(`0x${hex}`)
      : binary !== undefined
        ? BigInt(`0b${binary}`)
        : (octal ?? oldOctal) !== undefined
          ? BigInt(`0o${octal ?? oldOctal}`)
          : BigInt(decimal as string); // One of the groups matched.
  const exact = sign === "-" ? -amount : amount;
  if (exact < -(2n ** 63n) || exact >= 2n ** 64n) return undefined; // For Go this is not an integer.
  const value = Number(exact);
  return BigInt(value) === exact
    ? { type: "int", value }
    : { type: "unusable", problem: "an integer above 2^53 loses digits in JavaScript: put it in quotes, if its field takes text" };
}

function float(plain: string, text: string): GoScalar {
  const value = Number(plain);
  return Number.isFinite(value) ? { type: "float", value: value === 0 ? 0 : value } : str(text);
}

function str(value: string): GoScalar {
  return { type: "str", value };
}

function bool(value: boolean): GoScalar {
  return { type: "bool", value };
}
