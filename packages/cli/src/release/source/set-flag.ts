/** Reads `--set a.b=c,d[0]=e` as Helm does. Pure. */
import { CliError } from "../../cli-error.ts";

type Values = Record<string, unknown>;

/** Sets the values of a text in `values`. @throws CliError for a text of another form */
export function setValues(values: Readonly<Values>, text: string): Values {
  const result = structuredClone(values) as Values;
  for (const pair of splitAt(text, ",")) {
    const [key, value] = split(pair);
    if (key === undefined || value === undefined || key.trim() === "")
      throw new CliError(
        `--set ${JSON.stringify(text)} cannot be read at ${JSON.stringify(pair)}; write KEY=VALUE, such as --set image.tag=1.2`,
      );
    assign(result, pathOf(key, text), valueOf(value));
  }
  return result;
}

/** Splits at a sign that is neither escaped nor in braces. */
function splitAt(text: string, sign: string): readonly string[] {
  const parts: string[] = [""];
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const each = text.charAt(i);
    const last = parts.length - 1;
    if (each === "\\" && i + 1 < text.length) parts[last] += each + text.charAt(++i);
    else if (each === sign && depth === 0) parts.push("");
    else {
      if (each === "{") depth++;
      if (each === "}") depth--;
      parts[last] += each;
    }
  }
  return parts;
}

function split(pair: string): readonly [string | undefined, string | undefined] {
  const [key, ...rest] = splitAt(pair, "=");
  return [key, rest.length === 0 ? undefined : rest.join("=")];
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/gs, "$1");
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

function valueOf(text: string): unknown {
  if (text.startsWith("{") && text.endsWith("}")) {
    const inner = text.slice(1, -1);
    return inner === "" ? [] : splitAt(inner, ",").map(scalarOf);
  }
  return scalarOf(text);
}

/** Helm reads `true`, `false`, `null` and whole numbers. A text with a leading zero, such as `007`, stays a text. */
function scalarOf(text: string): unknown {
  if (text === "true" || text === "false") return text === "true";
  if (text === "null") return null;
  const isNumber = /^(0|-?[1-9]\d{0,14})$/.test(text);
  return isNumber ? Number(text) : unescaped(text);
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
