/** Kinds that run pods, and kinds about them. */
import { autoscalerFromV1, autoscalerToV1 } from "../autoscaler-versions.ts";
import { autoscalerErrors } from "../validation/autoscaling.ts";
import { priorityClassErrors } from "../validation/cluster.ts";
import { cronJobErrors, jobErrors } from "../validation/jobs.ts";
import { budgetErrors } from "../validation/limits.ts";
import {
  autoscalerStatusErrors,
  budgetStatusErrors,
  daemonSetStatusErrors,
  deploymentStatusErrors,
  jobStatusErrors,
  replicaSetStatusErrors,
  statefulSetStatusErrors,
} from "../validation/statuses.ts";
import { nameWarnings, templateWarningsAt } from "../validation/pod-warnings.ts";
import {
  controllerRevisionErrors,
  daemonSetErrors,
  deploymentErrors,
  replicaSetErrors,
  statefulSetErrors,
} from "../validation/workloads.ts";
import { type JsonObject, valueAt } from "../../internal/json.ts";
import { numberTemplate, prepareJob, renumberTemplate } from "../workloads.ts";
import { all, type Group } from "./row.ts";

const ofTemplate = templateWarningsAt("spec", "template");

function statefulSetWarnings(draft: JsonObject, previous: JsonObject | undefined): readonly string[] {
  const limit = valueAt(draft, ["spec", "revisionHistoryLimit"]);
  const text = "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended";
  return [...ofTemplate(draft, previous), ...(Number(limit) < 0 ? [text] : [])];
}

/** Returns the warnings of a kind whose name becomes part of the names of its pods. */
function namedWarnings(...template: readonly string[]): (draft: JsonObject, previous: JsonObject | undefined) => readonly string[] {
  return (draft, previous) => [
    ...(previous === undefined ? nameWarnings(String(valueAt(draft, ["metadata", "name"])), "Pod names and hostnames") : []),
    ...templateWarningsAt(...template)(draft, previous),
  ];
}

export const WORKLOAD_GROUPS: readonly Group[] = [
  {
    group: "apps",
    versions: ["v1"],
    rows: [
      {
        kind: "Deployment",
        plural: "deployments",
        short: ["deploy"],
        categories: all,
        status: true,
        scale: true,
        generation: true,
        hooks: { validate: deploymentErrors, validateStatus: deploymentStatusErrors, warn: namedWarnings("spec", "template") },
      },
      {
        kind: "ReplicaSet",
        plural: "replicasets",
        short: ["rs"],
        categories: all,
        status: true,
        scale: true,
        generation: true,
        fields: ["status.replicas"],
        hooks: { validate: replicaSetErrors, validateStatus: replicaSetStatusErrors, warn: namedWarnings("spec", "template") },
      },
      {
        kind: "StatefulSet",
        plural: "statefulsets",
        name: "label",
        short: ["sts"],
        categories: all,
        status: true,
        scale: true,
        generation: true,
        hooks: { validate: statefulSetErrors, validateStatus: statefulSetStatusErrors, warn: statefulSetWarnings },
      },
      {
        kind: "DaemonSet",
        plural: "daemonsets",
        short: ["ds"],
        categories: all,
        status: true,
        generation: true,
        hooks: {
          convert: numberTemplate,
          prepare: renumberTemplate,
          validate: daemonSetErrors,
          validateStatus: daemonSetStatusErrors,
          warn: ofTemplate,
        },
      },
      {
        kind: "ControllerRevision",
        plural: "controllerrevisions",
        hooks: { validate: controllerRevisionErrors, rechecksMetadata: true },
      },
    ],
  },
  {
    group: "batch",
    versions: ["v1"],
    rows: [
      {
        kind: "Job",
        plural: "jobs",
        categories: all,
        status: true,
        generation: true,
        fields: ["status.successful"],
        orphansDependents: true,
        hooks: {
          prepare: prepareJob,
          validate: jobErrors,
          validateStatus: jobStatusErrors,
          rechecksMetadata: true,
          warn: namedWarnings("spec", "template"),
        },
      },
      {
        kind: "CronJob",
        plural: "cronjobs",
        short: ["cj"],
        categories: all,
        status: true,
        generation: true,
        hooks: { validate: cronJobErrors, warn: namedWarnings("spec", "jobTemplate", "spec", "template") },
      },
    ],
  },
  {
    group: "autoscaling",
    versions: ["v2", "v1"],
    rows: [
      {
        kind: "HorizontalPodAutoscaler",
        plural: "horizontalpodautoscalers",
        short: ["hpa"],
        categories: all,
        status: true,
        hooks: { validate: autoscalerErrors, validateStatus: autoscalerStatusErrors },
        conversions: { v1: { fromStored: autoscalerToV1, toStored: autoscalerFromV1 } },
      },
    ],
  },
  {
    group: "policy",
    versions: ["v1"],
    rows: [
      {
        kind: "PodDisruptionBudget",
        plural: "poddisruptionbudgets",
        name: "segment",
        short: ["pdb"],
        status: true,
        generation: true,
        needsVersion: true,
        hooks: { validate: budgetErrors, validateStatus: budgetStatusErrors },
      },
    ],
  },
  {
    group: "scheduling.k8s.io",
    versions: ["v1"],
    rows: [
      {
        kind: "PriorityClass",
        plural: "priorityclasses",
        scope: "Cluster",
        short: ["pc"],
        generation: true,
        hooks: { validate: priorityClassErrors },
      },
    ],
  },
];
