/** What carries a former name of the handler: when it gets the present one. */
import type { Pass } from "../record/pass-state.ts";

/** What the old version put back beside our own is taken off again after so long. */
const CLAIM_AGAIN_MS = 600_000;
/** As long as both versions may work during a rolling update without a leader election. */
const ROLLOUT_MS = 60_000;

/**
 * Whether `what`, which was found under a former name beside ours, is to go in this pass; else a pass comes when it is. While a new
 * version is rolled out, the old one works by its own marks, and puts them back: it would take an object without them for
 * somebody else's, and say so in the status, and two that undo each other's work would never rest.
 */
export function claims(pass: Pass, what: string, { isNeededByOld }: { readonly isNeededByOld: boolean }): boolean {
  const { memory, clock } = pass;
  const last = memory.claimedAtMs?.get(what);
  const dueMs = last === undefined ? (isNeededByOld ? memory.sinceMs + ROLLOUT_MS : 0) : last + CLAIM_AGAIN_MS;
  const restMs = dueMs - clock.elapsed();
  if (restMs > 0) {
    pass.asked.push({ afterMs: restMs, reason: `what carries a former name of the handler goes: ${what}` });
    return false;
  }
  (pass.claimed ??= new Set()).add(what);
  return true;
}

/** The pass is over: what it took is remembered, unless some of it may not have been stored. */
export function noteClaims({ memory, claimed, clock, failures, over }: Pass): void {
  if (failures.length > 0 || over !== undefined) return;
  for (const what of claimed ?? []) (memory.claimedAtMs ??= new Map()).set(what, clock.elapsed());
}
