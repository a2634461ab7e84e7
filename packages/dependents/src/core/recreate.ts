/**
 * Recreates an object whose immutable fields are to change: it is deleted in the foreground, and created in a later pass.
 *
 * Guarantees
 * - Only an object that the unit made is deleted, at the version that was looked at.
 * - The object is not deleted if the server would refuse its successor.
 * - No claim of a StatefulSet is deleted.
 */
import { groupKindOf, isApiError, isForbidden, isInvalid, type KubernetesObject } from "@treadle/apimachinery";
import type { Body } from "./body.ts";
import { shownError } from "./confidential.ts";
import type { Context } from "./context.ts";
import { withManagedFields } from "./difference.ts";
import { refTo, titleOf } from "./marks.ts";
import { formerNames, formerUnits, isMadeByUs } from "./ownership.ts";
import type { Policy } from "./plan.ts";
import { type Found, UNCHANGED, type Wanted } from "./work.ts";

/** Kinds whose deletion deletes objects of other owners, or data. */
const HOLD_OTHERS: readonly string[] = [
  "Namespace",
  "CustomResourceDefinition.apiextensions.k8s.io",
  "PersistentVolume",
  "PersistentVolumeClaim",
];

/** Whether objects of a kind may be recreated: the deletion of some deletes what users have in them. */
export function isRecreatable(kind: Pick<Policy["kind"], "group" | "kind">): boolean {
  return !HOLD_OTHERS.includes(groupKindOf(kind));
}

/**
 * Deletes the object, so that a later pass creates it as desired. Safe to repeat.
 *
 * @returns `undefined` after the delete, else why the object must not be deleted, as a clause for people
 * @throws the error of the server, also for a successor that it would refuse
 */
export async function deleteForSuccessor(
  context: Context,
  policy: Policy,
  { live, body }: { readonly live: KubernetesObject; readonly body: Body },
): Promise<string | undefined> {
  const obstacle = isMadeByUs(context, policy, live) ? obstacleTo(policy, live) : "this operator did not create it: delete it yourself";
  if (obstacle !== undefined) return obstacle;
  await deleteFor(context, policy, { live, body });
  return undefined;
}

/** Returns why the object must not be deleted for a successor, as a clause for people; `undefined`: nothing is lost with it. */
export function obstacleTo({ kind }: Pick<Policy, "kind">, live: KubernetesObject): string | undefined {
  return isRecreatable(kind) ? whyClaimsWouldGo(live) : `what users have in the ${kind.kind} would be deleted with it`;
}

/**
 * Whether the object is written by a deletion. An object that only moves, from a former name of the handler or another unit, is
 * applied: a rename must not recreate every object.
 */
export function isRecreated(context: Context, policy: Policy, live: KubernetesObject): boolean {
  if (policy.writes !== "recreate" || policy.update !== undefined) return false;
  const known = withManagedFields(context, policy, live);
  return formerNames(context, known).length === 0 && formerUnits(context, policy, known).length === 0;
}

/** Deletes an object that differs from the desired state. @throws the error of the server, also for a successor that it would refuse */
export async function recreated({ context, plan, body }: Wanted, live: KubernetesObject, difference: string): Promise<Found> {
  const { policy, target } = plan;
  await deleteFor(context, policy, { live, body });
  const message = `${titleOf(policy, target, context.owner)} is being deleted, and will be created again: it differs ${difference}`;
  return { type: "not yet", live, state: { type: "Pending", reason: "Recreating", message }, operation: UNCHANGED };
}

/** The answer for an object that differs from the desired state, and that must not be deleted. */
export function notRecreated(
  { context, plan }: Wanted,
  live: KubernetesObject,
  why: { readonly difference: string; readonly obstacle: string },
): Found {
  const title = titleOf(plan.policy, plan.target, context.owner);
  const message = `${title} differs ${why.difference}, and is not recreated: ${why.obstacle}; choose another update policy, or restore the old value`;
  return { type: "not yet", live, isKept: true, state: { type: "Failed", reason: "NotRecreatable", message }, operation: UNCHANGED };
}

async function deleteFor(
  context: Context,
  policy: Policy,
  { live, body }: { readonly live: KubernetesObject; readonly body: Body },
): Promise<void> {
  const { kind } = policy;
  await requireValid(context, policy, body);
  const { uid, resourceVersion } = live.metadata;
  context.memory.unit(context.unit).forget(kind, refTo(live));
  // In the foreground: pods of the old object end before those of the new one begin.
  await context.client.delete(kind, refTo(live), { preconditions: { uid, resourceVersion }, propagationPolicy: "Foreground" });
}

/** With this policy the claims refer to the StatefulSet as their owner, and the garbage collector deletes them with it. */
function whyClaimsWouldGo(live: KubernetesObject): string | undefined {
  if (groupKindOf({ group: live.apiVersion.split("/")[0] ?? "", kind: live.kind }) !== "StatefulSet.apps") return undefined;
  const { spec, status, metadata } = live as KubernetesObject & StatefulSetFields;
  if (spec?.persistentVolumeClaimRetentionPolicy?.whenDeleted === "Delete")
    return "its claims would be deleted with it: set persistentVolumeClaimRetentionPolicy.whenDeleted to Retain first";
  // The controller removes the references of the claims before it reports the generation.
  const isSeen = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  return isSeen ? undefined : "its controller has not seen the last change of its claim policy yet";
}

interface StatefulSetFields {
  readonly spec?: { readonly persistentVolumeClaimRetentionPolicy?: { readonly whenDeleted?: string } };
  readonly status?: { readonly observedGeneration?: number };
}

/** Asks the server, without a change, whether it would create the object. @throws its answer if it would not */
async function requireValid({ client }: Context, { kind }: Policy, body: Body): Promise<void> {
  const { name, ...metadata } = body.metadata;
  const successor = { ...withoutTaken(body), metadata: { ...metadata, generateName: `${name}-` } };
  try {
    // The name is free only later, so it is another one here.
    await client.create(kind, successor as never, { dryRun: true });
  } catch (error) {
    if (isFinal(error)) throw shownError(kind, body, error);
  }
}

/** Whether the answer stays when the old object is deleted: a quota counts the old object as well. */
function isFinal(error: unknown): boolean {
  if (!isApiError(error)) return false;
  const { message } = error;
  if (isInvalid(error) || / denied (?:the )?request\b/.test(message)) return true;
  return isForbidden(error) && !message.includes("exceeded quota");
}

/** Without the values that only one Service of a cluster can have. */
function withoutTaken(body: Body): Body {
  if (groupKindOf({ group: "", kind: body.kind }) !== "Service" || body.apiVersion !== "v1") return body;
  const {
    clusterIP: _ip,
    clusterIPs: _ips,
    healthCheckNodePort: _port,
    ...spec
  } = (body["spec"] ?? {}) as Readonly<Record<string, unknown>>;
  const ports = (spec["ports"] ?? []) as readonly Readonly<Record<string, unknown>>[];
  return { ...body, spec: { ...spec, ports: ports.map(({ nodePort: _node, ...port }) => port) } };
}
