/** One object of a rendered set, with its policies and its place in the order. Types, and its key. */
import { groupKindOf, type Kind, keyOf, type Ref } from "@treadle/apimachinery";
import type { ObjectConfig } from "../configured.ts";
import type { Manifest } from "./manifest.ts";
import type { Policies } from "../policies/policies.ts";

export type { Manifest };

/** One object of a rendered set. */
export interface Member {
  /** `Kind.group namespace/name`: the identity of the object, in all versions of its kind. */
  readonly key: string;
  readonly kind: Kind;
  /** Name and namespace; no namespace for a cluster-scoped object. */
  readonly ref: Ref;
  /** The desired state, without the annotations that set policies. */
  readonly desired: Manifest;
  readonly policies: Policies;
  /** Names the object in the set, in all renderings. */
  readonly id: string;
  /** What its author decides in code, without defaults. */
  readonly config: ObjectConfig;
  /** Whether a CRD or APIService of the set defines the kind, or `alsoGuards` names it. */
  readonly isInstance: boolean;
  /** The position in the rendered list. */
  readonly index: number;
}

/** Returns the identity of an object. */
export function memberKey(kind: Pick<Kind, "group" | "kind">, ref: Ref): string {
  return `${groupKindOf(kind)} ${keyOf(ref)}`;
}

/**
 * Returns the id of an object whose author chose none: `Kind.group/name`, with the namespace unless it is `namespace`, the default
 * namespace of the set.
 */
export function defaultId(kind: Pick<Kind, "group" | "kind">, ref: Ref, namespace: string | undefined): string {
  const name = ref.namespace === undefined || ref.namespace === namespace ? ref.name : keyOf(ref);
  return `${groupKindOf(kind)}/${name}`;
}

/** The annotation of an object with its policies, after the name of the handler. */
export const POLICIES_SUFFIX = "/policies";
