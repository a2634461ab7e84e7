/** The writes of an operator that an exploration counts. */
import type { ApiRequest } from "@treadle/apimachinery";
import type { Target } from "./journal.ts";

const WRITES: ReadonlySet<string> = new Set(["create", "update", "patch", "apply", "delete"]);
/** Objects by which operators report about themselves. */
const ASIDE: ReadonlySet<string> = new Set(["events", "leases"]);

/** Whether a request is a write that counts. */
export function isWrite({ verb, resource }: Target): boolean {
  return WRITES.has(verb) && !ASIDE.has(resource);
}

/** Returns an id that is the same for a retry of a request. */
export function requestId({ method, path, body = "" }: ApiRequest): string {
  return `${method} ${path} ${body}`;
}
