/**
 * Shows messages of Helm and Kustomize without values. Both quote values in their errors: parsed texts, what a loop runs over, and what authors put
 * into `fail`. The owner's condition may be read by more people than its Secrets.
 *
 * A word of a message is shown only if it is a word of the chart, a key of the values, or a word of the messages of Helm and Go. What is
 * a value of the parameters is not shown even then. So values that a template changed, such as by `b64enc`, are not shown either.
 */

import { KNOWN_WORDS } from "./known-words.ts";

/** The text in a message in place of what is not shown. */
const HIDDEN = "<value>";

/** What decides which words are shown. */
export interface SafeWords {
  /** The parameters, as JSON. */
  readonly values: unknown;
  /** The words of the chart. */
  readonly words: ReadonlySet<string>;
  /** Paths of files of the author. They are shown, also if a value is a part of them. @defaultValue none */
  readonly kept?: readonly string[];
}

/** The maximum length of a text that is shown, in characters. */
const MAX_LENGTH = 500;
/** A text of at least so many characters is hidden wherever it is; a shorter one where it is a whole word. */
const MIN_LENGTH = 4;

const WORD = /[\p{L}\p{N}_]+/gu;

/** Returns the words of a text, as {@link SafeWords.words} has them. */
export function wordsIn(text: string): readonly string[] {
  return text.match(WORD) ?? [];
}

/** Returns a message in one line, without values. */
export function safeText(text: string, { values, words, kept = [] }: SafeWords): string {
  const { leaves, keys } = partsOf(values);
  const beginning = text.slice(0, 20 * MAX_LENGTH).replaceAll(HIDDEN_WORD, " ");
  const paths = kept.filter((path) => path.includes(".") && beginning.includes(path)).toSorted((a, b) => b.length - a.length);
  if (paths.length === 0) return inOneLine(hidden(beginning, { leaves, keys, words }));
  // A value that contains the path is hidden as a whole.
  const around = new Set([...leaves].filter((leaf) => paths.some((path) => leaf !== path && leaf.includes(path))));
  const pattern = new RegExp(`(?<![^\\s'":(])(${paths.map(escaped).join("|")})(?![^\\s'":),])`, "u");
  const parts = withoutLeaves(beginning, around).split(pattern);
  return inOneLine(parts.map((part, i) => (i % 2 === 1 ? part : hidden(part, { leaves, keys, words }))).join(""));
}

/** Returns a text in which marks are in the place of values. */
function hidden(text: string, { leaves, keys, words }: Parts & Pick<SafeWords, "words">): string {
  return withoutLeaves(text, leaves).replace(WORD, (word) => {
    const isKnown = KNOWN_WORDS.has(word.toLowerCase()) || words.has(word) || keys.has(word) || /^(?:\d{1,5}|.)$/u.test(word);
    return isKnown ? word : HIDDEN_WORD;
  });
}

function inOneLine(shown: string): string {
  const line = shown
    .replaceAll(new RegExp(`${HIDDEN_WORD}(?:[^\\p{L}\\p{N}]*${HIDDEN_WORD})*`, "gu"), HIDDEN)
    .replace(/\s+/g, " ")
    .trim();
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}...` : line;
}

/** Replaces what is hidden while the text is changed: no text contains it. */
const HIDDEN_WORD = "\u{E000}";

function withoutLeaves(text: string, leaves: ReadonlySet<string>): string {
  let hidden = text;
  for (const leaf of [...leaves].toSorted((a, b) => b.length - a.length)) {
    if (!hidden.includes(leaf)) continue;
    if (leaf.length >= MIN_LENGTH) hidden = hidden.replaceAll(leaf, HIDDEN_WORD);
    else hidden = hidden.replace(new RegExp(`(?<![\\p{L}\\p{N}_])${escaped(leaf)}(?![\\p{L}\\p{N}_])`, "gu"), HIDDEN_WORD);
  }
  return hidden;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

interface Parts {
  /** Texts and numbers, in the forms in which messages quote them. */
  readonly leaves: ReadonlySet<string>;
  /** The words in the keys. */
  readonly keys: ReadonlySet<string>;
}

function partsOf(values: unknown): Parts {
  const leaves = new Set<string>();
  const keys = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value === "number") leaves.add(String(value));
    else if (typeof value === "string") for (const form of formsOf(value)) leaves.add(form);
    else if (Array.isArray(value)) for (const each of value) visit(each);
    else if (typeof value === "object" && value !== null)
      for (const [key, member] of Object.entries(value)) {
        for (const word of wordsIn(key)) keys.add(word);
        visit(member);
      }
  };
  visit(values);
  return { leaves, keys };
}

function formsOf(text: string): readonly string[] {
  const lines = text.split("\n").map((line) => line.trim());
  const forms = [text, text.trim(), JSON.stringify(text).slice(1, -1), Buffer.from(text).toString("base64"), ...lines];
  return forms.filter((form) => form !== "");
}
