/** The forms in which texts may hold the values of Secrets, and their replacement. The cost of a text does not grow with their number. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { longestAt, type SortedForm, sortedForms } from "./longest-form.ts";

/** What stands in a text in place of a value. */
export const HIDDEN = "<redacted>";

/** The parts of a Secret that count. */
export interface SecretLike extends KubernetesObject {
  readonly data?: Readonly<Record<string, unknown>>;
  readonly stringData?: Readonly<Record<string, unknown>>;
}

/** A value of at least so many characters is replaced wherever it is; a shorter one where it is a whole value. */
const MIN_LENGTH = 6;
/** Up to so many forms, a search for each is faster than one for all. */
const FEW = 64;

/** Values of Secrets in all of their forms. */
export class SecretForms {
  /** The forms of long values by their first characters. */
  readonly #long = new Map<string, Set<string>>();
  /** Those of them that were searched for, sorted. */
  readonly #sorted = new Map<string, readonly SortedForm[]>();
  /** The first of them. */
  readonly #few: string[] = [];
  /** The short values themselves. */
  readonly #whole = new Set<string>();
  /** The short values where they are whole values of a text. */
  #short: RegExp | undefined;
  readonly #names: ReadonlySet<string>;
  #size = 0;

  /** @param names values that equal one are not hidden */
  constructor(names: readonly string[]) {
    this.#names = new Set(names);
  }

  /** Number of forms. */
  get size(): number {
    return this.#size + this.#whole.size;
  }

  /** Adds the values of a Secret. */
  addSecret({ data, stringData }: SecretLike): void {
    for (const encoded of Object.values(data ?? {})) {
      if (typeof encoded !== "string") continue;
      const plain = plainOf(encoded);
      if (plain !== undefined) this.addText(plain);
      if (plain === undefined || (plain.length >= MIN_LENGTH && !this.#isName(plain)))
        for (const form of [encoded, encoded.replace(/=+$/, "")]) this.#addForm(form);
    }
    for (const plain of Object.values(stringData ?? {})) if (typeof plain === "string") this.addText(plain);
  }

  /** Adds a value. */
  addText(plain: string): void {
    if (this.#isName(plain)) return;
    for (const value of new Set([plain, plain.trim()])) {
      if (value === "") continue;
      if (value.length >= MIN_LENGTH) for (const form of formsOf(value)) this.#addForm(form);
      else for (const form of [value, base64Of(value)]) this.#whole.add(form);
      if (value.length < MIN_LENGTH) this.#short = undefined;
    }
  }

  /** Returns `text` without the values. */
  hide(text: string): string {
    if (this.#whole.has(text)) return HIDDEN;
    const hidden = this.#withoutLong(text);
    if (this.#whole.size === 0) return hidden;
    this.#short ??= wholeValues([...this.#whole]);
    return hidden.replace(this.#short, `$1${HIDDEN}`);
  }

  /** Values that overlap are replaced as one. */
  #withoutLong(text: string): string {
    if (this.#size <= FEW && !this.#few.some((form) => text.includes(form))) return text;
    let [hidden, copied, begin, end] = ["", 0, 0, 0];
    const replace = (): void => {
      if (end > begin) hidden += text.slice(copied, begin) + HIDDEN;
      if (end > begin) copied = end;
    };
    for (let at = 0; at + MIN_LENGTH <= text.length; at++) {
      // A value may contain another one.
      const length = this.#lengthAt(text, at);
      if (length === 0) continue;
      if (at >= end) {
        replace();
        begin = at;
      }
      end = Math.max(end, at + length);
    }
    replace();
    return hidden + text.slice(copied);
  }

  /** Returns the length of the longest form at a position; 0 without one. */
  #lengthAt(text: string, at: number): number {
    const start = text.slice(at, at + MIN_LENGTH);
    const forms = this.#long.get(start);
    if (forms === undefined) return 0;
    let sorted = this.#sorted.get(start);
    if (sorted === undefined) this.#sorted.set(start, (sorted = sortedForms(forms)));
    return longestAt(sorted, text, at);
  }

  #isName(plain: string): boolean {
    return this.#names.has(plain.trim());
  }

  #addForm(form: string): void {
    if (form.length < MIN_LENGTH) return;
    const start = form.slice(0, MIN_LENGTH);
    const forms = this.#long.get(start);
    if (forms?.has(form) === true) return;
    if (forms === undefined) this.#long.set(start, new Set([form]));
    else forms.add(form);
    this.#sorted.delete(start);
    this.#size += 1;
    if (this.#few.length < FEW) this.#few.push(form);
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
