/**
 * Whose an object is: the one place where this is decided, for all packages.
 *
 * An object is managed by the one controller in its ownerReferences; where it has none (the owner is in another
 * namespace, or must not be followed by the garbage collector), by the owner named in its owner-id label.
 * A reference that is not the controller's says only whose deletion it follows, and does not make anyone the owner.
 */
import { hash } from "node:crypto";
import { groupOf, parseApiVersion } from "./gvk.ts";
import { groupKindOf } from "./kind.ts";
import { type KubernetesObject, keyOf, type OwnerReference } from "./objects.ts";

export type Ownership =
  | { readonly type: "ours" }
  /** Nobody manages it: it may be adopted. */
  | { readonly type: "free" }
  /** `owner` is text for a condition or a log line. */
  | { readonly type: "foreign"; readonly owner: string };

/**
 * Whose `live` is, seen by the handler `handlerName` (its present name first, then those that it had before) reconciling `owner`: ours = a controller ownerReference with the uid
 * of `owner`, or, without any controller reference, our owner-id label. A foreign controller outweighs our label.
 *
 * @throws Error when `owner` has no uid (it was not read from a server): nothing could be told apart.
 */
export function ownership(live: KubernetesObject, owner: KubernetesObject, handlerName: string | readonly string[]): Ownership {
  const ourId = ownerId(owner);
  const names = typeof handlerName === "string" ? [handlerName] : handlerName;
  const controller = live.metadata.ownerReferences?.find((reference) => reference.controller === true);
  if (controller !== undefined) {
    return controller.uid === owner.metadata.uid ? { type: "ours" } : { type: "foreign", owner: describeController(controller, owner) };
  }
  const labels = live.metadata.labels ?? {};
  const ourName = names.find((name) => Object.hasOwn(labels, ownerIdLabel(name)));
  if (ourName !== undefined) {
    return labels[ownerIdLabel(ourName)] === ourId ? { type: "ours" } : { type: "foreign", owner: describeLabel(live, ourName, owner) };
  }
  // Other operators of Treadle, and some others, mark what is theirs in the same way.
  const foreign = Object.keys(labels).find((key) => key.endsWith(OWNER_ID_SUFFIX));
  if (foreign === undefined) return { type: "free" };
  return { type: "foreign", owner: describeLabel(live, foreign.slice(0, -OWNER_ID_SUFFIX.length), owner) };
}

/**
 * The value of the owner-id label: 32 hexadecimal digits, a hash of group, kind, namespace, name and uid. The version of
 * the API does not count: the same object read in another version has the same id.
 *
 * @throws Error when the owner has no uid.
 */
export function ownerId(owner: KubernetesObject): string {
  const { namespace = "", name, uid } = owner.metadata;
  const parts = [groupKindOf({ group: parseApiVersion(owner.apiVersion).group, kind: owner.kind }), namespace, name, uidOf(owner, uid)];
  return hash("sha256", JSON.stringify(parts), "hex").slice(0, 32);
}

/** The key of the label that says which owner an object has, among the owners of this handler. */
export function ownerIdLabel(handlerName: string): string {
  return handlerName + OWNER_ID_SUFFIX;
}

/** The labels to put on an object of `owner`: for selecting its objects, and for {@link ownership} where no reference is possible. */
export function ownerLabels(owner: KubernetesObject, handlerName: string): Readonly<Record<string, string>> {
  return { [ownerIdLabel(handlerName)]: ownerId(owner) };
}

/** The annotations beside {@link ownerLabels}: the owner in readable form, since a hash names nobody. Never used to decide. */
export function ownerAnnotations(owner: KubernetesObject, handlerName: string): Readonly<Record<string, string>> {
  return { [handlerName + OWNER_SUFFIX]: describe(owner) };
}

/** The reference that makes `owner` the controller of an object and keeps it until the object is gone (foreground deletion). */
export function controllerReference(owner: KubernetesObject): OwnerReference {
  const { apiVersion, kind, metadata } = owner;
  return { apiVersion, kind, name: metadata.name, uid: uidOf(owner, metadata.uid), controller: true, blockOwnerDeletion: true };
}

/**
 * Whether an object in `namespace` (absent: a cluster-scoped one) may refer to `owner`. Kubernetes deletes an object whose
 * owner is in another namespace as an orphan, so where this is false the owner-id label alone must do.
 */
export function canReference(owner: KubernetesObject, namespace: string | undefined): boolean {
  const from = owner.metadata.namespace ?? "";
  return from === "" || from === namespace;
}

const OWNER_ID_SUFFIX = "/owner-id";
const OWNER_SUFFIX = "/owner";

function uidOf(owner: KubernetesObject, uid: string | undefined): string {
  if (uid === undefined || uid === "")
    throw new Error(`${describe(owner)} has no metadata.uid: only an object read from a server can be an owner`);
  return uid;
}

function describe(object: KubernetesObject): string {
  return `${object.kind} ${keyOf(object.metadata)}`;
}

function describeController(controller: OwnerReference, owner: KubernetesObject): string {
  const text = `${controller.kind} ${controller.name} (${controller.apiVersion}, uid ${controller.uid})`;
  const isNamesake =
    controller.kind === owner.kind &&
    controller.name === owner.metadata.name &&
    groupOf(controller.apiVersion) === groupOf(owner.apiVersion);
  return isNamesake ? `${text}, an earlier or other object of the same name` : text;
}

function describeLabel(live: KubernetesObject, handlerName: string, owner: KubernetesObject): string {
  const id = live.metadata.labels?.[ownerIdLabel(handlerName)] ?? "";
  const name = live.metadata.annotations?.[handlerName + OWNER_SUFFIX];
  const named = name === describe(owner) ? `${name}, an earlier or other object of the same name` : name;
  const whose = id === ownerId(owner) ? "the same object" : (named ?? `the object with owner-id ${JSON.stringify(id)}`);
  return `${whose}, managed by ${handlerName}`;
}
