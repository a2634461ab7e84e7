/** What is said of a handler that keeps itself awake. */
import type { PassResult } from "@treadle/reconcile";

/** @param who the helper that noticed, and the key */
export function restless(who: string, last: Pick<PassResult, "outcome" | "requeue"> | undefined, passes: number): string {
  const end = last === undefined ? "" : `, the last ended "${last.outcome.type}"`;
  const again = last?.requeue.type === "after" ? ` and asked for another at once: ${last.requeue.reason}` : "";
  return `${who} does not come to rest: ${passes} passes${end}${again}. Every pass changes something, or wakes itself`;
}
