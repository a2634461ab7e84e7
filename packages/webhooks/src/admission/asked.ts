/**
 * Decides which requests an author's function gets.
 *
 * A rule may be newer than a stored object. Such a rule must not keep an operator from its finalizer, nor a user from a label. So these are
 * not asked, and thereby never refused:
 * - requests on objects that are being deleted;
 * - updates that leave the spec as it was, unless `unchanged` is set. A kind without a spec is always asked;
 * - status writes of an own kind. Of the kinds of others the author may declare the subresource `status`, and is asked then.
 *
 * The rules are the same for own kinds and for those of others, and for `fill` and `problems`: what `fill` adds to an unchanged spec could
 * break a rule as well, for example one that a field cannot change.
 */
import { jsonEqual, type KubernetesObject } from "@treadle/apimachinery";
import type { AnyWebhooks } from "../definition.ts";
import type { AdmissionRequest } from "./request.ts";
import type { Part } from "./review-call.ts";

/** Tells whether the function gets the request. What the options do not declare is not reviewed, whatever a configuration says. */
export function isAsked(webhooks: AnyWebhooks, part: Part, request: AdmissionRequest): boolean {
  const { operation, subresource, object, old } = request;
  if (webhooks[part] === undefined || !webhooks.on.includes(operation)) return false;
  // The API server takes no patch of a deleted object, and the options of a connection are not stored.
  if (part === "fill" && (operation === "DELETE" || operation === "CONNECT")) return false;
  const isStatus = subresource === "status";
  if (subresource !== "" && !webhooks.subresources.includes(subresource) && !webhooks.subresources.includes("*")) return false;
  if (isStatus && webhooks.kind.resource !== undefined) return false;
  // Of the stored object: a client can write the field into an object that it creates.
  if (typeof old?.metadata.deletionTimestamp === "string") return false;
  return operation !== "UPDATE" || webhooks.unchanged || isStatus || old === undefined || !isSpecUnchanged(webhooks, object, old);
}

function isSpecUnchanged({ kind }: AnyWebhooks, object: KubernetesObject, old: KubernetesObject): boolean {
  const [is, was] = [specOf(object), specOf(old)];
  const hasSpec = kind.resource !== undefined || is !== undefined || was !== undefined;
  return hasSpec && jsonEqual(is, was);
}

/** Returns the spec of an object; `undefined` when it has none. */
export function specOf(object: KubernetesObject): unknown {
  return "spec" in object ? (object.spec ?? undefined) : undefined;
}
