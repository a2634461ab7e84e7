/**
 * Checks of answers with a success status. Without them a proxy's page or an empty object would mean "no objects" or "done".
 */
import { isFields } from "./status.ts";

/** The JSON in `body`, or `undefined` for other texts. The parser's error quotes the body, so it is dropped. */
export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** What is wrong with `answer` as an answer to `verb`, to continue "which is"; `undefined` when nothing is wrong. */
export function problemOf(
  answer: unknown,
  asked: { readonly verb: string; readonly subresource?: string | undefined },
): string | undefined {
  if (!isFields(answer)) return "not a JSON object";
  if (typeof answer["kind"] !== "string" || answer["kind"] === "") return "an object without kind";
  if (asked.verb === "list") return problemOfList(answer);
  if (answer["kind"] !== "Status") return undefined;
  if (answer["status"] === "Failure") return "a Status of failure";
  // A Status answers a deletion, and a create of a subresource: `pods/eviction`, `pods/binding`.
  return asked.verb === "delete" || (asked.verb === "create" && asked.subresource !== undefined)
    ? undefined
    : "a Status and not the object";
}

function problemOfList({ items }: Readonly<Record<string, unknown>>): string | undefined {
  // A server written in Go sends null for an empty list.
  if (items === null) return undefined;
  if (!Array.isArray(items)) return "an object without a list of items";
  return items.every(isFields) ? undefined : "a list with items that are not objects";
}
