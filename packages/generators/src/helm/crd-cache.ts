/**
 * The CRDs in outputs of Helm, after parsing. They are most of the output of many charts, they are the same for all owners, and to parse
 * them takes longer than Helm needs for the chart. Other documents may have secrets and are not kept.
 */
import { createHash } from "node:crypto";

/** The CRDs of all charts of an operator, the least recently used ones first. */
export class CrdCache {
  readonly #maxLength: number;
  /** JSON by the digest of the YAML. */
  readonly #found = new Map<string, string>();
  #length = 0;

  /** @param maxLength maximum length of all CRDs as JSON, in characters */
  constructor(maxLength: number = 16 * 1024 * 1024) {
    this.#maxLength = maxLength;
  }

  /** Returns the objects of a document, each time as a copy. `parse` is called for a text that is not known. */
  read(text: string, parse: (text: string) => readonly unknown[]): readonly unknown[] {
    const key = createHash("sha256").update(text).digest("base64");
    const known = this.#found.get(key);
    if (known !== undefined) {
      this.#found.delete(key);
      this.#found.set(key, known);
      return JSON.parse(known) as readonly unknown[]; // as parse() returned it
    }
    const values = parse(text);
    // A broken document has no objects, and its problem is reported each time.
    if (values.length > 0 && values.every(isCrd)) this.#add(key, JSON.stringify(values));
    return values;
  }

  #add(key: string, json: string): void {
    this.#found.set(key, json);
    this.#length += json.length;
    for (const [oldest, { length }] of this.#found) {
      if (this.#length <= this.#maxLength) return;
      this.#found.delete(oldest);
      this.#length -= length;
    }
  }
}

/** Whether a document may be kept. */
export function mayBeCrd(text: string): boolean {
  return text.includes("CustomResourceDefinition");
}

function isCrd(value: unknown): boolean {
  return typeof value === "object" && value !== null && (value as { readonly kind?: unknown }).kind === "CustomResourceDefinition";
}
