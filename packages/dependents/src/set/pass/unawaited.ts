/** The objects of a set that it does not wait for: they have no entry, and their failures are logged and retried. */
import { isTerminalError } from "@treadle/reconcile";
import { requestedDelayOf } from "@treadle/reconcile/unstable/engine";
import { backoffMs, logUnawaited } from "../../retry-later.ts";
import { OUTDATED } from "./author-state.ts";
import type { Outcome } from "./outcome.ts";
import type { Run, SetDoReq } from "./run.ts";

/** Logs what is not as desired, and asks for a pass that tries again. */
export function retryUnawaited({ memory, req, pass }: Run<SetDoReq>, outcomes: readonly Outcome[]): void {
  const notReady = outcomes.filter(({ member, isReady }) => !member.isChecked && !isReady);
  const lagging = notReady.filter(({ error, again }) => error !== undefined || again === "backoff");
  for (const { member, error, state, again } of notReady) {
    if (error !== undefined) logUnawaited(req.log, member.kind, pass.hideIn(error));
    else if (again === "backoff" && state.reason !== OUTDATED)
      req.log.warn({ reason: state.reason, kind: member.kind.kind }, pass.hide(state.message));
    if (typeof again === "number") req.revisit(again, state.reason);
  }
  if (lagging.every(({ error }) => error !== undefined && isTerminalError(error))) {
    if (lagging.length === 0) memory.failures = 0;
    return;
  }
  const errors = lagging.flatMap(({ error }) => (error === undefined ? [] : [error]));
  req.revisit(requestedDelayOf(errors) ?? backoffMs(memory.failures), "to apply objects that the set does not wait for");
  memory.failures += 1;
}
