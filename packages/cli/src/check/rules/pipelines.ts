/** Rules of pipelines that `build()` does not refuse: it refuses what cannot work, and these work badly. */
import { groupKindOf } from "@treadle/apimachinery";
import { leavesOf, type Pipeline, type StepRuntime } from "@treadle/reconcile/unstable/engine";
import type { CheckedProgram, Finding, Rule } from "../problem.ts";

type PipelineRule = Rule<CheckedProgram>;

const noConditions: PipelineRule = {
  id: "no-conditions",
  severity: "warning",
  demands: "The handlers of a kind of the operator keep conditions.",
  remedy: "Add .step(conditions()) as the first step.",
  find: ({ pipelines }) =>
    pipelines
      .filter(({ kind, conditions }) => kind.resource !== undefined && conditions === undefined)
      // Another handler may keep them.
      .filter(({ kind }) => pipelines.every((other) => groupKindOf(other.kind) !== groupKindOf(kind) || other.conditions === undefined))
      .map(({ name, kind }) => ({ where: name, message: `Nothing in the status of a ${kind.kind} says whether it is ready, or why not.` })),
};

const readyIgnoresAll: PipelineRule = {
  id: "ready-ignores-all",
  severity: "warning",
  demands: "Ready counts at least one of the conditions that the steps declare.",
  remedy: 'Let Ready count a condition: remove ready: "ignored" from it.',
  find: ({ pipelines }) =>
    pipelines.flatMap(({ name, conditions }) => {
      const declared = [...(conditions?.declared.values() ?? [])];
      const isIgnored = conditions?.computesReady === true && declared.length > 0 && declared.every(({ counts }) => !counts);
      return isIgnored ? [{ where: name, message: "Ready ignores every condition that the steps declare." }] : [];
    }),
};

const ownedNotRemoved: PipelineRule = {
  id: "owned-not-removed",
  severity: "error",
  demands: "A step that creates cluster-scoped objects for an object in a namespace has a cleanup.",
  remedy: "Add a cleanup that deletes the objects, or use dependentApply(), which does.",
  find: ({ pipelines }) =>
    pipelines
      .filter(({ kind }) => kind.scope === "Namespaced")
      .flatMap((pipeline) =>
        pipeline.leaves
          .filter(({ cleanup, refersFrom }) => cleanup === undefined && refersFrom === undefined)
          .flatMap((step) =>
            step.owns
              .filter(({ scope }) => scope === "Cluster")
              .map((owned) => ({
                where: placeOf(pipeline, step),
                message: `Its ${owned.kind} is never deleted: an object of the whole cluster cannot have an owner in a namespace.`,
              })),
          ),
      ),
};

const givesUnused: PipelineRule = {
  id: "gives-unused",
  severity: "warning",
  demands: "A step that gives vars has a later step that needs them.",
  remedy: "Add the step to needs of the step that uses the vars. Or remove gives.",
  find: ({ pipelines }) =>
    pipelines.flatMap((pipeline) => {
      const needed = new Set(pipeline.leaves.flatMap(({ needs }) => leavesOf(needs)));
      return pipeline.leaves
        .filter((step) => (step.gives?.names.length ?? 0) > 0 && !needed.has(step))
        .map((step) => ({ where: placeOf(pipeline, step), message: `No step needs what it gives: ${step.gives?.names.join(", ")}.` }));
    }),
};

const timeoutWithoutEffect: PipelineRule = {
  id: "timeout-without-effect",
  severity: "warning",
  demands: "The time limit of a step is not longer than that of the pass.",
  remedy: "Shorten timeoutMs, or raise deadlines.passMs of the handler.",
  find: ({ pipelines }) =>
    pipelines.flatMap((pipeline) =>
      pipeline.leaves
        .filter(({ timeoutMs }) => (timeoutMs ?? 0) > pipeline.deadlines.passMs)
        .map((step) => ({
          where: placeOf(pipeline, step),
          message: `Its timeoutMs is ${step.timeoutMs}, but the pass ends after ${pipeline.deadlines.passMs} ms.`,
        })),
    ),
};

const deprecatedVersion: PipelineRule = {
  id: "deprecated-version",
  severity: "warning",
  demands: "A handler reconciles a version that is not deprecated.",
  remedy: "Move the handler to the stored version.",
  find: ({ pipelines, crds }) =>
    pipelines.flatMap(({ name, kind }) => {
      const crd = crds.find(({ spec }) => spec.group === kind.group && spec.names.kind === kind.kind);
      const version = crd?.spec.versions.find((each) => each.name === kind.version);
      if (version?.deprecated !== true) return [];
      return [{ where: name, message: `It reconciles ${kind.kind} in ${kind.version}, which is deprecated: each request gets a warning.` }];
    }),
};

const eventsSwitchedOff: PipelineRule = {
  id: "events-switched-off",
  severity: "warning",
  demands: "A manager whose handlers declare events writes events.",
  remedy: "Remove events: false of the manager, or the events of the steps.",
  find: ({ managers, pipelines }) =>
    managers
      .filter(({ events }) => events === false)
      .flatMap(({ handlers }) => pipelines.filter(({ name }) => handlers.some((handler) => handler.name === name)))
      .flatMap((pipeline) =>
        pipeline.leaves
          .filter(({ events }) => events.length > 0)
          .map((step) => ({ where: placeOf(pipeline, step), message: `Its events are never written: ${step.events.join(", ")}.` })),
      ),
};

/** All rules of pipelines. */
export const PIPELINE_RULES: readonly PipelineRule[] = [
  noConditions,
  readyIgnoresAll,
  ownedNotRemoved,
  givesUnused,
  timeoutWithoutEffect,
  deprecatedVersion,
  eventsSwitchedOff,
];

function placeOf({ name }: Pipeline, step: StepRuntime): Finding["where"] {
  return `${name}, step ${step.name}`;
}
