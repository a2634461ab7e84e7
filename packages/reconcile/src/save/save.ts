/** Save: sends the plan of a pass, as at most one patch of the object and one of its status. No change, no request. */
import {
  applyMergePatch,
  type Condition,
  createMergePatch,
  isForbidden,
  isInvalid,
  jsonEqual,
  type KubernetesObject,
} from "@treadle/apimachinery";
import { ReconcileError } from "../errors.ts";
import { type ConditionFacts, deletingSoFar } from "./compute-conditions.ts";
import { failure } from "./step-settings.ts";
import { Budget } from "../internal/deadline.ts";
import { guardedBy, settingBy } from "./extension-hooks.ts";
import { endedScopeOf } from "./extension-scope.ts";
import { entryHandlerOf } from "../build/names.ts";
import type { Pipeline } from "../build/pipeline.ts";
import type { AnyExtension } from "../extension.ts";
import { requireStored } from "./not-stored.ts";
import { deepFreeze } from "../fetches.ts";
import type { Pass } from "../record/pass-state.ts";
import { changeOf, intentsPatch, objectPatch, type Plan, specOf, statusOf, statusPatch } from "./plan.ts";
import type { Setting } from "../record/progress.ts";
import type { StepRuntime } from "../build/step-runtime.ts";
import { storedState } from "../record/state.ts";
import { guarded, noteNotStored, notStoredBefore } from "./status-guards.ts";
import { type Limit, PrimaryGone, QuietRequeue, type WriteOptions, type Written } from "../record/writer.ts";

/** Stores everything at the end of a pass. */
export async function save(pass: Pass, limit: Limit): Promise<void> {
  let refused = await saveObject(pass, limit);
  // Metadata is stored before state, or none of it: state with "done" must not exist without the metadata with the place.
  if (refused !== undefined) pass.drafts.discard();
  try {
    await saveStatus(pass, limit);
  } catch (error) {
    if (isForbidden(error)) throw withoutRight(pass, error);
    if (!isInvalid(error)) throw error;
    // What the steps wrote into the status breaks its schema. The conditions can still report it.
    const refusal = pass.hideInError(error);
    refused ??= { error: refusal };
    pass.trouble ??= failure(refusal, "cannot store what the steps wrote: ");
    pass.drafts.status.discard();
    await saveStatus(pass, limit);
  }
  if (refused !== undefined) throw refused.error;
}

function withoutRight({ pipeline: { kind } }: Pass, cause: Error): ReconcileError {
  const resource = `${kind.plural}${kind.group === "" ? "" : `.${kind.group}`}/status`;
  const message = `${cause.message}; allow patch of ${resource} to the operator's service account`;
  return new ReconcileError("ERR_SAVE_FAILED", message, { cause });
}

/** Stores the status. If the answer of the server lacks fields, or has them again, Ready reports it by a second patch. */
async function saveStatus(pass: Pass, limit: Limit): Promise<void> {
  pass.notStored = notStoredBefore(pass);
  const options: WriteOptions = { limit, ...guardOf(pass), send: (patch, send) => guarded(pass, patch, send) };
  for (const isLast of [false, true]) {
    const reported = pass.notStored?.message;
    const written = await writeStatus(pass, planOf(pass, "final"), options);
    if (written.type === "too fast") return;
    pass.notStored = noteNotStored(pass, missingOf(pass.writer.newest, written), written.type === "sent");
    if (isLast || pass.notStored?.message === reported) return;
  }
}

/** The part of a patch that the answer of the server lacks. */
function missingOf(newest: KubernetesObject, { patch }: Written): object | undefined {
  if (patch === undefined) return undefined;
  const status = statusOf(newest) ?? {};
  const missing = createMergePatch(status, applyMergePatch(status, (patch as { readonly status?: unknown }).status));
  return missing === undefined ? undefined : { status: missing };
}

/** Stores only `trouble`, for a pass that is over: none of its decisions count. */
export async function saveTrouble(pass: Pass, trouble: Setting, limit: Limit): Promise<void> {
  pass.settings.clear();
  pass.progress.clear();
  pass.drafts.discard();
  const plan = planOf(pass, "final");
  const type = pass.isDeleting ? ("deletion" as const) : ("gated" as const);
  const reported: Plan = { ...plan, facts: () => ({ ...factsOf(pass), type, trouble, given: NONE_GIVEN }), parts: [] };
  await pass.writer.write("status", (newest) => statusPatch(reported, newest), { limit });
}

