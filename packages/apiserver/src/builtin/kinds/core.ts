/** The kinds of the core group. */
import { isObject, type JsonObject } from "../../internal/json.ts";
import { objectAt } from "../../internal/read.ts";
import { labelNamespace, prepareNamespace } from "../../objects/namespaces.ts";
import { secondsOf, stringsOf } from "../../objects/object-meta.ts";
import { checkClaimLimits, checkPodLimits } from "../limit-ranges.ts";
import { pairAddresses, podGrace, preparePod } from "../pods.ts";
import { checkAllocations } from "../service-ports.ts";
import { prepareService } from "../services.ts";
import { endpointsErrors, nodeErrors } from "../validation/cluster.ts";
import { configMapErrors, namespaceErrors, secretErrors, secretWarnings } from "../validation/contents.ts";
import { limitRangeErrors, quotaErrors } from "../validation/limits.ts";
import { podWarnings, templateWarningsAt } from "../validation/pod-warnings.ts";
import { podErrors } from "../validation/pods.ts";
import { serviceErrors, serviceWarnings } from "../validation/services.ts";
import {
  claimStatusErrors,
  namespaceStatusErrors,
  podStatusErrors,
  quotaStatusErrors,
  replicaSetStatusErrors,
} from "../validation/statuses.ts";
import { claimErrors, claimWarnings, volumeErrors } from "../validation/storage.ts";
import { podTemplateErrors, replicationControllerErrors } from "../validation/workloads.ts";
import type { Hooks } from "../../storage/registry.ts";
import { CLAIM_PROTECTION, VOLUME_PROTECTION } from "../../objects/deletion.ts";
import { all, type Group } from "./row.ts";

export const CORE_GROUPS: readonly Group[] = [
  {
    group: "",
    versions: ["v1"],
    rows: [
      { kind: "ConfigMap", plural: "configmaps", short: ["cm"], hooks: { validate: configMapErrors, rechecksMetadata: true } },
      {
        kind: "Secret",
        plural: "secrets",
        fields: ["type"],
        hooks: { convert: moveStringData, validate: secretErrors, rechecksMetadata: true, warn: secretWarnings },
      },
      {
        kind: "Namespace",
        plural: "namespaces",
        scope: "Cluster",
        short: ["ns"],
        status: true,
        name: "label",
        fields: ["status.phase"],
        marksDeletion: true,
        hooks: {
          convert: labelNamespace,
          prepare: prepareNamespace,
          validate: namespaceErrors,
          validateStatus: namespaceStatusErrors,
          prepareDelete: (draft) => void (draft["status"] = { phase: "Terminating" }),
        },
      },
      {
        kind: "Pod",
        plural: "pods",
        short: ["po"],
        categories: all,
        status: true,
        generation: true,
        fields: [
          "spec.nodeName",
          "spec.restartPolicy",
          "spec.schedulerName",
          "spec.serviceAccountName",
          "spec.hostNetwork",
          "status.phase",
          "status.podIP",
          "status.nominatedNodeName",
        ],
        returnsDeleted: true,
        graceSeconds: podGrace,
        hooks: {
          convert: pairAddresses,
          prepare: preparePod,
          validate: podErrors,
          validateStatus: podStatusErrors,
          admit: checkPodLimits,
          rechecksMetadata: true,
          warn: podWarnings,
        },
      },
      {
        kind: "Service",
        plural: "services",
        short: ["svc"],
        categories: all,
        status: true,
        name: "label",
        fields: ["spec.clusterIP", "spec.type"],
        createsOnUpdate: true,
        returnsDeleted: true,
        hooks: { validate: serviceErrors, warn: serviceWarnings, prepare: prepareService, admit: checkAllocations },
      },
      { kind: "ServiceAccount", plural: "serviceaccounts", short: ["sa"], returnsDeleted: true, hooks: { rechecksMetadata: true } },
      { kind: "Binding", plural: "bindings", isReview: true },
      {
        kind: "ComponentStatus",
        plural: "componentstatuses",
        scope: "Cluster",
        short: ["cs"],
        deprecation: "v1 ComponentStatus is deprecated in v1.19+",
        isComputed: true,
      },
      {
        kind: "Endpoints",
        plural: "endpoints",
        short: ["ep"],
        deprecation: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
        hooks: { validate: endpointsErrors },
      },
      {
        kind: "Node",
        plural: "nodes",
        scope: "Cluster",
        short: ["no"],
        status: true,
        keepsStatus: true,
        fields: ["spec.unschedulable"],
        hooks: { convert: listRange, prepare: taintNode, validate: nodeErrors, rechecksMetadata: true },
      },
      {
        kind: "PersistentVolume",
        plural: "persistentvolumes",
        scope: "Cluster",
        short: ["pv"],
        status: true,
        fields: ["name"],
        returnsDeleted: true,
        hooks: { prepare: prepareVolume, validate: volumeErrors, rechecksMetadata: true },
      },
      {
        kind: "PersistentVolumeClaim",
        plural: "persistentvolumeclaims",
        short: ["pvc"],
        status: true,
        fields: ["name"],
        returnsDeleted: true,
        hooks: {
          prepare: protect(CLAIM_PROTECTION),
          validate: claimErrors,
          validateStatus: claimStatusErrors,
          admit: checkClaimLimits,
          rechecksMetadata: true,
          warn: claimWarnings,
        },
      },
      {
        kind: "ReplicationController",
        plural: "replicationcontrollers",
        short: ["rc"],
        categories: all,
        status: true,
        scale: true,
        generation: true,
        fields: ["status.replicas"],
        orphansDependents: true,
        hooks: { validate: replicationControllerErrors, validateStatus: replicaSetStatusErrors },
      },
      {
        kind: "ResourceQuota",
        plural: "resourcequotas",
        short: ["quota"],
        status: true,
        returnsDeleted: true,
        hooks: { validate: quotaErrors, validateStatus: quotaStatusErrors },
      },
      { kind: "LimitRange", plural: "limitranges", short: ["limits"], hooks: { validate: limitRangeErrors } },
      {
        kind: "PodTemplate",
        plural: "podtemplates",
        generation: true,
        returnsDeleted: true,
        hooks: { validate: podTemplateErrors, warn: templateWarningsAt("template") },
      },
    ],
  },
];

