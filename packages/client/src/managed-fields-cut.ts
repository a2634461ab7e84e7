/**
 * Cuts managedFields out of the text of metadata-only answers before they are parsed. They are most of such an answer, and
 * nearly no reader needs them. With them an item takes 16 us to parse; without them 2 us, and the cut 4 us (docs/benchmarks.md, Causes).
 *
 * Only texts whose kind is PartialObjectMetadata are cut. There `,"managedFields":[` can be nothing else: metadata has no free
 * fields, and a quote inside of a text has a backslash before it. In a whole object, the spec may hold such a list.
 *
 * Guarantees
 * - Lists in which a kept manager may have an entry stay whole.
 * - A text of another form, such as one with blanks, is returned as it is.
 */

/** Returns `text`, an answer or a line of a watch, without managedFields in which none of the managers in `keep` has an entry. */
export function cutManagedFields(text: string, keep: readonly string[]): string {
  if (!OF_METADATA.test(text) || !keep.every((name) => PLAIN_NAME.test(name))) return text;
  const marks = keep.map((name) => `"manager":"${name}`);
  let cut = "";
  let from = 0;
  for (let at = text.indexOf(KEY); at >= 0; ) {
    const end = endOfValue(text, at + KEY.length - 1);
    if (end < 0) return text; // The parser finds what is wrong.
    const list = marks.length === 0 ? "" : text.slice(at, end);
    if (!marks.some((mark) => list.includes(mark))) {
      cut += text.slice(from, at);
      from = end;
    }
    at = text.indexOf(KEY, end);
  }
  return from === 0 ? text : cut + text.slice(from);
}

/** A list or an event of metadata, as Go writes it: the type comes first. */
const OF_METADATA =
  /^(?:\{"type":"(?:ADDED|MODIFIED|DELETED)","object":)?\{(?:"apiVersion":"[^"]*",)?"kind":"PartialObjectMetadata(?:List)?",/;
/** Go writes other characters of a name as escapes. */
const PLAIN_NAME = /^[\w./:-]+$/;
const KEY = ',"managedFields":[';

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Array.from('"\\[]{}', (char) => char.charCodeAt(0));

/** The index after the list or object that begins at `start`; -1 if it does not end. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      i = endOfString(text, i);
      if (i < 0) return -1;
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) depth++;
    else if ((code === CLOSE_LIST || code === CLOSE_OBJECT) && --depth === 0) return i + 1;
  }
  return -1;
}

/** The index of the quote that ends the string whose first quote is at `start`; -1 if it does not end. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return -1;
}
