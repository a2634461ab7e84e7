/** Texts of plugins, and how messages show them. */

/** Maximum length of a quoted text, in characters. */
const MAX_LENGTH = 100;

/**
 * Returns a text in quotes, or its length if it is long. It is not cut: values of Secrets are hidden in messages later, and the beginning of
 * one would stay.
 */
export function quoted(value: unknown): string {
  const text = String(value);
  return text.length > MAX_LENGTH ? `a text of ${text.length} characters` : JSON.stringify(text);
}

/** Returns the message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns a text that is there twice. It reads each once: a plugin decides how many there are. */
export function repeatedIn(texts: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return texts.find((text) => seen.size === seen.add(text).size);
}
