/** What follows when the server refuses a change of immutable fields: a report, a deletion, or the old values. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { digestOf } from "./body.ts";
import { withManagedFields } from "./difference.ts";
import { refusedPaths } from "./immutable.ts";
import { managerOf, titleOf } from "./marks.ts";
import type { Refused } from "./memory.ts";
import { appliedFields, type FieldSet } from "./owned-fields.ts";
import { deleteForSuccessor } from "./recreate.ts";
import { type Found, UNCHANGED, type Wanted } from "./work.ts";

/** Time until the server is asked again for a change that it refused, in milliseconds. A rule of the cluster may have changed. */
const ASK_AGAIN_MS = 600_000;

/** What to do in place of the write: report `found`, or write with the values that the object has at `paths`. */
export type Refusal = { readonly type: "report"; readonly found: Found } | { readonly type: "keep"; readonly paths: readonly string[] };

/** Returns what follows from the last refusal; `undefined` if the write was not refused, or should be tried again. */
export function knownRefusal({ context, plan, memory, body }: Wanted, live: KubernetesObject): Refusal | undefined {
  const { refused } = memory;
  if (refused === undefined || refused.uid !== live.metadata.uid || refused.wanted !== digestOf(body)) return undefined;
  const { paths } = refused;
  if (plan.policy.onImmutable === "ignore") return { type: "keep", paths };
  const isOutdated = refused.resourceVersion !== live.metadata.resourceVersion || context.clock.now() >= refused.untilMs;
  return isOutdated ? undefined : { type: "report", found: reported({ context, plan }, live, refused) };
}

/**
 * Decides what follows from the error of a write. With `recreate` it deletes the object.
 *
 * @returns `undefined` for an error with any other cause
 * @throws the error of the server while the object is deleted
 */
export async function refusalOf(
  work: Wanted,
  { live, sent, error }: { readonly live: KubernetesObject; readonly sent: object; readonly error: unknown },
): Promise<Refusal | undefined> {
  const { context, plan, memory, body } = work;
  const { policy, target } = plan;
  const paths = refusedPaths(policy.immutableFields, error, { body: sent, live, owned: ownedBy(work, live) });
  if (paths === undefined) return undefined;
  const { uid, resourceVersion } = live.metadata;
  const note = (why: string): Refusal => {
    memory.refused = { uid, resourceVersion, wanted: digestOf(body), paths, why, untilMs: context.clock.now() + ASK_AGAIN_MS };
    return policy.onImmutable === "ignore" ? { type: "keep", paths } : { type: "report", found: reported(work, live, memory.refused) };
  };
  if (policy.onImmutable !== "recreate") {
    const choice = policy.writes === undefined ? 'onImmutable to "recreate" or "ignore"' : 'its update policy to "recreate"';
    return note(`set ${choice}, or restore the old value`);
  }
  const obstacle = await deleteForSuccessor(context, policy, { live, body });
  if (obstacle !== undefined) return note(`it is not recreated: ${obstacle}`);
  const message = `${titleOf(policy, target, context.owner)} is being deleted, and will be created again: ${paths.join(", ")} cannot change`;
  return {
    type: "report",
    found: { type: "not yet", live, state: { type: "Pending", reason: "Recreating", message }, operation: UNCHANGED },
  };
}

/** The fields that the unit has applied; `undefined` where a PUT writes the whole object. */
export function ownedBy({ context, plan: { policy } }: Pick<Wanted, "context" | "plan">, live: KubernetesObject): FieldSet | undefined {
  return policy.update === undefined && policy.writes !== "replace"
    ? (appliedFields(withManagedFields(context, policy, live), managerOf(context)) ?? {})
    : undefined;
}

function reported(
  { context, plan }: Pick<Wanted, "context" | "plan">,
  live: KubernetesObject,
  { paths, why, untilMs }: Pick<Refused, "paths" | "why" | "untilMs">,
): Found {
  const message = `${titleOf(plan.policy, plan.target, context.owner)} needs another ${paths.join(" and another ")}, which the server does not let change: ${why}`;
  const again = Math.max(0, untilMs - context.clock.now());
  return { type: "not yet", live, isKept: true, state: { type: "Failed", reason: "Immutable", message }, again, operation: UNCHANGED };
}
