/** What runnables need: the caches, the leadership, and other kinds. */
import { type AnyRead, permissionProblems } from "@treadle/reconcile/unstable/engine";
import { ManagerError } from "../manager-error.ts";
import type { Runnable } from "../runnable.ts";

/** Whether the runnable starts after the caches have synced. */
export function needsCaches({ needsCaches: given = true }: Runnable): boolean {
  return given;
}

/**
 * Whether the runnable runs only in the leader. One that the caches may wait for does not: the caches of every replica may wait for
 * it, and a replica becomes the leader only when its caches have synced.
 */
export function needsLeader(runnable: Runnable): boolean {
  return runnable.needsLeader ?? needsCaches(runnable);
}

/** The reads of runnables, which {@link checkRunnable} has checked. */
export function readsOf(runnables: readonly Runnable[]): readonly AnyRead[] {
  return runnables.flatMap(({ reads }) => (reads ?? []) as readonly unknown[] as readonly AnyRead[]); // Made by one() or many().
}

/** Checks what a runnable declares. @throws ManagerError ERR_ADD_REFUSED; TypeError for untyped code */
export function checkRunnable(runnable: Runnable): void {
  const where = `manager.add: runnable "${runnable.name ?? "(unnamed)"}"`;
  if (!needsCaches(runnable) && needsLeader(runnable))
    throw new ManagerError(
      "ERR_ADD_REFUSED",
      `${where} has needsCaches: false and needsLeader: true: the caches of a replica may wait for it, and the replica leads only after they have synced: leave needsLeader out`,
    );
  const { permissions = [], reads = [] } = runnable;
  if (!Array.isArray(permissions)) throw new TypeError(`${where}: permissions must be a list of { kind, verbs }`);
  const problems = permissions.flatMap((each, at) => permissionProblems(`${where}: permissions[${at}]`, each));
  if (problems.length > 0) throw new TypeError(problems.join("; "));
  if (!Array.isArray(reads) || !reads.every(isRead)) throw new TypeError(`${where}: reads must be a list of reads made by one() or many()`);
  for (const read of readsOf([runnable]))
    if (read.type === "one" && read.through !== undefined && !readsOf([runnable]).includes(read.through))
      throw new TypeError(`${where}: one(${read.kind.kind}) goes through a read of ${read.through.kind.kind} that is not in reads: add it`);
}

/** Whether the value was made by one() or many(); untyped code may give any. */
function isRead(read: Partial<AnyRead> | undefined): boolean {
  return typeof read?.kind?.kind === "string" && read.source !== undefined;
}
