/** One object of a rendered set, with its policies and its place in the order. Types, and its key. */
import { groupKindOf, type Kind, keyOf, type Ref } from "@treadle/apimachinery";
import type { Policies } from "../policies/policies.ts";

/** A rendered object: plain JSON with an identity. Other fields follow from its kind. */
export interface Manifest {
  /** `group/version`, or `version` alone in the core group. */
  readonly apiVersion: string;
  /** Name of the kind. */
  readonly kind: string;
  /** Name and namespace, and what the author sets of the other metadata. */
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
    readonly finalizers?: readonly string[] | undefined;
  };
}

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
  /** Whether a CRD or APIService of the set defines the kind, or `alsoGuards` names it. */
  readonly isInstance: boolean;
  /** The position in the rendered list. */
  readonly index: number;
}

/** Returns the identity of an object. */
export function memberKey(kind: Pick<Kind, "group" | "kind">, ref: Ref): string {
  return `${groupKindOf(kind)} ${keyOf(ref)}`;
}

/** The annotation of an object with its policies, after the name of the handler. */
export const POLICIES_SUFFIX = "/policies";
