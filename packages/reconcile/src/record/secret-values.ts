/**
 * The values of Secrets that one pass has read or written. Steps hand texts to the engine in a few places: reasons, messages,
 * notes of events, log lines and errors. There every value is replaced, in plain, in base64 and in URL encoding.
 *
 * Sentences of the engine are not touched: what they quote of a step was cleaned when the step handed it over.
 */
import { inspect } from "node:util";
import type { KubernetesObject } from "@treadle/apimachinery";
import { isReconcileError } from "../errors.ts";

/** A value of at least so many characters is replaced wherever it is; a shorter one where it is a whole value. */
const MIN_LENGTH = 6;

const HIDDEN = "<redacted>";

/** Holds the values of Secrets, and replaces them in texts, values and errors. */
export class SecretValues {
  readonly #names: ReadonlySet<string>;
  readonly #objects = new Set<SecretLike>();
  readonly #texts = new Set<readonly string[]>();
  /** Made when a text is hidden for the first time: most passes hand over none. */
  #forms: Forms | undefined;

  /** `names` are no secrets, also if a Secret has one as a value, such as a user with the name of its object. */
  constructor(names: readonly string[] = []) {
    this.#names = new Set(names);
  }

  /** Notes the values of a Secret, or of each Secret of a list. */
  note(value: unknown): void {
    if (Array.isArray(value)) for (const each of value) this.note(each);
    else if (typeof value === "object" && value !== null && !this.#objects.has(value as SecretLike)) {
      this.#objects.add(value as SecretLike);
      this.#forms = undefined;
    }
  }

