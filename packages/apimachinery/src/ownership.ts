/**
 * Decides who owns an object, for all packages.
 *
 * The controller in its ownerReferences owns an object. An object without a controller belongs to the owner that its
 * owner-id label names: the owner may be in another namespace, or the garbage collector must not follow it. Other owner
 * references do not count. They only make the garbage collector delete the object.
 */
import { hash } from "node:crypto";
import { groupOf, parseApiVersion } from "./gvk.ts";
import { groupKindOf } from "./kind.ts";
import { type KubernetesObject, keyOf, type OwnerReference } from "./objects.ts";

/** Who owns an object: we, nobody, or another owner. */
export type Ownership =
  | { readonly type: "ours" }
  /** The object has no owner, so it may be adopted. */
  | { readonly type: "free" }
  /** `owner` describes the owner, as text for a condition or a log line. */
  | { readonly type: "foreign"; readonly owner: string };

/**
 * Decides who owns `live`. It is ours if its controller has the uid of `owner`, or if it has no controller and has our
 * owner-id label. A foreign controller outweighs our label.
 *
 * @param owner the object that the handler reconciles
 * @param handlerName the name of the handler, or its present and former names, newest first
 * @throws Error when `owner` has no uid, because it was not read from a server
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
  // Other operators, of Treadle and some others, mark their objects in the same way.
  const foreign = Object.keys(labels).find((key) => key.endsWith(OWNER_ID_SUFFIX));
  if (foreign === undefined) return { type: "free" };
  return { type: "foreign", owner: describeLabel(live, foreign.slice(0, -OWNER_ID_SUFFIX.length), owner) };
}

/**
 * Returns the value of the owner-id label: 32 hexadecimal digits, a hash of group, kind, namespace, name and uid. An object
 * that is read in another API version has the same id.
 *
 * @throws Error when the owner has no uid
 */
export function ownerId(owner: KubernetesObject): string {
  const { namespace = "", name, uid } = owner.metadata;
  const parts = [groupKindOf({ group: parseApiVersion(owner.apiVersion).group, kind: owner.kind }), namespace, name, uidOf(owner, uid)];
  return hash("sha256", JSON.stringify(parts), "hex").slice(0, 32);
}

/** Returns the key of the owner-id label of a handler. */
export function ownerIdLabel(handlerName: string): string {
  return handlerName + OWNER_ID_SUFFIX;
}

/** Returns the labels for an object of `owner`. They select its objects, and {@link ownership} uses them where no reference is possible. */
export function ownerLabels(owner: KubernetesObject, handlerName: string): Readonly<Record<string, string>> {
  return { [ownerIdLabel(handlerName)]: ownerId(owner) };
}

/** Returns the annotations for an object of `owner`: its kind and name, for people who read the object. No decision depends on them. */
export function ownerAnnotations(owner: KubernetesObject, handlerName: string): Readonly<Record<string, string>> {
  return { [handlerName + OWNER_SUFFIX]: describe(owner) };
}

/** Returns the reference that makes `owner` the controller of an object. A foreground deletion of `owner` waits for the object. */
export function controllerReference(owner: KubernetesObject): OwnerReference {
  const { apiVersion, kind, metadata } = owner;
  return { apiVersion, kind, name: metadata.name, uid: uidOf(owner, metadata.uid), controller: true, blockOwnerDeletion: true };
}

/**
 * Tells whether an object in `namespace` (absent: a cluster-scoped object) may have an owner reference to `owner`. Kubernetes
 * deletes an object whose owner is in another namespace as an orphan. Where this is false, use {@link ownerLabels} alone.
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
