/**
 * The plan of a save: computes the patches from the findings of a pass and the newest known object. It is pure and computed again after
 * every conflict, so fields and conditions of other writers stay.
 */
import { applyMergePatch, type Condition, createMergePatch, type KubernetesObject } from "@treadle/apimachinery";
import { type ConditionFacts, conditionsSoFar, finalConditions } from "./compute-conditions.ts";
import { RECONCILE_REQUESTED_ANNOTATION, stateAnnotationOf } from "../build/names.ts";
import type { Intents } from "../record/pass-drafts.ts";
import type { Pipeline } from "../build/pipeline.ts";
import { storedState } from "../record/state.ts";

/** The status as the engine reads it. */
export type Status = Readonly<Record<string, unknown>> & { readonly conditions?: readonly Condition[] };

/** The input of a save: the findings and drafts when it began. */
export interface Plan {
  /** `final`: the end of the pass, with conditions and observedGeneration. `checkpoint`: what steps wrote so far. */
  readonly stage: "checkpoint" | "final";
  readonly pipeline: Pipeline;
  /** The object as the pass loaded it. */
  readonly object: KubernetesObject;
  /** Asked after the parts of extensions: a part that cannot be computed is among the facts. */
  readonly facts: () => ConditionFacts;
  readonly intents: Intents;
  /** The parts of the status that extensions own; each computes its value from the stored one. */
  readonly parts: readonly { readonly field: string; readonly compute: (stored: unknown) => unknown }[];
}

/** Computes the patch of metadata and, at the end, spec; `undefined` if nothing changes. */
export function objectPatch(plan: Plan, newest: KubernetesObject): object | undefined {
  const { stage, intents } = plan;
  const metadata = pruned({
    labels: changeOf(newest.metadata.labels, intents.labels.changes),
    annotations: changeOf(newest.metadata.annotations, annotationChanges(plan, newest)),
  });
  const spec = stage === "final" ? changeOf(specOf(newest), intents.spec.changes) : undefined;
  return pruned({ metadata, spec });
}

/** Computes the patch of the status: the author's changes, step state, conditions, observedGeneration and the parts of extensions. */
export function statusPatch(plan: Plan, newest: KubernetesObject): object | undefined {
  const before = statusOf(newest);
  const intended = withIntents(plan, before);
  const kept = keptFields(plan, newest, before);
  if (intended === before && kept === undefined) return undefined;
  const status = createMergePatch(before ?? {}, { ...intended, ...kept });
  return status === undefined ? undefined : { status };
}

/** Computes the patch of the author's changes and step state; `undefined` if the status has them all. */
export function intentsPatch(plan: Plan, newest: KubernetesObject): unknown {
  const before = statusOf(newest);
  return createMergePatch(before ?? {}, withIntents(plan, before) ?? {});
}

/** The changed fields that the engine and its extensions keep. */
function keptFields(plan: Plan, newest: KubernetesObject, before: Status | undefined): Partial<Status> | undefined {
  const { stage, pipeline, object, parts } = plan;
  const changed: Record<string, unknown> = {};
  const set = (field: string, value: unknown): void => void (value !== before?.[field] && (changed[field] = value));
  if (stage === "final") for (const { field, compute } of parts) set(field, compute(before?.[field]));
  const facts = plan.facts();
  const { conditions: rules } = pipeline;
  if (rules !== undefined) {
    const live = before?.conditions;
    const conditions = stage === "final" ? finalConditions(pipeline, rules, { facts, newest, before: live }) : conditionsSoFar(facts, live);
    if (conditions.length > 0 || live !== undefined) set("conditions", conditions);
    const { generation, annotations } = object.metadata;
    if (stage === "final" && rules.keepsObservedGeneration && facts.type !== "gated" && generation !== undefined) {
      set("observedGeneration", generation);
      // The status of a foreign kind has no field for the request.
      const request = pipeline.kind.resource === undefined ? undefined : annotations?.[RECONCILE_REQUESTED_ANNOTATION];
      if (request !== undefined) set("lastHandledReconcileAt", request);
    }
  }
  for (const _ in changed) return changed as Partial<Status>;
  return undefined;
}

function annotationChanges({ pipeline, intents }: Plan, newest: KubernetesObject): unknown {
  const changes = intents.annotations.changes as Record<string, unknown> | undefined;
  if (pipeline.stateIn !== "annotation") return changes;
  const states = stateChanges(intents);
  if (states === undefined) return changes;
  const all = applyMergePatch(storedState(pipeline, newest), states);
  const former = pipeline.before.names.slice(1).map((name) => [stateAnnotationOf(name), null] as const);
  return { ...changes, ...Object.fromEntries(former), [stateAnnotationOf(pipeline.name)]: JSON.stringify(all) };
}

/** The status with the author's changes and step state; the same value if there are none. */
function withIntents({ pipeline, intents }: Plan, before: Status | undefined): Status | undefined {
  const steps = pipeline.stateIn === "status" ? stateChanges(intents) : undefined;
  const changes = pruned({ ...(intents.status.changes as object | undefined), steps });
  return changes === undefined ? before : (applyMergePatch(before ?? {}, changes) as Status);
}

function stateChanges({ states }: Intents): object | undefined {
  return states.size === 0 ? undefined : pruned(Object.fromEntries([...states].map(([step, { changes }]) => [step.name, changes])));
}

/** The part of `intent` that `before` does not have. */
export function changeOf(before: object | undefined, intent: unknown): unknown {
  return intent === undefined ? undefined : createMergePatch(before ?? {}, applyMergePatch(before ?? {}, intent));
}

export function statusOf(object: KubernetesObject): Status | undefined {
  return (object as { readonly status?: Status }).status;
}

export function specOf(object: KubernetesObject): object | undefined {
  return (object as { readonly spec?: object }).spec;
}

/** The members that are not undefined, or undefined if there are none. */
function pruned(members: Readonly<Record<string, unknown>>): object | undefined {
  const present = Object.entries(members).filter(([, value]) => value !== undefined);
  return present.length === 0 ? undefined : Object.fromEntries(present);
}