  /** Notes texts that were made of Secrets. The same list is noted once. */
  noteTexts(texts: readonly string[]): void {
    if (this.#texts.has(texts)) return;
    this.#texts.add(texts);
    this.#forms = undefined;
  }

  /** Returns `text` without the values. */
  hide(text: string): string {
    if (typeof text !== "string" || text === "") return text;
    const { long, short, whole } = (this.#forms ??= formsIn(this.#objects, this.#texts, this.#names));
    if (whole.has(text)) return HIDDEN;
    let hidden = text;
    for (const form of long) if (hidden.includes(form)) hidden = hidden.replaceAll(form, HIDDEN);
    if (short !== undefined) hidden = hidden.replace(short, `$1${HIDDEN}`);
    return hidden;
  }

  /** The same for every text in a value, keys included, as a copy; the very same value where there is nothing to hide. */
  hideIn<T>(value: T): T {
    return this.#cleaned(value, []) as T;
  }

  /** The same for an error: its message, stack, fields, causes and the errors that it holds. Never throws. */
  hideInError(error: Error): Error {
    return this.#cleanedError(error, []);
  }

  #cleaned(value: unknown, above: readonly unknown[]): unknown {
    if (typeof value === "string") return this.hide(value);
    if (typeof value === "number" || typeof value === "bigint") return this.hide(String(value)) === HIDDEN ? HIDDEN : value;
    if (typeof value !== "object" || value === null) return value;
    if (above.includes(value)) return value;
    if (value instanceof Error) return this.#cleanedError(value, above);
    // Deeper, or of a class: as the text that a logger would make of it.
    if (above.length >= MAX_DEPTH || !isPlain(value)) return this.#cleanedText(value);
    const inner = [...above, value];
    if (Array.isArray(value)) {
      const list = value.map((each) => this.#cleaned(each, inner));
      return list.every((each, i) => each === value[i]) ? value : list;
    }
    const entries = Object.entries(value);
    const cleaned = entries.map(([key, each]) => [this.hide(key), this.#cleaned(each, inner)] as const);
    return cleaned.every(([key, each], i) => key === entries[i]?.[0] && each === entries[i][1]) ? value : Object.fromEntries(cleaned);
  }

  #cleanedText(value: object): unknown {
    const texts = [() => JSON.stringify(value), () => String(value), () => inspect(value, { depth: MAX_DEPTH })].map(textOf);
    for (const text of texts) if (this.hide(text) !== text) return this.hide(text);
    return value;
  }

  /** The error itself where there is nothing to hide; else a copy with its class, brands and other fields. */
  #cleanedError(error: Error, above: readonly unknown[]): Error {
    if (above.includes(error)) return error;
    if (above.length >= MAX_ERROR_DEPTH) return new Error(HIDDEN);
    const inner = [...above, error];
    const changes = new Map<string | symbol, unknown>();
    for (const key of new Set(["message", "stack", "cause", "errors", ...keysOf(error)])) {
      // What programs ask for is no text of a step; and a sentence of the engine holds none.
      if (key === "name" || key === "code" || key === "reason" || typeof key === "symbol") continue;
      if (isReconcileError(error) && key !== "cause") continue;
      const value = read(error, key);
      const cleaned = value instanceof Error ? this.#cleanedError(value, inner) : this.#cleanedMember(key, value, inner);
      if (cleaned !== value) changes.set(key, cleaned);
    }
    return changes.size === 0 ? error : copyOf(error, changes);
  }

  #cleanedMember(key: string, value: unknown, above: readonly unknown[]): unknown {
    if (key !== "errors" || !Array.isArray(value)) return this.#cleaned(value, above);
    const errors = value.map((each) => (each instanceof Error ? this.#cleanedError(each, above) : this.#cleaned(each, above)));
    return errors.every((each, i) => each === value[i]) ? value : errors;
  }
}

/** Returns where a pass notes values. The name of its object is in names of other objects, and cannot be kept secret. */
export function secretValuesFor({ metadata: { name, namespace = "" } }: KubernetesObject): SecretValues {
  return new SecretValues([name, namespace]);
}

const MAX_DEPTH = 8;
const MAX_ERROR_DEPTH = 64;

interface SecretLike extends KubernetesObject {
  readonly data?: Readonly<Record<string, unknown>>;
  readonly stringData?: Readonly<Record<string, unknown>>;
}

interface Forms {
  /** All forms of the long values, the longest first: a value may contain another one. */
  readonly long: readonly string[];
  /** The short values where they are whole values of a text. */
  readonly short: RegExp | undefined;
  /** The short values themselves. */
  readonly whole: ReadonlySet<string>;
}

function formsIn(objects: Iterable<SecretLike>, texts: Iterable<readonly string[]>, names: ReadonlySet<string>): Forms {
  const long = new Set<string>();
  const whole = new Set<string>();
  for (const { data, stringData } of objects) {
    for (const encoded of Object.values(data ?? {})) {
      if (typeof encoded !== "string") continue;
      const plain = plainOf(encoded);
      if (plain !== undefined && names.has(plain.trim())) continue;
      for (const form of [encoded, encoded.replace(/=+$/, "")]) if (plain === undefined || plain.length >= MIN_LENGTH) add(form);
      if (plain !== undefined) addPlain(plain);
    }
    for (const plain of Object.values(stringData ?? {})) if (typeof plain === "string") addPlain(plain);
  }
  for (const list of texts) list.forEach(addPlain);
  const short = whole.size === 0 ? undefined : wholeValues([...whole]);
  return { long: [...long].toSorted((a, b) => b.length - a.length), short, whole };

  function addPlain(plain: string): void {
    for (const value of new Set([plain, plain.trim()])) {
      if (value === "" || names.has(value)) continue;
      if (value.length < MIN_LENGTH) for (const form of [value, base64Of(value)]) whole.add(form);
      else for (const form of formsOf(value)) add(form);
    }
  }

  function add(form: string): void {
    if (form.length >= MIN_LENGTH) long.add(form);
  }
}

/** The text behind base64; `undefined` for binary data. */
function plainOf(encoded: string): string | undefined {
  const plain = Buffer.from(encoded, "base64").toString("utf8");
  return plain.includes("\uFFFD") ? undefined : plain;
}

function base64Of(value: string): string {
  return Buffer.from(value).toString("base64");
}

/** A value in all forms in which texts may hold it. */
function formsOf(value: string): readonly string[] {
  const base64 = base64Of(value);
  const url = encodeURIComponent(wellFormed(value));
  const form = new URLSearchParams({ v: value }).toString().slice(2);
  const json = JSON.stringify(value).slice(1, -1);
  const lower = (text: string): string => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  return [
    value,
    json,
    JSON.stringify(json).slice(1, -1),
    value.trim().replace(/\s*[\r\n]+\s*/g, " "),
    base64,
    base64.replace(/=+$/, ""),
    Buffer.from(value).toString("base64url"),
    url,
    lower(url),
    form,
    lower(form),
    encodeURI(wellFormed(value)),
    encodeURIComponent(base64),
  ];
}

/** encodeURIComponent() throws for half a character. */
function wellFormed(value: string): string {
  return value.toWellFormed();
}

/** Short values where they are whole values of JSON, `key=value` or a header. */
function wholeValues(values: readonly string[]): RegExp {
  const forms = [...new Set(values.flatMap((value) => [value, encodeURIComponent(wellFormed(value))]))].toSorted(
    (a, b) => b.length - a.length,
  );
  const any = forms.map((form) => form.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")).join("|");
  const before = String.raw`[\w.-]\\*["']?\s*[:=]\s*\\*["']?|[[,]\s*\\*["']`;
  return new RegExp(String.raw`(${before})(?:${any})(?=\\*["']|[\s,;&}\])]|$)`, "g");
}

function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === null || prototype === Object.prototype) && typeof (value as { toJSON?: unknown }).toJSON !== "function";
}

function copyOf(error: Error, changes: ReadonlyMap<string | symbol, unknown>): Error {
  const copy = Object.create(Object.getPrototypeOf(error) as object) as Error;
  for (const key of new Set<string | symbol>([...keysOf(error), ...changes.keys()])) {
    const value = changes.has(key) ? changes.get(key) : read(error, key);
    Object.defineProperty(copy, key, { value, configurable: true, writable: true, enumerable: isEnumerable(error, key) });
  }
  return copy;
}

function keysOf(value: object): readonly (string | symbol)[] {
  try {
    return Reflect.ownKeys(value);
  } catch {
    return []; // A proxy that refuses.
  }
}

function isEnumerable(value: object, key: string | symbol): boolean {
  try {
    return Object.prototype.propertyIsEnumerable.call(value, key);
  } catch {
    return false;
  }
}

function read(value: object, key: string | symbol): unknown {
  try {
    return (value as Record<string | symbol, unknown>)[key];
  } catch {
    return undefined; // A getter that throws.
  }
}

function textOf(make: () => unknown): string {
  try {
    const text = make();
    return typeof text === "string" ? text : "";
  } catch {
    return "";
  }
}
