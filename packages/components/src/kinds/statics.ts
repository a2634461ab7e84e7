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
const configMapRecord: KindRecord<typeof ConfigMap> = { kind: ConfigMap, category: "static" };

/** The record of Secrets. */
const secretRecord: KindRecord<typeof Secret> = { kind: Secret, category: "static" };

/** The record of ServiceAccounts. */
const serviceAccountRecord: KindRecord<typeof ServiceAccount> = { kind: ServiceAccount, category: "static" };

/** The record of Roles. */
const roleRecord: KindRecord<typeof Role> = { kind: Role, category: "static" };

/** The record of RoleBindings. */
const roleBindingRecord: KindRecord<typeof RoleBinding> = { kind: RoleBinding, category: "static" };

/** The record of ClusterRoles. */
const clusterRoleRecord: KindRecord<typeof ClusterRole> = { kind: ClusterRole, category: "static" };

/** The record of ClusterRoleBindings. */
const clusterRoleBindingRecord: KindRecord<typeof ClusterRoleBinding> = { kind: ClusterRoleBinding, category: "static" };

/** The record of PodDisruptionBudgets. A budget that allows no disruption now does its work. */
const podDisruptionBudgetRecord: KindRecord<typeof PodDisruptionBudget> = { kind: PodDisruptionBudget, category: "static" };

/** The record of NetworkPolicies. */
const networkPolicyRecord: KindRecord<typeof NetworkPolicy> = { kind: NetworkPolicy, category: "static" };

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
