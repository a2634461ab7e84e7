/**
 * Field selectors: `metadata.name=a,status.phase!=Running`. Grammar and error texts are those of the API server
 * (k8s.io/apimachinery/pkg/fields). The server decides which fields a kind supports; this module does not check it.
 */
import { SelectorError } from "./label-selectors.ts";

/** One term of a field selector: the value at `path` is, or is not, `value`. */
export interface FieldRequirement {
  /** Path of the field in dots, `status.phase`. */
  readonly path: string;
  /** Whether the value must be equal or different. */
  readonly operator: "=" | "!=";
  /** Value to compare with. */
  readonly value: string;
}

/** A parsed field selector. Every requirement must hold; an empty list selects everything. */
export type FieldRequirements = readonly FieldRequirement[];

/**
 * Parses a field selector. In values a backslash escapes `\`, `,` and `=`.
 *
 * @throws SelectorError with the text of the API server
 */
export function parseFieldSelector(text: string): FieldRequirements {
  return splitTerms(text)
    .filter((term) => term !== "")
    .toSorted()
    .map((term) => {
      const found = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
      if (found === null) throw new SelectorError(`invalid selector: '${text}'; can't understand '${term}'`);
      const [, path = "", operator, value = ""] = found;
      return { path, operator: operator === "!=" ? "!=" : "=", value: unescapeValue(value) };
    });
}

/** Formats a field selector as text, which {@link parseFieldSelector} parses. */
export function formatFieldSelector(selector: FieldRequirements): string {
  return selector.map(({ path, operator, value }) => `${path}${operator}${value.replace(/[\\,=]/g, "\\$&")}`).join(",");
}

/** Tells whether the selector selects `object`. An absent field counts as the empty string; numbers and booleans compare as text. */
export function matchesFields(selector: FieldRequirements, object: object): boolean {
  return selector.every(({ path, operator, value }) => (fieldText(object, path) === value) === (operator === "="));
}

/** Returns the scalar at a path in dots as text; empty when there is none. */
export function fieldText(object: object, path: string): string {
  let at: unknown = object;
  for (const name of path.replace(/^\./, "").split(".")) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return "";
    at = (at as Readonly<Record<string, unknown>>)[name]; // an object by the check above
  }
  return typeof at === "string" || typeof at === "number" || typeof at === "boolean" ? String(at) : "";
}

function splitTerms(text: string): readonly string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === ",") {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  return [...terms, text.slice(start)];
}

function unescapeValue(text: string): string {
  let value = "";
  const characters = [...text];
  for (let i = 0; i < characters.length; i++) {
    const character = characters[i] ?? "";
    if (character === "," || character === "=") {
      // The server prints the number of the character.
      throw new SelectorError(`invalid field selector: unescaped character in value: ${character.codePointAt(0)}`);
    }
    if (character !== "\\") {
      value += character;
      continue;
    }
    const escaped = characters[++i] ?? "";
    if (escaped !== "\\" && escaped !== "," && escaped !== "=")
      throw new SelectorError(`invalid field selector: invalid escape sequence: \\${escaped}`);
    value += escaped;
  }
  return value;
}