/** Reports in Ready, while cleanups run, that the object is being deleted. The save at the end reports a failure. */
export async function announceDeletion(pass: Pass): Promise<void> {
  const { conditions: rules, leaves } = pass.pipeline;
  if (rules === undefined || pass.isDraining || !leaves.some(({ cleanup }) => cleanup !== undefined)) return;
  const change = (newest: KubernetesObject): object | undefined => {
    const before = statusOf(newest)?.conditions;
    const conditions: readonly Condition[] | undefined = deletingSoFar(rules, factsOf(pass), before);
    return conditions === before ? undefined : { status: { conditions } };
  };
  const limit = new Budget(pass.clock, pass.pipeline.deadlines.saveMs, {
    exceeded: () => new Error("the write took too long"),
    parent: pass.signal,
  });
  try {
    // Tried once: a conflict must neither end the pass nor hide a change from the checkpoints of the running cleanup.
    await pass.writer.write("status", change, { limit, isTriedOnce: true });
  } catch {
    // The save at the end meets the same failure, and reports it.
  } finally {
    limit.close();
  }
}

/** Stores metadata and spec. Returns the refusal of the server, so that the status can report it. */
async function saveObject(pass: Pass, limit: Limit): Promise<{ readonly error: unknown } | undefined> {
  try {
    const plan = planOf(pass, "final");
    await writeObject(pass, plan, { limit, ...guardOf(pass) });
    if (pass.specChangedBy !== undefined) requireStored(pass, changeOf(specOf(pass.writer.newest), plan.intents.spec.changes), "spec");
    return undefined;
  } catch (error) {
    if (error instanceof PrimaryGone || error instanceof QuietRequeue) throw error;
    const refusal = pass.hideInError(error);
    pass.trouble ??= failure(refusal, "cannot store what the steps wrote: ");
    return { error: refusal };
  }
}

/**
 * Stores drafts and state now.
 * @throws unless the server's answer contains what was sent. QuietRequeue if the object changed since the step decided. The side
 * effect of the step must not happen then.
 */
export async function checkpoint(pass: Pass, limit: Limit): Promise<void> {
  try {
    await storeNow(pass, limit);
  } catch (error) {
    // An invalid status of other steps must not block the checkpoint of this one.
    const restore = isInvalid(error) ? pass.drafts.status.withoutEarlier() : undefined;
    if (restore === undefined) throw error;
    try {
      await storeNow(pass, limit);
    } catch (again) {
      restore();
      throw again;
    }
    const refusal = pass.hideInError(error);
    pass.trouble ??= failure(refusal, "cannot store what the steps wrote: ");
    pass.failures.push({ rank: "save", error: refusal });
  }
}

async function storeNow(pass: Pass, limit: Limit): Promise<void> {
  const { writer, unprovenWrites = new Set<object>() } = pass;
  // This plan has what earlier checkpoints were to store.
  const included = [...unprovenWrites];
  const plan = planOf(pass, "checkpoint");
  await writeObject(pass, plan, { limit, guarded: "decision" });
  await writeStatus(pass, plan, { limit, guarded: "decision" });
  requireStored(pass, intentsPatch(plan, writer.newest), "status");
  requireStored(pass, objectPatch(plan, writer.newest), "");
  const { status, labels, annotations, states } = plan.intents;
  for (const taken of [status, labels, annotations, ...states.values()]) taken.stored();
  const stored = storedState(pass.pipeline, writer.newest);
  for (const [step, state] of pass.drafts.states) state.stored = stored[step.name];
  for (const write of included) unprovenWrites.delete(write);
}

/**
 * The guard of the save. What a step wrote before a checkpoint that failed must not be stored on an object that the
 * checkpoint would have refused: a step that saw an old object may have removed a name that the present object needs.
 */
function guardOf({ unprovenWrites }: Pass): Pick<WriteOptions, "guarded"> {
  return unprovenWrites === undefined || unprovenWrites.size === 0 ? NOT_GUARDED : { guarded: "decision" };
}

const NOT_GUARDED: Pick<WriteOptions, "guarded"> = {};

/** The plan from the findings so far. */
function planOf(pass: Pass, stage: Plan["stage"]): Plan {
  const { pipeline, object } = pass;
  return { stage, pipeline, object, facts: () => factsOf(pass), intents: pass.drafts.intents(), parts: partsOf(pass) };
}

