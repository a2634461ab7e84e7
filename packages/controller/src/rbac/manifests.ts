/** The manifests that give an operator its rights. */
import { isDns1123Subdomain } from "@treadle/apimachinery";
import type { AnyHandler } from "@treadle/reconcile";
import { leaseRules, type Leases } from "./leases.ts";
import { reviewRules } from "./reviews.ts";
import { type PolicyRule, rbacRules, type RbacRulesOptions } from "./rules.ts";

/** Options of {@link rbacManifests}. */
export interface RbacManifestsOptions extends RbacRulesOptions {
  /** The name of all objects, the ServiceAccount included. */
  readonly name: string;
  /** The namespace of the operator and its ServiceAccount. */
  readonly namespace: string;
  /** The leases of the leader election. @defaultValue none */
  readonly leases?: Leases;
  /** Whether the operator asks the server who may read its metrics: `metrics.authorize` of the manager. @defaultValue false */
  readonly reviews?: boolean;
  /** The labels of all objects. @defaultValue `app.kubernetes.io/name` with the name */
  readonly labels?: Readonly<Record<string, string>>;
}

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

/**
 * Makes a ServiceAccount, its roles and their bindings, in the order in which they can be applied: a ClusterRole for
 * cluster-scoped kinds, or for everything without `namespaces`; a Role in each of `namespaces`; a Role for the leases. Empty
 * roles are left out.
 *
 * @throws TypeError for an invalid name or namespace
 */
export function rbacManifests(handlers: AnyHandler | readonly AnyHandler[], options: RbacManifestsOptions): readonly RbacManifest[] {
  const { name, namespace, namespaces, labels = { "app.kubernetes.io/name": name } } = options;
  for (const [what, value] of Object.entries({ name, namespace }))
    if (typeof value !== "string" || !isDns1123Subdomain(value))
      throw new TypeError(`rbacManifests: ${what} ${JSON.stringify(value)} is no name`);
  const rules = rbacRules(handlers, options);
  const clusterRules = [...rules.cluster, ...(options.reviews === true ? reviewRules() : [])];
  const subjects = [{ kind: "ServiceAccount", name, namespace }] as const;
  const clusterMetadata = { name, labels };
  const cluster: readonly RbacManifest[] = [
    { apiVersion: RBAC, kind: "ClusterRole", metadata: clusterMetadata, rules: clusterRules },
    {
      apiVersion: RBAC,
      kind: "ClusterRoleBinding",
      metadata: clusterMetadata,
      roleRef: { apiGroup: RBAC_GROUP, kind: "ClusterRole", name },
      subjects,
    },
  ];
  const role = (metadata: RbacManifest["metadata"], given: readonly PolicyRule[]): readonly RbacManifest[] => [
    { apiVersion: RBAC, kind: "Role", metadata, rules: given },
    { apiVersion: RBAC, kind: "RoleBinding", metadata, roleRef: { apiGroup: RBAC_GROUP, kind: "Role", name: metadata.name }, subjects },
  ];
  const within = (given: string): readonly RbacManifest[] => role({ name, namespace: given, labels }, rules.namespaced);
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace, labels } },
    ...(clusterRules.length === 0 ? [] : cluster),
    ...(rules.namespaced.length === 0 ? [] : [...new Set(namespaces)].flatMap(within)),
    ...(options.leases === undefined
      ? []
      : role({ name: `${name}-leader-election`, namespace: options.leases.namespace ?? namespace, labels }, leaseRules(options.leases))),
  ];
}

const RBAC_GROUP = "rbac.authorization.k8s.io";
const RBAC = `${RBAC_GROUP}/v1` as const;
