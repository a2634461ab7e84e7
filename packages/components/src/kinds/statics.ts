/** The records of static objects: they are ready when they exist, and stay applied while their component is suspended. */
import {
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  NetworkPolicy,
  PodDisruptionBudget,
  Role,
  RoleBinding,
  Secret,
  ServiceAccount,
} from "@treadle/apimachinery/kinds";
import type { AnyKindRecord, KindRecord } from "./kind-record.ts";

/** The record of ConfigMaps. */
export const configMapRecord: KindRecord<typeof ConfigMap> = { kind: ConfigMap, category: "static" };

/** The record of Secrets. */
export const secretRecord: KindRecord<typeof Secret> = { kind: Secret, category: "static" };

/** The record of ServiceAccounts. */
export const serviceAccountRecord: KindRecord<typeof ServiceAccount> = { kind: ServiceAccount, category: "static" };

/** The record of Roles. */
export const roleRecord: KindRecord<typeof Role> = { kind: Role, category: "static" };

/** The record of RoleBindings. */
export const roleBindingRecord: KindRecord<typeof RoleBinding> = { kind: RoleBinding, category: "static" };

/** The record of ClusterRoles. */
export const clusterRoleRecord: KindRecord<typeof ClusterRole> = { kind: ClusterRole, category: "static" };

/** The record of ClusterRoleBindings. */
export const clusterRoleBindingRecord: KindRecord<typeof ClusterRoleBinding> = { kind: ClusterRoleBinding, category: "static" };

/** The record of PodDisruptionBudgets. A budget that allows no disruption now does its work. */
export const podDisruptionBudgetRecord: KindRecord<typeof PodDisruptionBudget> = { kind: PodDisruptionBudget, category: "static" };

/** The record of NetworkPolicies. */
export const networkPolicyRecord: KindRecord<typeof NetworkPolicy> = { kind: NetworkPolicy, category: "static" };

/** All records of this file. */
export const staticRecords: readonly AnyKindRecord[] = [
  configMapRecord,
  secretRecord,
  serviceAccountRecord,
  roleRecord,
  roleBindingRecord,
  clusterRoleRecord,
  clusterRoleBindingRecord,
  podDisruptionBudgetRecord,
  networkPolicyRecord,
];
