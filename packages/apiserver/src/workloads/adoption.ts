/**
 * Adopts and releases objects of a controller: it keeps those that it controls, adopts orphans that its selector matches, and
 * releases those that the selector no longer matches.
 */
import {
  apiVersionOf,
  isSelectorError,
  keyOf,
  type Kind,
  type KubernetesObject,
  labelRequirements,
  type LabelSelector,
  matchesLabels,
  type ObjectOf,
} from "@treadle/apimachinery";
import { controllerOf, type Objects } from "./objects.ts";
import type { Writer } from "./writer.ts";

/** A stored selector, whose operators are not checked. */
export interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly { readonly key: string; readonly operator: string; readonly values?: readonly string[] }[];
}

/** Returns a function that matches labels. An invalid selector matches nothing. */
function matcher(selector: Selector): (labels: Readonly<Record<string, string>> | undefined) => boolean {
  try {
    const requirements = labelRequirements(selector as LabelSelector); // throws for an invalid selector
    return (labels) => matchesLabels(requirements, labels);
  } catch (error) {
    if (isSelectorError(error)) return () => false;
    throw error;
  }
}

function selects(selector: Selector, labels: Readonly<Record<string, string>> | undefined): boolean {
  return matcher(selector)(labels);
}

export interface Claim<K extends Kind> {
  /** Kind of `owner`. */
  readonly as: Kind;
  readonly owner: KubernetesObject;
  readonly selector: Selector;
  readonly kind: K;
  /** Whether an orphan may be adopted. @defaultValue each object that is not being deleted */
  readonly isAdoptable?: (object: ObjectOf<K>) => boolean;
}

/** Adopts and releases, and returns the stored objects of the owner. @throws RefusedError */
export async function claim<K extends Kind>(objects: Objects, write: Writer, wanted: Claim<K>): Promise<readonly ObjectOf<K>[]> {
  const { owner, kind, selector, isAdoptable = () => true } = wanted;
  const own: ObjectOf<K>[] = [];
  const fits = matcher(selector);
  const isGoing = owner.metadata.deletionTimestamp !== undefined;
  const orphans = isGoing ? [] : objects.orphans(kind, owner.metadata.namespace ?? "");
  for (const object of objects.controlled(kind, owner)) {
    if (fits((object as KubernetesObject).metadata.labels)) own.push(object);
    else if (!isGoing) await release(write, wanted, object as KubernetesObject);
  }
  for (const object of orphans) {
    const { metadata } = object as KubernetesObject; // every object of a kind is one
    if (metadata.deletionTimestamp !== undefined || !fits(metadata.labels) || !isAdoptable(object)) continue;
    const ownerReferences = [...(metadata.ownerReferences ?? []), controllerReference(wanted.as, owner)];
    own.push(await write.patch(kind, object as KubernetesObject, { metadata: { ownerReferences } }));
  }
  return own;
}

export function controllerReference(kind: Kind, { metadata: { name, uid } }: KubernetesObject): object {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

async function release<K extends Kind>(write: Writer, { kind, owner }: Claim<K>, object: KubernetesObject): Promise<void> {
  const left = (object.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== owner.metadata.uid);
  await write.patch(kind, object, { metadata: { ownerReferences: left.length === 0 ? null : left } });
}

/** Returns the keys of the `candidates` that may adopt the object, for a watch. */
export function adoptersIn(
  candidates: (namespace: string) => readonly (KubernetesObject & { readonly spec?: { readonly selector?: Selector } })[],
): (object: KubernetesObject) => readonly string[] {
  return (object) => {
    if (controllerOf(object) !== undefined) return [];
    return candidates(object.metadata.namespace ?? "")
      .filter(({ spec }) => spec?.selector !== undefined && selects(spec.selector, object.metadata.labels))
      .map(({ metadata }) => keyOf(metadata));
  };
}
