/** The policies of objects of a set, as the core takes them. Pure. */
import type { Kind } from "@treadle/apimachinery";
import { immutableFieldsOf } from "../../core/immutable.ts";
import type { Policy } from "../../core/plan.ts";
import { isRecreatable } from "../../core/recreate.ts";
import { DEFAULT_POLICIES, type UpdatePolicy } from "../policies/policies.ts";
import type { Member } from "./member.ts";
import { switchesOf } from "./switches.ts";

/** Returns the policy of a member for the core. */
export function policyOf(
  { kind, policies, config }: Pick<Member, "kind" | "policies" | "config">,
  { isWatched }: { readonly isWatched: boolean },
): Policy {
  const { isOwned, isCreated, isUpdated } = switchesOf(config);
  const { adopt, update, reclaim, statusHint } = policies;
  return {
    kind,
    isOwned,
    isCreated,
    isUpdated,
    isWatched,
    adopt,
    ownership: "label",
    update: undefined,
    displayName: undefined,
    onImmutable: update === "recreate" && isRecreatable(kind) ? "recreate" : "fail",
    immutableFields: immutableFieldsOf(kind),
    writes: update === "apply-and-reclaim" ? "apply" : update,
    ...(update === "apply-and-reclaim" ? { reclaims: reclaim } : {}),
    adoptsNamesake: true,
    ...(statusHint === undefined ? {} : { hint: statusHint }),
  };
}

/**
 * Returns the policy for the core of objects that the set no longer renders. `update` is how they were written last: a replaced
 * object has no fields that prove whose it is.
 */
export function leftoverPolicy(kind: Kind, given: { readonly isWatched: boolean; readonly update: UpdatePolicy }): Policy {
  const { isWatched, update } = given;
  return policyOf({ kind, policies: { ...DEFAULT_POLICIES, adopt: "never", update }, config: {} }, { isWatched });
}
