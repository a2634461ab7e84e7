/** What an author decides in code about one object, with its defaults, and the combinations that have no meaning. Pure. */
import type { ObjectConfig } from "../configured.ts";
import type { ObjectPolicies, Policies } from "../policies/policies.ts";

/** The switches of {@link ObjectConfig} with their defaults. */
export interface Switches {
  readonly isOwned: boolean;
  readonly isCreated: boolean;
  readonly isUpdated: boolean;
  /** Whether a change of the object may lead to a pass. */
  readonly isWatched: boolean;
  /** Whether the object has an entry, and the set waits for it. */
  readonly isChecked: boolean;
}

/** Returns the switches of an object. */
export function switchesOf({ created = true, owned = created, updated = created, watched, checkedForReadiness }: ObjectConfig): Switches {
  return { isOwned: owned, isCreated: created, isUpdated: updated, isWatched: watched ?? true, isChecked: checkedForReadiness ?? true };
}

/**
 * Returns the policies of an object as its switches allow them. A policy of an outer level has no effect where it would delete or
 * replace what another writer keeps.
 */
export function policiesFor(policies: Policies, { isOwned, isCreated }: Switches): Policies {
  const { update, reconcile } = policies;
  return {
    ...policies,
    update: (isOwned && isCreated) || !isReplacing(update) ? update : "apply",
    reconcile: isCreated || reconcile !== "once" ? reconcile : "on-object-change",
  };
}

/** Returns the problems of switches, and of policies that the object itself sets against them. Each reads after the name of the object. */
export function switchProblems(
  { isOwned, isCreated, isUpdated }: Switches,
  { own, adopt }: { readonly own: ObjectPolicies; readonly adopt: Policies["adopt"] },
): readonly string[] {
  const why = isOwned ? "created: false" : "owned: false";
  const notOwned = `${isCreated ? "" : "created: false and so "}owned: false`;
  const problems: (string | false | undefined)[] = [
    !isOwned &&
      own.onRemoval !== undefined &&
      `onRemoval (delete-policy) is set, but with ${notOwned} the set never removes it: remove one of both`,
    !isOwned && own.purge !== undefined && `purge (purge-order) is set, but with ${notOwned} the set never deletes it: remove one of both`,
    !(isOwned && isCreated) &&
      own.update !== undefined &&
      isReplacing(own.update) &&
      `update (update-policy) is ${own.update}, but with ${why} it has fields of other writers: set apply or apply-and-reclaim, or remove ${why}`,
    !isCreated &&
      own.reconcile === "once" &&
      "reconcile (reconcile-policy) is once, but created: false: another writer creates it; remove one of both",
    !isCreated &&
      isOwned &&
      !isUpdated &&
      "owned: true with created: false needs updated: true, because an update marks it: set updated: true, or remove owned",
    !isCreated &&
      isUpdated &&
      adopt === "never" &&
      "updated: true with created: false needs an object that may be taken, and adopt (adoption-policy) is never: set if-unowned or force, or remove updated",
  ];
  return problems.filter((problem) => typeof problem === "string");
}

function isReplacing(update: Policies["update"]): boolean {
  return update === "replace" || update === "recreate";
}
