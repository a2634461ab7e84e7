/** The error text for a handler that does not settle. */
import type { PassResult } from "@treadle/reconcile";

/** @param what the test helper and the key of the object */
export function unsettledText(what: string, last: Pick<PassResult, "outcome" | "requeue"> | undefined, passes: number): string {
  const end = last === undefined ? "" : `, the last one ended "${last.outcome.type}"`;
  const next = last?.requeue.type === "after" ? ` and requested another pass: ${last.requeue.reason}` : "";
  return `${what} does not settle: ${passes} passes at the same time${end}${next}. Each pass changes something or triggers another pass`;
}
