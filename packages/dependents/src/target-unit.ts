/** A step of dependentApply() with a target in one pass, as the code of targets sees it. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { truncate, waitBecause } from "@treadle/reconcile/unstable/engine";
import type { Wait } from "@treadle/reconcile";
import { z } from "zod";
import { removedAll, waitFor } from "./cleanup-step.ts";
import type { DependentState } from "./core/entries.ts";
import { unseenEntries } from "./extension/entries.ts";
import type { ExtendedDependent } from "./extension/data.ts";
import { ONCE_STATE } from "./once.ts";
import { remoteSteps } from "./target-extension.ts";
import { targetKeyOf } from "./targets/pass/services.ts";
import { STORED_TARGET } from "./targets/pass/stored-target.ts";
import type { TargetReport, TargetState, TargetStep } from "./targets/pass/target-step.ts";
import type { TargetDefinition } from "./targets/types.ts";
import { type AnyCleanupReq, type AnyDoReq, type Definition, entriesOfUnit, report, type Unit, unitOf } from "./unit.ts";

/** The step state. */
export interface RemoteState extends TargetState {
  /** The namespaces of objects in the target. */
  namespaces: readonly string[];
  /** Whether objects of a version without target may be in the cluster of the operator; `undefined`: that was not looked at. */
  own?: boolean | undefined;
}

/** The schema of {@link RemoteState}, with the state of a step with `once`. */
export const REMOTE_STATE: z.ZodObject = z.object({
  ...ONCE_STATE.shape,
  target: STORED_TARGET.describe("Cluster of the objects"),
  abandoned: z.boolean().optional().describe("Whether the annotation abandon-target was used"),
  namespaces: z.array(z.string()).default([]).describe("Namespaces of objects in the target"),
  own: z.boolean().optional().describe("Whether objects of a version without target may exist"),
});

/** Returns the state of a step with a target. */
export function remoteStateOf({ req }: Pick<Unit, "req">): RemoteState {
  return req.state as unknown as RemoteState; // The step declares this schema.
}

/** Whether objects may exist anywhere, as far as the state knows. */
export function mayBeAnywhere(unit: Unit): boolean {
  const state = remoteStateOf(unit);
  return state.target !== undefined || isInOwn(unit, state);
}

/** A version without target has left an entry of a ready object, and no state. Other entries may be of an object that never existed. */
function isInOwn(unit: Unit, state: RemoteState): boolean {
  if (state.target === undefined && state.own === undefined) state.own = entriesOfUnit(unit).some(({ type }) => type === "Ready");
  return state.own === true;
}

/** Returns the step, for the code of targets. */
export function targetStepOf(definition: Definition, unit: Unit<AnyDoReq | AnyCleanupReq>, target: TargetDefinition): TargetStep {
  const { dependent, req, pass, context } = unit;
  const { name, policy } = dependent;
  const state = remoteStateOf(unit);
  const memory = remoteSteps.of(req).memory.of(name);
  return {
    name,
    noun: "step",
    key: targetKeyOf(pass, name),
    owner: context.owner,
    req,
    pass,
    target,
    targets: memory.targets,
    state,
    isPlanned: req.isDryRun && "vars" in req,
    hasObjects: () => isInOwn(unit, state),
    // The namespaces follow from the names.
    isOwnWhole: () => false,
    kinds: () => [policy.kind.kind],
    report: (given) => reportTarget(unit, given),
    removeAt: async (place) => {
      const there = unitOf(definition, req, { place, live: NOTHING_SEEN, isWatched: false, namespaces: state.namespaces });
      const left = await removedAll(there, true);
      return left.length === 0 ? undefined : waitFor(left, undefined);
    },
    forget: () => {
      state.target = undefined;
      state.namespaces = [];
      state.own = false;
      memory.live = NOTHING_SEEN;
      context.memory.forget(name);
    },
  };
}

const NOTHING_SEEN: ReadonlyMap<string, KubernetesObject> = new Map();

/** Sets the entries of the objects, and ends the pass. What exists stays. */
function reportTarget(unit: Unit, { reason, message, needsAction = false, afterMs }: TargetReport): Wait {
  const text = truncate(unit.pass.hide(message), 1_000);
  const isFailed = reason !== "TargetUnreachable";
  reportUnseen(unit, { type: isFailed ? "Failed" : "Unknown", reason, message: text });
  return waitBecause(text, { code: reason, severity: isFailed ? "failed" : "unknown", needsAction, afterMs });
}

/** Reports one state for all objects of the step. */
export function reportUnseen(unit: Unit, state: DependentState): void {
  const { dependent, pass } = unit;
  const { handler, object } = pass;
  const extended = handler.steps.find(({ name }) => name === dependent.name) as ExtendedDependent; // The step runs in this handler.
  if (!dependent.isChecked) return;
  pass.found.told.add(dependent.name);
  report(unit, unseenEntries({ handler, object }, extended, { state, cause: state.type === "Failed" ? "error" : "transient" }));
}
