/** JSON that every reader of YAML understands as JSON. */

/** Returns a value as a text that YAML 1.1 reads as JSON does. YAML folds or refuses some characters that JSON allows. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value).replace(
    // oxlint-disable-next-line no-misleading-character-class -- single characters
    /[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g,
    (character) => `\\u${character.codePointAt(0)?.toString(16).padStart(4, "0")}`,
  );
}
