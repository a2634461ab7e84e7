/** The warnings of one review, within the limits of the API server. */

/** The longest warning, in characters. The API server cuts there when there are many. */
const MAX_WARNING = 256;

/** `maxTotalWarningLength` of k8s.io/apiserver, for all warnings of a request. */
const MAX_ALL = 4_096;

/** Collects the warnings of one review. */
export class Warnings {
  readonly #texts: string[] = [];
  readonly #hide: (text: string) => string;
  #length = 0;
  #isClosed = false;

  /** @param hide removes secrets from a text. A secret that was cut before could not be found */
  constructor(hide: (text: string) => string) {
    this.#hide = hide;
  }

  /** Adds a warning. It is cut at the limits. An empty text, a repetition, and a warning after the end of the review are dropped. */
  add(text: unknown): void {
    if (typeof text !== "string") throw new TypeError(`warn: the warning must be a text, not a value of type ${typeof text}`);
    const line = oneLine(this.#hide(text));
    const cut = cutAt(line, Math.min(MAX_WARNING, MAX_ALL - this.#length));
    if (this.#isClosed || cut === "" || this.#texts.includes(cut)) return;
    this.#texts.push(cut);
    this.#length += cut.length;
  }

  /** Drops all warnings that follow: their review is over. */
  close(): void {
    this.#isClosed = true;
  }

  get texts(): readonly string[] {
    return [...this.#texts];
  }
}

/** A header of HTTP carries the warning, so the API server drops one with control characters or with half a character. */
function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/\p{Cc}+/gu, " ")
    .trim();
}

/** Cuts by UTF-16 units, of which a text has at least as many as characters, and splits no character. */
function cutAt(text: string, max: number): string {
  if (text.length <= max) return text;
  if (max < 2) return "";
  return `${text
    .slice(0, max - 1)
    .replace(/[\uD800-\uDBFF]$/, "")
    .trimEnd()}…`;
}
