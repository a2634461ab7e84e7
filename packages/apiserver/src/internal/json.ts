/** Plain JSON values: storing, comparing and copying them. Nothing here knows Kubernetes. */

export type JsonObject = { [field: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a deep copy, which is not frozen. */
export function cloneJson<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(cloneJson) as T;
  const copy: JsonObject = {};
  for (const key in value) copy[key] = cloneJson((value as JsonObject)[key]);
  return copy as T;
}

/** Freezes a JSON value at any depth, in place. A frozen object counts as frozen at any depth. */
export function freezeJson<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  if (Array.isArray(value)) for (const item of value) freezeJson(item);
  else for (const key in value) freezeJson(value[key]);
  return value;
}

/** Returns the value at a path of field names, or `undefined` when the path does not exist. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const field of path) {
    if (!isObject(at) || !Object.hasOwn(at, field)) return undefined;
    at = at[field];
  }
  return at;
}

/** Sets the value at a path in place, and creates missing objects. `undefined` removes the field. */
export function setAt(root: JsonObject, path: readonly string[], value: unknown): void {
  let at = root;
  for (const field of path.slice(0, -1)) {
    const next = at[field];
    if (isObject(next)) at = next;
    else {
      if (value === undefined) return;
      at = at[field] = {} as JsonObject;
    }
  }
  const last = path.at(-1);
  if (last === undefined) return;
  if (value === undefined) delete at[last];
  else at[last] = value;
}

/** Returns a value as Go's `encoding/json` prints it in errors of the real server: keys sorted, HTML characters escaped. */
export function goJson(value: unknown): string {
  return escapeHtml(JSON.stringify(isSorted(value) ? value : sortKeys(value)) ?? "null");
}

/** Returns a string as Go's `%q` prints it, for the characters that occur in practice. */
export function goQuote(text: string): string {
  return JSON.stringify(text)
    .replace(/\\(\\|u00[01][0-9a-f])|\x7f/g, (found) => CONTROLS[found] ?? found.replace("u00", "x"))
    .replace(/[^ \P{Z}]|\p{Cc}|\p{Cf}/gu, (found) => goEscape(found.codePointAt(0) ?? 0));
}

/** Returns Go's escape of an invisible character. */
function goEscape(code: number): string {
  const digits = code.toString(16);
  return code < 0x10000 ? `\\u${digits.padStart(4, "0")}` : `\\U${digits.padStart(8, "0")}`;
}

const CONTROLS: Readonly<Record<string, string>> = { "\\u0007": "\\a", "\\u000b": "\\v", "\x7f": "\\x7f" };

/** Returns the name of a JSON type in the errors of Go's decoder. */
export function goTypeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** Reports whether nothing needs sorting: a scalar, or an object of scalars that is in order. */
function isSorted(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return false;
  let last = "";
  for (const key in value) {
    const member = (value as JsonObject)[key];
    if (key < last || (typeof member === "object" && member !== null)) return false;
    last = key;
  }
  return true;
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, sortKeys(value[key])]),
  );
}

const HTML = /[<>&\u2028\u2029]/;

function escapeHtml(text: string): string {
  if (!HTML.test(text)) return text;
  return text.replace(new RegExp(HTML, "g"), (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Returns a value as Go's `%v` prints it. */
export function goValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goValue).join(" ")}]`;
  if (!isObject(value)) return value === null || value === undefined ? "<nil>" : String(value);
  const members = Object.keys(value).toSorted();
  return `map[${members.map((key) => `${key}:${goValue(value[key])}`).join(" ")}]`;
}

/** Returns the type of a decoded JSON value as Go's `%T` prints it. */
export function goDynamicType(value: unknown): string {
  if (Array.isArray(value)) return "[]interface {}";
  if (isObject(value)) return "map[string]interface {}";
  if (typeof value === "boolean") return "bool";
  if (value === null) return "<nil>";
  return typeof value === "number" ? (Number.isInteger(value) ? "int64" : "float64") : typeof value;
}
