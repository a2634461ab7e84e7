/** Kinds that run pods, and those about them. */
import { jobErrors, selectorErrors, statefulSetErrors } from "../validate.ts";
import { numberTemplate, prepareJob, renumberTemplate } from "../workloads.ts";
import { all, type Group } from "./row.ts";

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
        hooks: { validate: selectorErrors },
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
        hooks: { validate: selectorErrors },
      },
      {
        kind: "StatefulSet",
        plural: "statefulsets",
        short: ["sts"],
        categories: all,
        status: true,
        scale: true,
        generation: true,
        hooks: { validate: statefulSetErrors },
      },
      {
        kind: "DaemonSet",
        plural: "daemonsets",
        short: ["ds"],
        categories: all,
        status: true,
        generation: true,
        hooks: { convert: numberTemplate, prepare: renumberTemplate, validate: selectorErrors },
      },
      { kind: "ControllerRevision", plural: "controllerrevisions" },
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
        hooks: { prepare: prepareJob, validate: jobErrors },
      },
      { kind: "CronJob", plural: "cronjobs", short: ["cj"], categories: all, status: true, generation: true },
    ],
  },
  {
    group: "autoscaling",
    versions: ["v2"],
    rows: [{ kind: "HorizontalPodAutoscaler", plural: "horizontalpodautoscalers", short: ["hpa"], categories: all, status: true }],
  },
  {
    group: "policy",
    versions: ["v1"],
    rows: [
      { kind: "PodDisruptionBudget", plural: "poddisruptionbudgets", short: ["pdb"], status: true, generation: true, needsVersion: true },
    ],
  },
  {
    group: "scheduling.k8s.io",
    versions: ["v1"],
    rows: [{ kind: "PriorityClass", plural: "priorityclasses", scope: "Cluster", short: ["pc"], generation: true }],
  },
];
