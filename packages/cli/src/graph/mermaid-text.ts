/** Texts of users as labels of Mermaid. Pure functions. */

/** Longer texts make a node that no screen shows. `-o json` has all of a text. */
const MAX_TEXT = 80;

/**
 * Signs that Mermaid reads as its own, also inside quotes: ends of texts, entities, tags, Markdown and directives. A colon is one, because
 * Mermaid damages entities behind `style` and a colon.
 */
const SIGNS = /["#&<>`%\\:;]/g;
/** Line breaks, control signs, and signs that change the direction of the text after them. */
const INVISIBLE = /[\p{Cc}\u2028\u2029\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu;

/** Returns a text in one line. Line breaks become spaces, and a long text ends with an ellipsis. */
export function shortText(text: string): string {
  const signs = [...text.toWellFormed().replace(INVISIBLE, " ").trim()];
  return signs.length > MAX_TEXT ? `${signs.slice(0, MAX_TEXT - 1).join("")}…` : signs.join("");
}

/** Returns a {@link shortText} for the inside of a quoted label. */
export function labelText(text: string): string {
  return shortText(text).replace(SIGNS, (sign) => `#${sign.codePointAt(0)};`);
}

/** Returns a quoted label of lines, which are {@link labelText}s and our own words. */
export function label(lines: readonly string[]): string {
  return `"${lines.filter((line) => line !== "").join("<br/>")}"`;
}