/** Moves `stringData` to `data`. It is never stored. */
function moveStringData(draft: JsonObject): void {
  const { stringData } = draft;
  if (!isObject(stringData)) return;
  const data: JsonObject = { ...objectAt(draft, "data") };
  for (const [key, value] of Object.entries(stringData)) data[key] = Buffer.from(String(value)).toString("base64");
  delete draft["stringData"];
  draft["data"] = data;
}

/** Copies the addresses of a node's pods to the other of their two fields. */
function listRange(draft: JsonObject): void {
  const { spec } = draft;
  if (isObject(spec) && spec["podCIDR"] !== undefined && spec["podCIDRs"] === undefined)
    draft["spec"] = { ...spec, podCIDRs: [spec["podCIDR"]] };
}

/** Adds the taint `not-ready` to a new node (admission `TaintNodesByCondition`). */
function taintNode(draft: JsonObject, previous: JsonObject | undefined): void {
  if (previous !== undefined) return;
  const spec = objectAt(draft, "spec");
  const taints: readonly unknown[] = Array.isArray(spec["taints"]) ? spec["taints"] : [];
  if (taints.some((taint) => isObject(taint) && taint["key"] === NOT_READY && taint["effect"] === "NoSchedule")) return;
  draft["spec"] = { ...spec, taints: [...taints, { key: NOT_READY, effect: "NoSchedule" }] };
}

const NOT_READY = "node.kubernetes.io/not-ready";

function prepareVolume(...[draft, previous, given]: Parameters<Prepare>): void {
  protect(VOLUME_PROTECTION)(draft, previous, given);
  if (previous !== undefined) return;
  draft["status"] = { ...objectAt(draft, "status"), lastPhaseTransitionTime: secondsOf(given.clock.now()) };
}

type Prepare = NonNullable<Hooks["prepare"]>;

/**
 * Adds a finalizer to a new object (admission `StorageObjectInUseProtection`), if a controller runs that removes it. Without
 * one, a deleted object would stay.
 */
function protect(finalizer: string): Prepare {
  return ({ metadata }, previous, { simulatesWorkloads }) => {
    if (previous !== undefined || simulatesWorkloads !== true) return;
    const finalizers = stringsOf(metadata["finalizers"]);
    if (!finalizers.includes(finalizer)) metadata["finalizers"] = [...finalizers, finalizer];
  };
}
