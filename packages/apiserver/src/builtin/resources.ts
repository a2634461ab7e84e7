/** The built-in kinds of Kubernetes, from the tables in `builtin/kinds`. */
import { CLUSTER_GROUPS } from "./kinds/cluster.ts";
import { CORE_GROUPS } from "./kinds/core.ts";
import { MACHINERY_GROUPS } from "./kinds/machinery.ts";
import type { Row } from "./kinds/row.ts";
import { WORKLOAD_GROUPS } from "./kinds/workloads.ts";
import { EVENTS } from "./kinds/events.ts";
import { idOf, type ResourceType, type ScalePaths, type ServedVersion } from "../storage/registry.ts";

/** Returns all built-in kinds. */
export function builtInResources(): readonly ResourceType[] {
  const groups = [...CORE_GROUPS, ...WORKLOAD_GROUPS, ...CLUSTER_GROUPS, ...MACHINERY_GROUPS];
  return [...groups.flatMap(({ group, versions, rows }) => rows.map((row) => toType(group, versions, row))), EVENTS];
}

/** The kind that is posted to the subresource `token` of a service account. */
export const TOKEN_REQUEST: ResourceType = toType("authentication.k8s.io", ["v1"], {
  kind: "TokenRequest",
  plural: "tokenrequests",
  isReview: true,
});

const SCALE: ScalePaths = {
  specReplicas: ["spec", "replicas"],
  statusReplicas: ["status", "replicas"],
};

function toType(group: string, versionNames: readonly string[], row: Row): ResourceType {
  const versions = versionNames.map((version) => toVersion(group, version, row));
  const [storage] = versions;
  if (storage === undefined) throw new Error(`no version of ${row.kind}`);
  return {
    id: idOf(group, row.plural),
    group,
    plural: row.plural,
    singular: row.kind.toLowerCase(),
    kind: row.kind,
    listKind: `${row.kind}List`,
    shortNames: row.short ?? [],
    categories: row.categories ?? [],
    isNamespaced: row.scope !== "Cluster",
    isCustom: false,
    versions,
    storage,
    keepsStatus: row.keepsStatus === true,
    countsGenerations: row.generation === true,
    nameRule: row.name ?? "subdomain",
    isUnconditional: row.needsVersion !== true,
    createsOnUpdate: row.createsOnUpdate === true,
    returnsDeleted: row.returnsDeleted === true,
    heldWhileDeleting: undefined,
    marksDeletion: row.marksDeletion === true,
    orphansDependents: row.orphansDependents === true,
    ...(row.graceSeconds === undefined ? {} : { graceSeconds: row.graceSeconds }),
    hooks: row.hooks ?? {},
    ...(row.isReview === true ? { isReview: true } : {}),
    ...(row.isComputed === true ? { isComputed: true } : {}),
  };
}

function toVersion(group: string, version: string, row: Row): ServedVersion {
  return {
    group,
    version,
    apiVersion: group === "" ? version : `${group}/${version}`,
    served: true,
    status: row.status === true,
    ...(row.scale === true ? { scale: SCALE } : {}),
    ...(row.deprecation === undefined ? {} : { deprecation: row.deprecation }),
    selectableFields: row.fields ?? [],
    ...row.conversions?.[version],
  };
}
