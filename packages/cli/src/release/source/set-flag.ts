/** Reads `--set a.b=c,d[0]=e` as Helm does. Pure. */
import { CliError } from "../../cli-error.ts";

type Values = Record<string, unknown>;

/** Sets the values of a text in `values`. @throws CliError for a text of another form */
export function setValues(values: Readonly<Values>, text: string): Values {
  const result = structuredClone(values) as Values;
  let at = 0;
  do {
    const equals = endOf(text, at, "=,");
    const key = text.slice(at, equals);
    if (text[equals] !== "=" || key.trim() === "") throw unreadable(text, text.slice(at));
    const { value, end } = valueAt(text, equals + 1);
    assign(result, pathOf(key, text), value);
    at = end + 1; // As in Helm, a comma may be last.
  } while (at < text.length);
  return result;
}

function unreadable(text: string, part: string): CliError {
  return new CliError(
    `--set ${JSON.stringify(text)} cannot be read at ${JSON.stringify(part)}; write KEY=VALUE, such as --set image.tag=1.2`,
  );
}

/** Reads the value that begins at `start`. A list begins with a brace; a brace elsewhere is a sign as any other. */
function valueAt(text: string, start: number): { readonly value: unknown; readonly end: number } {
  if (text[start] !== "{") {
    const end = endOf(text, start, ",");
    return { value: scalarOf(text.slice(start, end)), end };
  }
  const close = endOf(text, start + 1, "}");
  const end = close + 1;
  if (close === text.length || (end < text.length && text[end] !== ",")) throw unreadable(text, text.slice(start));
  const inner = text.slice(start + 1, close);
  return { value: inner === "" ? [] : splitAt(inner, ",").map(scalarOf), end };
}

/** Returns the index of the first of `signs` that is not escaped, else that of the end. */
function endOf(text: string, start: number, signs: string): number {
  for (let i = start; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (signs.includes(text.charAt(i))) return i;
  }
  return text.length;
}

/** Splits at a sign that is not escaped. */
function splitAt(text: string, sign: string): readonly string[] {
  const parts: string[] = [];
  for (let at = 0; at <= text.length; at += 1 + (parts.at(-1) ?? "").length) parts.push(text.slice(at, endOf(text, at, sign)));
  return parts;
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.?)/gs, "$1");
}

function pathOf(key: string, text: string): readonly (string | number)[] {
  return splitAt(key, ".").flatMap((part) => {
    const found = /^((?:\\.|[^[\]\\])*)((?:\[\d+\])*)$/s.exec(part);
    if (found === null || (found[1] === "" && found[2] === ""))
      throw new CliError(
        `--set ${JSON.stringify(text)}: ${JSON.stringify(key)} is no path; write a.b or list[0].c, and \\. for a dot in a key`,
      );
    const indexes = [...(found[2] ?? "").matchAll(/\[(\d+)\]/g)].map((each) => Number(each[1]));
    const name = unescaped(found[1] ?? "");
    if (FORBIDDEN.includes(name)) throw new CliError(`--set ${JSON.stringify(text)}: ${name} cannot be a key`);
    if (indexes.some((index) => index > MAX_INDEX))
      throw new CliError(`--set ${JSON.stringify(text)}: an index is larger than ${MAX_INDEX}; use a file with -f`);
    return name === "" ? indexes : [name, ...indexes];
  });
}

const FORBIDDEN: readonly string[] = ["__proto__", "constructor", "prototype"];
/** As in Helm. */
const MAX_INDEX = 65_536;

/**
 * Helm reads `true`, `false`, `null` in any case, and whole numbers. A text with a leading zero, such as `007`, stays a text, and so does a
 * number that is not exact here.
 */
function scalarOf(given: string): unknown {
  const text = unescaped(given);
  const word = text.toLowerCase();
  if (word === "true" || word === "false") return word === "true";
  if (word === "null") return null;
  const number = /^(0|[+-]\d+|[1-9]\d*)$/.test(text) ? Number(text) + 0 : Number.NaN;
  return Number.isSafeInteger(number) ? number : text;
}

function assign(root: Values, path: readonly (string | number)[], value: unknown): void {
  let at: unknown = root;
  for (const [i, key] of path.entries()) {
    const container = at as Record<string | number, unknown>; // An object, or a list for a number.
    if (i === path.length - 1) {
      container[key] = value;
      return;
    }
    const isList = typeof path[i + 1] === "number";
    const present = container[key];
    const fits = isList ? Array.isArray(present) : typeof present === "object" && present !== null && !Array.isArray(present);
    if (!fits) container[key] = isList ? [] : {};
    at = container[key];
  }
}
