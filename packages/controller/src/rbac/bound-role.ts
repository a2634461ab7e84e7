/** The manifests of rights: a role and its binding. */
import type { PolicyRule } from "./rules.ts";

/** An object of `v1` or `rbac.authorization.k8s.io/v1`. */
export interface RbacManifest {
  /** The group and version of the kind. */
  readonly apiVersion: "v1" | "rbac.authorization.k8s.io/v1";
  /** The kind of the manifest. */
  readonly kind: "ServiceAccount" | "ClusterRole" | "ClusterRoleBinding" | "Role" | "RoleBinding";
  /** The metadata of the manifest. */
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels: Readonly<Record<string, string>> };
  /** The rules of a role. */
  readonly rules?: readonly PolicyRule[];
  /** The role of a binding. */
  readonly roleRef?: { readonly apiGroup: string; readonly kind: "ClusterRole" | "Role"; readonly name: string };
  /** The subjects of a binding. */
  readonly subjects?: readonly { readonly kind: "ServiceAccount"; readonly name: string; readonly namespace: string }[];
}

/** A role to be bound to ServiceAccounts. */
export interface BoundRole {
  /** The metadata of the role and of its binding. A role without a namespace is a ClusterRole. */
  readonly metadata: RbacManifest["metadata"];
  /** The rules of the role. */
  readonly rules: readonly PolicyRule[];
  /** The ServiceAccounts that get the role. */
  readonly subjects: NonNullable<RbacManifest["subjects"]>;
}

/** Makes a role and its binding, in the order in which they can be applied. A role without rules is left out. */
export function boundRole({ metadata, rules, subjects }: BoundRole): readonly RbacManifest[] {
  if (rules.length === 0) return [];
  const kind = metadata.namespace === undefined ? "ClusterRole" : "Role";
  const roleRef = { apiGroup: GROUP, kind, name: metadata.name } as const;
  return [
    { apiVersion: VERSION, kind, metadata, rules },
    { apiVersion: VERSION, kind: `${kind}Binding`, metadata, roleRef, subjects },
  ];
}

const GROUP = "rbac.authorization.k8s.io";
const VERSION = `${GROUP}/v1` as const;
