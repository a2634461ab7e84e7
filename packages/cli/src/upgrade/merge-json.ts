/** Three-way merge of JSON by its keys. */
import { isDeepStrictEqual } from "node:util";
import { isRecord, valueAt } from "../json.ts";

/** Returns the merged document; `undefined` if both sides changed one value, or a text is not JSON. The order is that of `mine`. */
export function mergedJson(texts: { readonly base: string; readonly mine: string; readonly next: string }): string | undefined {
  try {
    const merged = mergedValue(JSON.parse(texts.base), JSON.parse(texts.mine), JSON.parse(texts.next));
    return `${JSON.stringify(merged, undefined, indentOf(texts.mine))}\n`;
  } catch (error) {
    if (error instanceof ValueConflict || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

class ValueConflict extends Error {
  override readonly name = "ValueConflict";
}

/** `undefined` is an absent value. */
function mergedValue(base: unknown, mine: unknown, next: unknown): unknown {
  if (isDeepStrictEqual(mine, next) || isDeepStrictEqual(next, base)) return mine;
  if (isDeepStrictEqual(mine, base)) return next;
  if (!isRecord(mine) || !isRecord(next)) throw new ValueConflict("both sides changed a value");
  const before = isRecord(base) ? base : {};
  const keys = [...new Set([...Object.keys(mine), ...Object.keys(next)])];
  const entries = keys.map((key) => [key, mergedValue(valueAt(before, key), valueAt(mine, key), valueAt(next, key))] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function indentOf(text: string): string {
  return /^\{\r?\n([ \t]+)/.exec(text)?.[1] ?? "  ";
}
