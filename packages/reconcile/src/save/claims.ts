/** When marks with a former name of the handler are replaced by the present one. */
import type { Pass } from "../record/pass-state.ts";

/** The delay after which a mark that the old version wrote again is removed again. */
const CLAIM_AGAIN_MS = 600_000;
/** The time for which both versions may run in a rolling update without a leader election. */
const ROLLOUT_MS = 60_000;

/**
 * Tells whether to remove `what` in this pass: a mark with a former name next to ours. If it is too early, it requests a pass at the
 * right time. During a rollout the old version still works by its own marks. It would take an object without them for the object of
 * another operator, report that in the status, and write the marks again, so both versions would undo each other's work.
 */
export function claims(pass: Pass, what: string, { isNeededByOld }: { readonly isNeededByOld: boolean }): boolean {
  const { memory, clock } = pass;
  const last = memory.claimedAtMs?.get(what);
  const dueMs = last === undefined ? (isNeededByOld ? memory.sinceMs + ROLLOUT_MS : 0) : last + CLAIM_AGAIN_MS;
  const restMs = dueMs - clock.elapsed();
  if (restMs > 0) {
    pass.asked.push({ afterMs: restMs, reason: `to remove a former name of the handler: ${what}` });
    return false;
  }
  (pass.claimed ??= new Set()).add(what);
  return true;
}

/** Remembers, at the end of a pass, which marks were replaced, unless something may not have been stored. */
export function noteClaims({ memory, claimed, clock, failures, over }: Pass): void {
  if (failures.length > 0 || over !== undefined) return;
  for (const what of claimed ?? []) (memory.claimedAtMs ??= new Map()).set(what, clock.elapsed());
}
