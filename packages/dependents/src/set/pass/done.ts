/** Completed objects: those that were purged, and those that are applied once and were deleted since. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { MAX_ENTRIES } from "../../core/entries.ts";
import type { Outcome } from "./outcome.ts";
import type { Plan, PlannedMember } from "../plan/plan.ts";
import type { Run } from "./run.ts";
import { shortDigest } from "./state.ts";

/** Whether an object is not created again. `live` is the object as the pass read it. */
export function isDone(run: Run, member: PlannedMember, live: KubernetesObject | undefined): boolean {
  const { state } = run;
  const { policies, key } = member;
  const stored = state.done[shortDigest(key)];
  const isOnce = policies.reconcile === "once";
  if (policies.purge !== undefined && stored !== undefined) return isOnce || stored === valueOf(member);
  if (!isOnce || live !== undefined) return false;
  if (stored !== undefined) return true;
  if (!wasThere(run, key)) return false;
  state.done[shortDigest(key)] = valueOf(member);
  return true;
}

/** Notes an object before it is purged. */
export function notePurged({ state }: Run, member: PlannedMember): void {
  state.done[shortDigest(member.key)] = valueOf(member);
}

/**
 * Notes an object that is applied once. Its annotation records that while it exists, and its entry records that it existed. A set of many
 * objects has no entries of ready ones, and some objects never have one, so the step state records it.
 */
export function noteDone({ state }: Run, member: PlannedMember, { members }: Plan): void {
  if (member.policies.reconcile !== "once" || member.policies.purge !== undefined || hasEntry(member, members)) return;
  state.done[shortDigest(member.key)] ??= valueOf(member);
}

/**
 * Forgets the objects that the set does not render any more, and those that are applied once and exist: an older cache may have lacked
 * them for a moment.
 */
export function forgetDone({ state }: Run, { members, byKey }: Plan, outcomes: readonly Outcome[]): void {
  const keys = Object.keys(state.done);
  if (keys.length === 0) return;
  const rendered = new Set(members.map(({ key }) => shortDigest(key)));
  for (const key of keys) if (!rendered.has(key)) delete state.done[key];
  for (const { member, live } of outcomes)
    if (live !== undefined && hasEntry(member, members) && byKey.get(member.key)?.policies.purge === undefined)
      delete state.done[shortDigest(member.key)];
}

/** A desired state that depends on the inputs has them in its note, so new inputs run the object again. */
function valueOf(member: PlannedMember): string {
  return shortDigest(member.digest());
}

/** Whether an earlier pass has seen the object. */
function wasThere(run: Run, key: string): boolean {
  const phase = run.memory.last.get(key)?.phase ?? run.stored.phaseOf(key);
  return phase !== undefined && phase !== "Waiting";
}

/** Whether the status has an entry of the object whatever its state is. */
function hasEntry({ isChecked }: PlannedMember, members: readonly PlannedMember[]): boolean {
  return isChecked && members.length <= MAX_ENTRIES;
}
