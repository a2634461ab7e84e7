/** The kinds of the core group. */
import type { Clock } from "@treadle/apimachinery";
import { isObject, type JsonObject } from "../../internal/json.ts";
import { labelNamespace, prepareNamespace } from "../../namespaces.ts";
import { secondsOf } from "../../object-meta.ts";
import { podGrace, preparePod } from "../pods.ts";
import { prepareService } from "../services.ts";
import { configMapErrors, secretErrors, serviceErrors } from "../validate.ts";
import { all, type Group } from "./row.ts";

export const CORE_GROUPS: readonly Group[] = [
  {
    group: "",
    versions: ["v1"],
    rows: [
      { kind: "ConfigMap", plural: "configmaps", short: ["cm"], hooks: { validate: configMapErrors } },
      { kind: "Secret", plural: "secrets", fields: ["type"], hooks: { convert: moveStringData, validate: secretErrors } },
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
        hooks: { prepare: preparePod },
      },
      {
        kind: "Service",
        plural: "services",
        short: ["svc"],
        categories: all,
        status: true,
        name: "service",
        fields: ["spec.clusterIP", "spec.type"],
        createsOnUpdate: true,
        returnsDeleted: true,
        hooks: { validate: serviceErrors, prepare: prepareService },
      },
      { kind: "ServiceAccount", plural: "serviceaccounts", short: ["sa"], returnsDeleted: true },
      {
        kind: "Endpoints",
        plural: "endpoints",
        short: ["ep"],
        deprecation: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
      },
      {
        kind: "Node",
        plural: "nodes",
        scope: "Cluster",
        short: ["no"],
        status: true,
        keepsStatus: true,
        fields: ["spec.unschedulable"],
        hooks: { prepare: taintNode },
      },
      {
        kind: "PersistentVolume",
        plural: "persistentvolumes",
        scope: "Cluster",
        short: ["pv"],
        status: true,
        fields: ["name"],
        returnsDeleted: true,
        hooks: { prepare: timePhase },
      },
      {
        kind: "PersistentVolumeClaim",
        plural: "persistentvolumeclaims",
        short: ["pvc"],
        status: true,
        fields: ["name"],
        returnsDeleted: true,
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
      },
      { kind: "ResourceQuota", plural: "resourcequotas", short: ["quota"], status: true, returnsDeleted: true },
      { kind: "LimitRange", plural: "limitranges", short: ["limits"] },
      { kind: "PodTemplate", plural: "podtemplates", generation: true, returnsDeleted: true },
    ],
  },
];

/** `stringData` is written into `data` and never stored. */
function moveStringData(draft: JsonObject): void {
  const { stringData } = draft;
  if (!isObject(stringData)) return;
  const data: JsonObject = { ...(isObject(draft["data"]) ? draft["data"] : {}) };
  for (const [key, value] of Object.entries(stringData)) data[key] = Buffer.from(String(value)).toString("base64");
  delete draft["stringData"];
  draft["data"] = data;
}

/** A node takes pods when somebody says that it is ready (admission `TaintNodesByCondition`). */
function taintNode(draft: JsonObject, previous: JsonObject | undefined): void {
  if (previous !== undefined) return;
  const spec = isObject(draft["spec"]) ? draft["spec"] : {};
  const taints: readonly unknown[] = Array.isArray(spec["taints"]) ? spec["taints"] : [];
  if (taints.some((taint) => isObject(taint) && taint["key"] === NOT_READY && taint["effect"] === "NoSchedule")) return;
  draft["spec"] = { ...spec, taints: [...taints, { key: NOT_READY, effect: "NoSchedule" }] };
}

const NOT_READY = "node.kubernetes.io/not-ready";

function timePhase(draft: JsonObject, previous: JsonObject | undefined, { clock }: { readonly clock: Clock }): void {
  if (previous !== undefined) return;
  const status = isObject(draft["status"]) ? draft["status"] : {};
  draft["status"] = { ...status, lastPhaseTransitionTime: secondsOf(clock.now()) };
}
