/** Rows of workloads, by the id of their kind (pkg/printers/internalversion of Kubernetes). */
import type { JsonObject } from "../internal/json.ts";
import { age, containerCells, formatBoolean, formatLabels, formatSelector, humanDuration, orNone, selectorText } from "./format.ts";
import type { Printer } from "./printer.ts";
import { at, hasCondition, listAt, numberAt, objectAt, textAt } from "../internal/read.ts";

export const WORKLOADS: Readonly<Record<string, Printer>> = {
  podtemplates: (object, { name }) => [
    name,
    ...templateCells(object, "template"),
    formatLabels(at(object, "template", "metadata", "labels")),
  ],
  replicationcontrollers: (object, { name, age: created }) => [
    name,
    ...replicaCells(object),
    created,
    ...templateCells(object, "spec", "template"),
    formatLabels(at(object, "spec", "selector")),
  ],
  "replicasets.apps": (object, { name, age: created }) => [
    name,
    ...replicaCells(object),
    created,
    ...templateCells(object, "spec", "template"),
    formatSelector(at(object, "spec", "selector")),
  ],
  "deployments.apps": (object, { name, age: created }) => [
    name,
    readyOf(object),
    numberAt(object, "status", "updatedReplicas"),
    numberAt(object, "status", "availableReplicas"),
    created,
    ...templateCells(object, "spec", "template"),
    selectorText(at(object, "spec", "selector")),
  ],
  "statefulsets.apps": (object, { name, age: created }) => [name, readyOf(object), created, ...templateCells(object, "spec", "template")],
  "daemonsets.apps": (object, { name, age: created }) => [
    name,
    ...["desiredNumberScheduled", "currentNumberScheduled", "numberReady", "updatedNumberScheduled", "numberAvailable"].map((field) =>
      numberAt(object, "status", field),
    ),
    formatLabels(at(object, "spec", "template", "spec", "nodeSelector")),
    created,
    ...templateCells(object, "spec", "template"),
    formatSelector(at(object, "spec", "selector")),
  ],
  "controllerrevisions.apps": (object, { name, age: created }) => [name, controllerOf(object), numberAt(object, "revision"), created],
  "jobs.batch": (object, { name, age: created, nowMs }) => [
    name,
    jobStatus(object),
    jobCompletions(object),
    jobDuration(object, nowMs),
    created,
    ...templateCells(object, "spec", "template"),
    formatSelector(at(object, "spec", "selector")),
  ],
  "cronjobs.batch": (object, { name, age: created, nowMs }) => {
    const last = at(object, "status", "lastScheduleTime");
    return [
      name,
      textAt(object, "spec", "schedule"),
      orNone(textAt(object, "spec", "timeZone")),
      formatBoolean(at(object, "spec", "suspend")),
      listAt(object, "status", "active").length,
      last === undefined ? "<none>" : age(last, nowMs),
      created,
      ...templateCells(object, "spec", "jobTemplate", "spec", "template"),
      formatSelector(at(object, "spec", "jobTemplate", "spec", "selector")),
    ];
  },
};

function templateCells(object: JsonObject, ...path: readonly string[]): readonly [string, string] {
  return containerCells(listAt(objectAt(object, ...path), "spec", "containers"));
}

function replicaCells(object: JsonObject): readonly number[] {
  return [desired(object), numberAt(object, "status", "replicas"), numberAt(object, "status", "readyReplicas")];
}

function readyOf(object: JsonObject): string {
  return `${numberAt(object, "status", "readyReplicas")}/${desired(object)}`;
}

function desired(object: JsonObject): number {
  return at(object, "spec", "replicas") === undefined ? 1 : numberAt(object, "spec", "replicas");
}

function controllerOf(object: JsonObject): string {
  const owner = listAt(object, "metadata", "ownerReferences").find((one) => one["controller"] === true);
  if (owner === undefined) return "<none>";
  const [group] = textAt(owner, "apiVersion").includes("/") ? textAt(owner, "apiVersion").split("/") : [];
  const kind = [textAt(owner, "kind"), ...(group === undefined ? [] : [group])].join(".").toLowerCase();
  return `${kind}/${textAt(owner, "name")}`;
}

const JOB_CONDITIONS = [
  ["Complete", "Complete"],
  ["Failed", "Failed"],
] as const;

function jobStatus(job: JsonObject): string {
  for (const [condition, status] of JOB_CONDITIONS) if (hasCondition(job, condition)) return status;
  if (at(job, "metadata", "deletionTimestamp") !== undefined) return "Terminating";
  return ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find((condition) => hasCondition(job, condition)) ?? "Running";
}

function jobCompletions(job: JsonObject): string {
  const succeeded = numberAt(job, "status", "succeeded");
  const completions = at(job, "spec", "completions");
  if (completions !== undefined) return `${succeeded}/${String(completions)}`;
  const parallelism = numberAt(job, "spec", "parallelism");
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: JsonObject, nowMs: number): string {
  const start = textAt(job, "status", "startTime");
  if (start === "") return "";
  const end = textAt(job, "status", "completionTime");
  return humanDuration((end === "" ? nowMs : Date.parse(end)) - Date.parse(start));
}
