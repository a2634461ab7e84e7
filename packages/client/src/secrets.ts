/** The contents of Secrets, which errors must not repeat. */
import type { Kind } from "@treadle/apimachinery";

/** Shorter values are not hidden, since they may be parts of any message. */
const MIN_LENGTH = 4;

/** The values in a written Secret or in a patch of a Secret: as sent, encoded, decoded and quoted. Empty for other kinds. */
export function secretValues(kind: Kind, written: object): readonly string[] {
  if (kind.group !== "" || kind.kind !== "Secret") return [];
  const found = new Set<string>();
  collect(written, found);
  // Longest first, so that a value that contains another value is hidden completely.
  return [...found].sort((a, b) => b.length - a.length);
}

const CONTENTS: ReadonlySet<string> = new Set(["data", "stringData", "value"]);

/** Values are in `data`, `stringData` and, in a JSON patch, `value`. Metadata is not secret. */
function collect(node: unknown, found: Set<string>, isContent = false): void {
  if (typeof node === "string") {
    if (!isContent) return;
    for (const text of formsOf(node)) if (text.length >= MIN_LENGTH) found.add(text);
  } else if (typeof node === "object" && node !== null) {
    for (const [key, value] of Object.entries(node)) collect(value, found, isContent || CONTENTS.has(key));
  }
}

function formsOf(value: string): readonly string[] {
  const decoded = Buffer.from(value, "base64").toString("utf8");
  return [value, decoded, Buffer.from(value).toString("base64"), JSON.stringify(value).slice(1, -1), JSON.stringify(decoded).slice(1, -1)];
}
