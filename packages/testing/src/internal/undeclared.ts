/** Records and warns about reads by `req.client` of kinds that a handler does not declare. */
import type { UndeclaredUse } from "@treadle/reconcile";

/** Returns a callback that adds each new use to `uses`. */
export function collectUndeclared(uses: UndeclaredUse[]): (use: UndeclaredUse) => void {
  const seen = new Set<string>();
  return (use) => {
    const { handler, step, verb, kind } = use;
    const id = JSON.stringify([handler, step, verb, kind]);
    if (seen.has(id)) return;
    seen.add(id);
    uses.push(use);
    process.emitWarning(
      `step "${step}" of handler "${handler}" calls req.client.${verb} of ${kind}, which the handler does not declare: a change of it triggers no pass, and the generated RBAC does not allow the read. Declare the kind by reads, owns, watch() or permissions`,
      "TreadleWarning",
    );
  };
}
