/**
 * What an answer with a status of success must hold. A proxy's page, an empty object or a list of nothing taken for an
 * answer would mean "there are none" or "it is done".
 */
import { isFields } from "./status.ts";

/** The JSON in `body`, or `undefined` where it is none; the parser's own words would quote the body, so they are not kept. */
export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Why `answer` is not what an API server answers to `verb`, as the end of "which is"; `undefined` when it is. */
export function problemOf(
  answer: unknown,
  asked: { readonly verb: string; readonly subresource?: string | undefined },
): string | undefined {
  if (!isFields(answer)) return "not a JSON object";
  if (typeof answer["kind"] !== "string" || answer["kind"] === "") return "an object without kind";
  if (asked.verb === "list") return problemOfList(answer);
  if (answer["kind"] !== "Status") return undefined;
  if (answer["status"] === "Failure") return "a Status of failure";
  // The answer to a deletion, and to what is made of an object: `pods/eviction`, `pods/binding`.
  return asked.verb === "delete" || (asked.verb === "create" && asked.subresource !== undefined)
    ? undefined
    : "a Status and not the object";
}

function problemOfList({ items }: Readonly<Record<string, unknown>>): string | undefined {
  // A server written in Go says null for a list of which it made none.
  if (items === null) return undefined;
  if (!Array.isArray(items)) return "an object without a list of items";
  return items.every(isFields) ? undefined : "a list with items that are no objects";
}
