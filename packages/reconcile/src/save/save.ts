/** Save: sends the plan of a pass, as at most one patch of the object and one of its status. No change, no request. */
import { applyMergePatch, type Condition, createMergePatch, isInvalid, jsonEqual, type KubernetesObject } from "@treadle/apimachinery";
import { deletingSoFar, failure } from "./compute-conditions.ts";
import { Budget } from "../internal/deadline.ts";
import { endedScopeOf } from "./extension-scope.ts";
import { requireStored } from "./not-stored.ts";
import { deepFreeze } from "../fetches.ts";
import type { Pass } from "../record/pass-state.ts";
import { changeOf, intentsPatch, objectPatch, type Plan, specOf, statusOf, statusPatch } from "./plan.ts";
import type { Setting } from "../record/progress.ts";
import { storedState } from "../record/state.ts";
import { withoutRemovedSteps } from "./removed-steps.ts";
import { guarded, noteNotStored, notStoredBefore } from "./status-guards.ts";
import { type Limit, PrimaryGone, QuietRequeue, type WriteOptions, type Written } from "../record/writer.ts";

/** Stores everything at the end of a pass. */
export async function save(pass: Pass, limit: Limit): Promise<void> {
  let refused = await saveObject(pass, limit);
  // What steps wrote is stored in its order, or not: state that says "done" must not outlive the metadata that says where.
  if (refused !== undefined) pass.drafts.discard();
  try {
    await saveStatus(pass, limit);
  } catch (error) {
    if (!isInvalid(error)) throw error;
    // What the steps wrote into the status breaks its schema. The conditions can still report it.
    refused ??= { error };
    pass.trouble ??= failure(error, "cannot store what the steps wrote: ");
    pass.drafts.status.discard();
    await saveStatus(pass, limit);
  }
  if (refused !== undefined) throw refused.error;
}

/** Stores the status. Where the answer of the server lacks fields, or has them again, Ready reports it by a second patch. */
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

/** What of a patch the answer of the server lacks. */
function missingOf(newest: KubernetesObject, { patch }: Written): object | undefined {
  if (patch === undefined) return undefined;
  const status = statusOf(newest) ?? {};
  const missing = createMergePatch(status, applyMergePatch(status, (patch as { readonly status?: unknown }).status));
  return missing === undefined ? undefined : { status: missing };
}

/** Of a pass that is over: nothing that it decided, only that it came to no end. */
export async function saveTrouble(pass: Pass, trouble: Setting, limit: Limit): Promise<void> {
  pass.settings.clear();
  pass.progress.clear();
  pass.drafts.discard();
  const plan = planOf(pass, "final");
  const type = pass.isDeleting ? ("deletion" as const) : ("gated" as const);
  const told: Plan = { ...plan, facts: { ...plan.facts, type, trouble }, parts: [] };
  await pass.writer.write("status", (newest) => statusPatch(told, newest), { limit });
}

/** While cleanups run: Ready reports that the object is being deleted. A failure is for the save at the end to report. */
export async function announceDeletion(pass: Pass): Promise<void> {
  const { conditions: rules, leaves } = pass.pipeline;
  if (rules === undefined || pass.isDraining || !leaves.some(({ cleanup }) => cleanup !== undefined)) return;
  const change = (newest: KubernetesObject): object | undefined => {
    const before = statusOf(newest)?.conditions;
    const conditions: readonly Condition[] | undefined = deletingSoFar(rules, planOf(pass, "final").facts, before);
    return conditions === before ? undefined : { status: { conditions } };
  };
  const limit = new Budget(pass.clock, pass.pipeline.deadlines.saveMs, {
    exceeded: () => new Error("the write took too long"),
    parent: pass.signal,
  });
  try {
    // Guarded: a change that it meets would be hidden from the checkpoints of the cleanup that runs.
    await pass.writer.write("status", change, { limit, guarded: "decision" });
  } catch {
    // The save at the end meets the same failure, and reports it.
  } finally {
    limit.close();
  }
}

/** Metadata and spec. What the server refuses of them must not keep the status from reporting it: it is returned. */
async function saveObject(pass: Pass, limit: Limit): Promise<{ readonly error: unknown } | undefined> {
  try {
    const plan = planOf(pass, "final");
    await writeObject(pass, plan, { limit, ...guardOf(pass) });
    if (pass.specChangedBy !== undefined) requireStored(pass, changeOf(specOf(pass.writer.newest), plan.intents.spec.changes), "spec");
    return undefined;
  } catch (error) {
    if (error instanceof PrimaryGone || error instanceof QuietRequeue) throw error;
    pass.trouble ??= failure(error, "cannot store what the steps wrote: ");
    return { error };
  }
}

/**
 * Stores drafts and state now.
 * @throws unless the server's answer holds what was sent, and QuietRequeue when the object is no longer the one that the
 * step decided on: what it is about to do outside must not happen.
 */
export async function checkpoint(pass: Pass, limit: Limit): Promise<void> {
  try {
    await storeNow(pass, limit);
  } catch (error) {
    // What other steps put into the status must not keep this one from its write-ahead.
    const restore = isInvalid(error) ? pass.drafts.status.withoutEarlier() : undefined;
    if (restore === undefined) throw error;
    try {
      await storeNow(pass, limit);
    } catch (again) {
      restore();
      throw again;
    }
    pass.trouble ??= failure(error, "cannot store what the steps wrote: ");
    pass.failures.push({ rank: "save", error });
  }
}

async function storeNow(pass: Pass, limit: Limit): Promise<void> {
  const { writer, unprovenWrites } = pass;
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
  return unprovenWrites.size === 0 ? {} : { guarded: "decision" };
}

/** The plan of what the pass has found so far. */
function planOf(pass: Pass, stage: Plan["stage"]): Plan {
  const { pipeline, object, settings, progress, trouble, notStored, clock } = pass;
  const facts = {
    type: pass.reports,
    settings,
    progress,
    trouble,
    notStored,
    leaves: pipeline.leaves,
    generation: object.metadata.generation,
    nowMs: clock.now(),
  };
  return { stage, pipeline, object, facts, intents: pass.drafts.intents(), parts: partsOf(pass) };
}

/** The parts of the status that extensions own, of those that the kind has room for. */
function partsOf(pass: Pass): Plan["parts"] {
  const { extensions, kind } = pass.pipeline;
  const fields = kind.resource?.statusParts ?? [];
  return fields.map((field) => {
    const extension = extensions.find(({ status }) => status?.field === field);
    const { status } = extension ?? {};
    return {
      field,
      compute: (stored: unknown) =>
        extension === undefined || status === undefined
          ? pass.reports === "gated"
            ? stored
            : withoutRemovedSteps(pass.pipeline, stored)
          : status.compute(endedScopeOf(pass, extension), stored),
    };
  });
}

/** The object with the parts of extensions as this pass will store them; the very same where nothing changes. */
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

/** @throws QuietRequeue when another writer changed the state of one of our steps: the pass decided on what no longer holds. */
function requireOwnState(pass: Pass, newest: KubernetesObject): void {
  const { states } = pass.drafts;
  if (!pass.writer.isRebased || states.size === 0) return;
  const live = storedState(pass.pipeline, newest);
  for (const [step, { stored }] of states) {
    if (!jsonEqual(live[step.name], stored)) throw new QuietRequeue(`the state of step "${step.name}" was changed by another writer`);
  }
}
