/** Warnings of a server in the headers of its answers: deprecated versions, unknown fields. */

/** Maximum number of remembered warnings. After that all are reported again. */
const MAX_REMEMBERED = 1_000;
/** Code, agent (any word) and quoted text, with or without a date (RFC 7234, 5.5). */
const WARNING = /\b299 \S+ "((?:[^"\\]|\\.)*)"/g;

/** Reports each different warning once. */
export class Warnings {
  readonly #tell: (text: string) => void;
  readonly #told = new Set<string>();

  constructor(tell: (text: string) => void) {
    this.#tell = tell;
  }

  /** Reads the header `Warning` of an answer. */
  note(header: string): void {
    for (const text of warningsIn(header)) {
      if (this.#told.has(text)) continue;
      if (this.#told.size >= MAX_REMEMBERED) this.#told.clear();
      this.#told.add(text);
      this.#tell(text);
    }
  }
}

/** The texts in a `Warning` header. Other values are ignored. */
export function warningsIn(header: string): readonly string[] {
  return [...header.matchAll(WARNING)].map(([, text = ""]) => text.replace(/\\(.)/g, "$1"));
}
