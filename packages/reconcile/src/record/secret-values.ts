/**
 * The values of Secrets that one pass has read. Steps hand texts to the engine in a few places: reasons, messages, notes of
 * events, log lines and errors. There every value is replaced: plain, in base64 and in URL encoding.
 *
 * Texts of the engine are not modified: their quotes of a step were cleaned when the step handed them over.
 */
import type { KubernetesObject } from "@treadle/apimachinery";

/** The number of characters from which a value is replaced everywhere. A shorter one is replaced where it is a whole value. */
const MIN_LENGTH = 6;

const HIDDEN = "<redacted>";

export class SecretValues {
  /** The forms of all values, longest first: a value may contain another one. */
  #long: readonly string[] = [];
  #short: readonly RegExp[] = [];
  /** Made for the first Secret, because most passes read none. */
  #known: Set<string> | undefined;
  #objects: WeakSet<object> | undefined;

  /** Notes the values of `object` when it is a Secret, or of each object of a list. */
  note(value: unknown): void {
    if (Array.isArray(value)) for (const each of value) this.note(each);
    if (!isSecret(value) || this.#objects?.has(value) === true) return;
    (this.#objects ??= new WeakSet()).add(value);
    for (const encoded of Object.values(value.data ?? {})) if (typeof encoded === "string") this.#add(plainOf(encoded), encoded);
    for (const plain of Object.values(value.stringData ?? {})) if (typeof plain === "string") this.#add(plain, undefined);
  }

  /** Returns `text` without the values. */
  hide(text: string): string {
    if (this.#known === undefined || typeof text !== "string") return text;
    let hidden = text;
    for (const form of this.#long) if (hidden.includes(form)) hidden = hidden.replaceAll(form, HIDDEN);
    for (const pattern of this.#short) hidden = hidden.replace(pattern, `$1${HIDDEN}`);
    return hidden;
  }

  /** Returns a copy of `value` with all its texts hidden; the same value if there is nothing to hide. */
  hideIn<T>(value: T): T {
    return this.#known === undefined ? value : (this.#hiddenIn(value, []) as T);
  }

  /**
   * Hides the values in an error, in place: in its message, stack, fields and causes. Returns the error, or a new one if the error
   * cannot be changed. Never throws.
   */
  hideInError(error: Error): Error {
    if (this.#known === undefined) return error;
    this.#cleanError(error, []);
    const message = this.hide(error.message);
    return message === error.message ? error : Object.assign(new Error(message), "code" in error ? { code: error.code } : {});
  }

  #add(plain: string | undefined, encoded: string | undefined): void {
    const known = (this.#known ??= new Set());
    for (const value of new Set([plain, plain?.trim()])) {
      if (value === undefined || value === "" || known.has(value)) continue;
      known.add(value);
      if (value.length < MIN_LENGTH) this.#short = [...this.#short, wholeValue(value)];
      else this.#addForms(formsOf(value));
    }
    // Binary data has no plain form.
    if (encoded !== undefined && encoded.length >= MIN_LENGTH && (plain === undefined || plain.length >= MIN_LENGTH)) {
      this.#addForms([encoded, encoded.replace(/=+$/, "")]);
    }
  }

  #addForms(forms: readonly string[]): void {
    this.#long = [...new Set([...this.#long, ...forms])]
      .filter((form) => form.length >= MIN_LENGTH)
      .toSorted((a, b) => b.length - a.length);
  }

  #hiddenIn(value: unknown, above: readonly unknown[]): unknown {
    if (typeof value === "string") return this.hide(value);
    if (typeof value !== "object" || value === null || above.includes(value) || above.length > MAX_DEPTH) return value;
    if (value instanceof Error) {
      this.#cleanError(value, above);
      return value;
    }
    const inner = [...above, value];
    if (Array.isArray(value)) return value.map((each) => this.#hiddenIn(each, inner));
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== null && prototype !== Object.prototype) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.#hiddenIn(each, inner)]));
  }

  #cleanError(error: unknown, above: readonly unknown[]): void {
    if (typeof error !== "object" || error === null || above.includes(error) || above.length > MAX_DEPTH) return;
    const inner = [...above, error];
    for (const key of new Set(["message", "stack", "cause", "errors", ...ownKeys(error)])) {
      try {
        const value: unknown = (error as Record<string, unknown>)[key];
        if (value instanceof Error) this.#cleanError(value, inner);
        else if (key === "errors" && Array.isArray(value)) for (const each of value) this.#cleanError(each, inner);
        else {
          const hidden = this.#hiddenIn(value, inner);
          if (hidden !== value && JSON.stringify(hidden) !== JSON.stringify(value)) (error as Record<string, unknown>)[key] = hidden;
        }
      } catch {
        // Read-only, or a getter that throws: it is not a text that anything prints.
      }
    }
  }
}

const MAX_DEPTH = 8;

interface SecretLike extends KubernetesObject {
  readonly data?: Readonly<Record<string, unknown>>;
  readonly stringData?: Readonly<Record<string, unknown>>;
}

function isSecret(value: unknown): value is SecretLike {
  const { kind, apiVersion } = (value ?? {}) as Partial<KubernetesObject>;
  return kind === "Secret" && apiVersion === "v1";
}

/** The text behind base64; `undefined` for binary data. */
function plainOf(encoded: string): string | undefined {
  const plain = Buffer.from(encoded, "base64").toString("utf8");
  return plain.includes("\uFFFD") ? undefined : plain;
}

/** A value in all forms in which texts may hold it. */
function formsOf(value: string): readonly string[] {
  const base64 = Buffer.from(value).toString("base64");
  const url = encodeURIComponent(value);
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    base64,
    base64.replace(/=+$/, ""),
    Buffer.from(value).toString("base64url"),
    url,
    url.replaceAll("%20", "+"),
    encodeURIComponent(base64),
  ];
}

/** A short value where it is a whole value of JSON, `key=value` or a header. */
function wholeValue(value: string): RegExp {
  const forms = [...new Set([value, encodeURIComponent(value), Buffer.from(value).toString("base64")])].map((form) =>
    form.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"),
  );
  return new RegExp(String.raw`((?:[\w.-]\\*["']?\s*[:=]\s*\\*["']?))(?:${forms.join("|")})(?=\\*["']|[\s,;&}\])]|$)`, "g");
}

function ownKeys(value: object): readonly string[] {
  try {
    return Object.keys(value);
  } catch {
    return [];
  }
}
