/** The rules of namespaces: which ones exist from the start, where objects may be created, and what the server adds to a namespace. */
import type { Clock } from "@treadle/apimachinery";
import { type JsonObject, valueAt } from "../internal/json.ts";
import { type ResourceType, resourceOf } from "../storage/registry.ts";
import { badRequest, forbiddenError, notFound } from "../errors/status-errors.ts";
import type { Store } from "../storage/store.ts";
import type { Draft } from "../storage/stored-object.ts";
import { secondsOf } from "./object-meta.ts";

/** Namespaces that exist from the start. */
const SYSTEM_NAMESPACES: readonly string[] = ["default", "kube-node-lease", "kube-public", "kube-system"];

export function createNamespaces(parts: { readonly store: Store; readonly clock: Clock; readonly uid: () => string }): void {
  for (const name of SYSTEM_NAMESPACES) {
    const metadata = { name, uid: parts.uid(), creationTimestamp: secondsOf(parts.clock.now()) };
    const draft: Draft = { apiVersion: "v1", kind: "Namespace", metadata };
    labelNamespace(draft);
    prepareNamespace(draft, undefined);
    parts.store.collection("namespaces").create(draft);
  }
}

/** Sets the namespace of the path, unless the object names another one. @throws StatusError 400 */
export function matchNamespace(draft: Draft, requested: string): void {
  const given = draft.metadata.namespace ?? "";
  if (given === requested) return;
  if (requested === "") delete draft.metadata.namespace;
  else if (given === "") draft.metadata.namespace = requested;
  else throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
}

/** Refuses a create in a namespace that does not exist or is being deleted. @throws StatusError 404, 403 */
export function checkNamespace(parts: { readonly store: Store }, type: ResourceType, draft: Draft): void {
  const { namespace, name } = draft.metadata;
  if (!type.isNamespaced || namespace === undefined) return;
  const entry = parts.store.collection("namespaces").get(namespace);
  if (entry === undefined) throw notFound({ group: "", resource: "namespaces" }, namespace);
  if (entry.object.metadata.deletionTimestamp === undefined) return;
  const text = `unable to create new content in namespace ${namespace} because it is being terminated`;
  throw forbiddenError(resourceOf(type), name ?? "", text, [
    { reason: "NamespaceTerminating", message: `namespace ${namespace} is being terminated`, field: "metadata.namespace" },
  ]);
}

/** Adds the name of a namespace as its label. */
export function labelNamespace(draft: Draft): void {
  // A namespace without a name gets no label, because it will be refused.
  if (!draft.metadata.name) return;
  const labels = (draft.metadata["labels"] ?? {}) as Record<string, string>; // read by readMeta
  draft.metadata["labels"] = { ...labels, "kubernetes.io/metadata.name": draft.metadata.name };
}

/** Adds the spec and status that the server sets. */
export function prepareNamespace(draft: Draft, previous: JsonObject | undefined): void {
  if (previous !== undefined) return;
  const given = valueAt(draft, ["spec", "finalizers"]);
  const finalizers = Array.isArray(given) ? given : [];
  draft["spec"] = { finalizers: finalizers.includes("kubernetes") ? finalizers : [...finalizers, "kubernetes"] };
  draft["status"] = { phase: "Active" };
}
