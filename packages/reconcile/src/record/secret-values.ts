/**
 * The values of Secrets that one pass has read or written. Steps hand texts to the engine in a few places: reasons, messages,
 * notes of events, log lines and errors. There every value is replaced, in plain, in base64 and in URL encoding.
 *
 * Sentences of the engine are not touched: what they quote of a step was cleaned when the step handed it over.
 */
import { inspect } from "node:util";
import type { KubernetesObject } from "@treadle/apimachinery";
import { isReconcileError } from "../errors.ts";
import { HIDDEN, SecretForms, type SecretLike } from "./secret-forms.ts";

/** Holds the values of Secrets, and replaces them in texts, values and errors. */
export class SecretValues {
  readonly #objects = new WeakSet<object>();
  readonly #texts = new WeakSet<readonly string[]>();
  /** What is noted and not yet in the forms: most passes hide nothing. */
  #pending: (SecretLike | readonly string[])[] = [];
  readonly #forms: SecretForms;

  /** @param names public texts, such as the name of the owner: a value that equals one is not hidden, because the text is known anyway */
  constructor(names: readonly string[] = []) {
    this.#forms = new SecretForms(names);
  }

  /** Number of forms that are hidden. */
  get size(): number {
    return this.#current().size;
  }

  /** Notes the values of a Secret, or of each Secret of a list. */
  note(value: unknown): void {
    if (Array.isArray(value)) for (const each of value) this.note(each);
    else if (typeof value === "object" && value !== null && !this.#objects.has(value)) {
      this.#objects.add(value);
      this.#pending.push(value as SecretLike);
    }
  }

  /** Notes texts that were made of Secrets. The same list is noted once. */
  noteTexts(texts: readonly string[]): void {
    if (this.#texts.has(texts)) return;
    this.#texts.add(texts);
    this.#pending.push(texts);
  }

  /** Returns `text` without the values. */
  hide(text: string): string {
    return typeof text !== "string" || text === "" ? text : this.#current().hide(text);
  }

  #current(): SecretForms {
    for (const each of this.#pending)
      if (Array.isArray(each)) for (const text of each) this.#forms.addText(text as string);
      else this.#forms.addSecret(each as SecretLike);
    this.#pending = [];
    return this.#forms;
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

/** Returns values for a pass of `object`. Its names are public: they are in each log line, and in the names of other objects. */
export function secretValuesFor({ metadata: { name, namespace = "" } }: KubernetesObject): SecretValues {
  return new SecretValues([name, namespace]);
}

const MAX_DEPTH = 8;
const MAX_ERROR_DEPTH = 64;

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
