/** The manifests that give an operator its rights. */
import { isDns1123Subdomain } from "@treadle/apimachinery";
import type { AnyHandler } from "@treadle/reconcile";
import { boundRole, type RbacManifest } from "./bound-role.ts";
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
  const role = (metadata: RbacManifest["metadata"], given: readonly PolicyRule[]): readonly RbacManifest[] =>
    boundRole({ metadata, rules: given, subjects });
  const within = (given: string): readonly RbacManifest[] => role({ name, namespace: given, labels }, rules.namespaced);
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace, labels } },
    ...role({ name, labels }, clusterRules),
    ...[...new Set(namespaces)].flatMap(within),
    ...(options.leases === undefined
      ? []
      : role({ name: `${name}-leader-election`, namespace: options.leases.namespace ?? namespace, labels }, leaseRules(options.leases))),
  ];
}
