/** What a server warns of beside its answer: deprecated versions, fields that it does not know. */
import type { ApiResponse } from "@treadle/apimachinery";

/** So many different ones are remembered; a server that says something else each time is heard from then on. */
const MAX_REMEMBERED = 1_000;
/** Code, agent (any word) and text in quotes, with or without a date (RFC 7234, 5.5). */
const WARNING = /\b299 \S+ "((?:[^"\\]|\\.)*)"/g;

/** Tells `tell` of each different warning once. */
export class Warnings {
  readonly #tell: (text: string) => void;
  readonly #told = new Set<string>();

  constructor(tell: (text: string) => void) {
    this.#tell = tell;
  }

  note({ headers }: Pick<ApiResponse, "headers">): void {
    const header = headers["warning"];
    if (header === undefined) return;
    for (const text of warningsIn(header)) {
      if (this.#told.has(text)) continue;
      if (this.#told.size >= MAX_REMEMBERED) this.#told.clear();
      this.#told.add(text);
      this.#tell(text);
    }
  }
}

/** The texts in a `Warning` header of one or several; what is none is left out. */
export function warningsIn(header: string): readonly string[] {
  return [...header.matchAll(WARNING)].map(([, text = ""]) => text.replace(/\\(.)/g, "$1"));
}
