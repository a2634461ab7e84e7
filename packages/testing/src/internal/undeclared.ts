/** What steps read of kinds that nothing declares: kept for the test, and said aloud, each once. */
import type { UndeclaredUse } from "@treadle/reconcile";

/** Returns what a reconciler is to call; it fills `uses`. */
export function collectUndeclared(uses: UndeclaredUse[]): (use: UndeclaredUse) => void {
  const seen = new Set<string>();
  return (use) => {
    const { handler, step, verb, kind } = use;
    const id = JSON.stringify([handler, step, verb, kind]);
    if (seen.has(id)) return;
    seen.add(id);
    uses.push(use);
    process.emitWarning(
      `step "${step}" of handler "${handler}" calls req.client.${verb} of ${kind}, which the handler does not declare: no change of it wakes anybody, and the generated RBAC does not allow it. Declare it by reads, owns, watch() or permissions`,
      "TreadleWarning",
    );
  };
}