/** What the conditions are computed from. */
function factsOf(pass: Pass): ConditionFacts {
  const given = givenByExtensions(pass); // A hook that throws is a trouble.
  const { pipeline, object, settings, progress, trouble, notStored, hidden, clock } = pass;
  return {
    type: pass.reports,
    settings,
    progress,
    trouble,
    notStored,
    hidden,
    leaves: pipeline.leaves,
    reported: pipeline.reporters,
    given,
    generation: object.metadata.generation,
    nowMs: clock.now(),
  };
}

const NONE_GIVEN: ReadonlyMap<StepRuntime, Setting> = new Map();

/** The settings that extensions give to the conditions of their steps. */
function givenByExtensions(pass: Pass): ReadonlyMap<StepRuntime, Setting> {
  const { extensions, leaves } = pass.pipeline;
  if (pass.reports === "gated" || !extensions.some(({ condition }) => condition !== undefined)) return NONE_GIVEN;
  const given = new Map<StepRuntime, Setting>();
  for (const step of leaves) {
    if (step.conditions.length === 0 || step.uses.size === 0) continue;
    const [setting] = extensions.flatMap((extension) => settingBy(pass, extension, step) ?? []);
    if (setting !== undefined) given.set(step, setting);
  }
  return given;
}

/** The parts of the status that extensions own and the kind has. */
function partsOf(pass: Pass): Plan["parts"] {
  const { extensions, kind } = pass.pipeline;
  const fields = kind.resource?.statusParts ?? [];
  return fields.map((field) => {
    const extension = extensions.find(({ status }) => status?.field === field);
    if (extension === undefined)
      return { field, compute: (stored) => (pass.reports === "gated" ? stored : pruned(pass.pipeline, field, stored)) };
    return { field, compute: (stored) => computed(pass, extension, stored) };
  });
}

/** A part that no step of this handler keeps any longer: without what its removed steps left in it. */
function pruned({ kind, before, leaves }: Pipeline, field: string, stored: unknown): unknown {
  const handlers = before.names.map((name) => entryHandlerOf({ kind, name }));
  return kind.resource?.pruneStatusPart(field, stored, { handlers, steps: new Set(leaves.map(({ name }) => name)) });
}

/** The part of an extension. */
function computed(pass: Pass, extension: AnyExtension, stored: unknown): unknown {
  const { status } = extension;
  if (status === undefined) return stored;
  return guardedBy(pass, extension, stored, () => {
    const value = status.compute(endedScopeOf(pass, extension), stored);
    if (value !== stored) JSON.stringify(value);
    return value;
  });
}

/** Returns the object with the parts of extensions as this pass will store them; the same object if nothing changes. */
export function withParts(pass: Pass): KubernetesObject {
  const { object } = pass;
  const status = statusOf(object);
  const fields = partsOf(pass).map(({ field, compute }) => [field, compute(status?.[field])] as const);
  if (fields.every(([field, value]) => value === status?.[field])) return object;
  return deepFreeze({ ...object, status: { ...status, ...Object.fromEntries(fields) } } as KubernetesObject);
}

function writeObject(pass: Pass, plan: Plan, options: WriteOptions): Promise<Written> {
  const change = (newest: KubernetesObject): object | undefined => {
    if (pass.pipeline.stateIn === "annotation") requireOwnState(pass, newest);
    return objectPatch(plan, newest);
  };
  return pass.writer.write("object", change, options);
}

function writeStatus(pass: Pass, plan: Plan, options: WriteOptions): Promise<Written> {
  const change = (newest: KubernetesObject): object | undefined => {
    if (pass.pipeline.stateIn === "status") requireOwnState(pass, newest);
    return statusPatch(plan, newest);
  };
  return pass.writer.write("status", change, options);
}

/** @throws QuietRequeue if another writer changed the state of one of our steps, on which the pass decided. */
function requireOwnState(pass: Pass, newest: KubernetesObject): void {
  const { states } = pass.drafts;
  if (!pass.writer.isRebased || states.size === 0) return;
  const live = storedState(pass.pipeline, newest);
  for (const [step, { stored }] of states) {
    if (!jsonEqual(live[step.name], stored)) throw new QuietRequeue(`the state of step "${step.name}" was changed by another writer`);
  }
}
