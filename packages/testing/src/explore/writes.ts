/** What of an operator's requests an exploration looks at. */
import type { ApiRequest } from "@treadle/apimachinery";
import type { Target } from "./journal.ts";

const WRITES: ReadonlySet<string> = new Set(["create", "update", "patch", "apply", "delete"]);
/** What operators write about themselves: no part of what they keep. */
const ASIDE: ReadonlySet<string> = new Set(["events", "leases"]);

export function isWrite({ verb, resource }: Target): boolean {
  return WRITES.has(verb) && !ASIDE.has(resource);
}

/** The same for the same request tried again. */
export function requestId({ method, path, body = "" }: ApiRequest): string {
  return `${method} ${path} ${body}`;
}
