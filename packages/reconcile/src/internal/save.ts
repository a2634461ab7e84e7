/**
 * Save: from the drafts of a pass to at most one patch of the object and one of its status. What must change is computed
 * against the newest state that is known, anew after every conflict, so other writers' fields and conditions stay.
 */
import {
  applyMergePatch,
  type Condition,
  conditionsWrittenBy,
  createMergePatch,
  isInvalid,
  jsonEqual,
  type KubernetesObject,
} from "@treadle/apimachinery";
import { computeConditions, conditionsSoFar, failure } from "./compute-conditions.ts";
import { dependentEntries } from "./dependent-entries.ts";
import { RECONCILE_REQUESTED_ANNOTATION, stateAnnotationOf } from "./names.ts";
import { noteNotStored, requireStored, unlessKnownFutile } from "./not-stored.ts";
import { leftovers } from "./paused.ts";
import { managersOf } from "./predecessors.ts";
import type { Intents, Pass } from "./pass-state.ts";
import { storedState } from "./state.ts";
import { unlessTooFast } from "./status-pace.ts";
import { type Limit, PrimaryGone, QuietRequeue, type WriteOptions } from "./writer.ts";

type Status = Readonly<Record<string, unknown>> & { readonly conditions?: readonly Condition[] };

/** Stores everything at the end of a pass. No change, no request. */
export async function save(pass: Pass, limit: Limit): Promise<void> {
  const { writer, memory } = pass;
  let refused = await saveObject(pass, limit);
  // What steps wrote is stored in its order, or not: state that says "done" must not outlive the metadata that says where.
  if (refused !== undefined) pass.discardDrafts();
  const before = writer.writes;
  try {
    await writeFinalStatus(pass, limit);
  } catch (error) {
    if (!isInvalid(error)) throw error;
    // What the steps wrote into the status breaks its schema. The conditions can still say so.
    refused ??= { error };
    pass.trouble ??= failure(error, "cannot store what the steps wrote: ");
    pass.status.discard();
    await writeFinalStatus(pass, limit);
  }
  if (writer.writes > before || (memory.notStored !== undefined && !pass.isStatusHeldBack))
    noteNotStored(pass, statusChange(pass, writer.newest, final(pass)), writer.writes > before);
  if (refused !== undefined) throw refused.error;
}

/** Of a pass that is over: nothing that it decided, only that it came to no end. */
export async function saveTrouble(pass: Pass, limit: Limit): Promise<void> {
  pass.type = pass.isDeleting ? "deletion" : "gated";
  pass.settings.clear();
  pass.progress.clear();
  pass.discardDrafts();
  const wish = final(pass);
  await pass.writer.write("status", (newest) => statusChange(pass, newest, wish), { limit });
}

async function writeFinalStatus(pass: Pass, limit: Limit): Promise<void> {
  const wish = final(pass);
  await writeStatus(pass, (newest) => unlessTooFast(pass, unlessKnownFutile(pass, statusChange(pass, newest, wish))), { limit });
}

/** Metadata and spec. What the server refuses of them must not keep the status from saying so: it is returned. */
async function saveObject(pass: Pass, limit: Limit): Promise<{ readonly error: unknown } | undefined> {
  try {
    const wish = final(pass);
    await writeObject(pass, wish, { limit });
    if (pass.specChangedBy !== undefined) requireStored(pass, changeOf(specOf(pass.writer.newest), wish.intents.spec.changes), "spec");
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
    const restore = isInvalid(error) ? pass.status.withoutEarlier() : undefined;
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
  const { writer } = pass;
  const wish: Wish = { stage: "checkpoint", intents: pass.intents() };
  await writeObject(pass, wish, { limit, guarded: "decision" });
  await writeStatus(pass, (newest) => statusChange(pass, newest, wish), { limit, guarded: "decision" });
  requireStored(pass, createMergePatch(statusOf(writer.newest), withIntents(pass, statusOf(writer.newest), wish)), "status");
  requireStored(pass, objectChange(pass, writer.newest, wish), "");
  const { status, labels, annotations, states } = wish.intents;
  for (const taken of [status, labels, annotations, ...states.values()]) taken.stored();
  const stored = storedState(pass.pipeline, writer.newest);
  for (const [step, state] of pass.states) state.stored = stored[step.name];
}

/** What a save is to store, as the drafts were when it began. */
interface Wish {
  readonly stage: "checkpoint" | "final";
  readonly intents: Intents;
}

function final(pass: Pass): Wish {
  return { stage: "final", intents: pass.intents() };
}

function writeObject(pass: Pass, wish: Wish, options: WriteOptions): Promise<void> {
  const change = (newest: KubernetesObject): object | undefined => {
    if (pass.pipeline.stateIn === "annotation") requireOwnState(pass, newest);
    return objectChange(pass, newest, wish);
  };
  return pass.writer.write("object", change, options);
}

function writeStatus(pass: Pass, changeOfStatus: (newest: KubernetesObject) => object | undefined, options: WriteOptions): Promise<void> {
  const change = (newest: KubernetesObject): object | undefined => {
    if (pass.pipeline.stateIn === "status") requireOwnState(pass, newest);
    return changeOfStatus(newest);
  };
  return pass.writer.write("status", change, options);
}

/** @throws QuietRequeue when somebody else changed the state of one of our steps: the pass decided on what no longer holds. */
function requireOwnState(pass: Pass, newest: KubernetesObject): void {
  if (!pass.writer.isRebased || pass.states.size === 0) return;
  const live = storedState(pass.pipeline, newest);
  for (const [step, { stored }] of pass.states) {
    if (!jsonEqual(live[step.name], stored)) throw new QuietRequeue(`the state of step "${step.name}" was changed by somebody else`);
  }
}

/** The patch of metadata and, at the end, spec that is wished for, or undefined. */
function objectChange(pass: Pass, newest: KubernetesObject, { stage, intents }: Wish): object | undefined {
  const metadata = pruned({
    labels: changeOf(newest.metadata.labels, intents.labels.changes),
    annotations: changeOf(newest.metadata.annotations, annotationChanges(pass, newest, intents)),
  });
  const spec = stage === "final" ? changeOf(specOf(newest), intents.spec.changes) : undefined;
  return pruned({ metadata, spec });
}

function annotationChanges(pass: Pass, newest: KubernetesObject, intents: Intents): unknown {
  const changes = intents.annotations.changes as Record<string, unknown> | undefined;
  if (pass.pipeline.stateIn !== "annotation") return changes;
  const states = stateChanges(intents);
  if (states === undefined) return changes;
  const all = applyMergePatch(storedState(pass.pipeline, newest), states);
  const former = pass.pipeline.before.names.slice(1).map((name) => [stateAnnotationOf(name), null] as const);
  return { ...changes, ...Object.fromEntries(former), [stateAnnotationOf(pass.pipeline.name)]: JSON.stringify(all) };
}

/** The patch of the status: the author's changes, step state, conditions and observedGeneration. */
function statusChange(pass: Pass, newest: KubernetesObject, wish: Wish): object | undefined {
  const { stage } = wish;
  const before = statusOf(newest);
  let wanted = withIntents(pass, before, wish);
  const { conditions: rules } = pass.pipeline;
  if (rules !== undefined) {
    const conditions = stage === "final" ? finalConditions(pass, newest, before) : conditionsSoFar(factsOf(pass), before?.conditions);
    if (conditions !== before?.conditions && (conditions.length > 0 || before?.conditions !== undefined))
      wanted = { ...wanted, conditions };
    const { generation } = pass.object.metadata;
    const observes = stage === "final" && rules.keepsObservedGeneration && pass.type !== "gated" && generation !== undefined;
    if (observes && before?.["observedGeneration"] !== generation) wanted = { ...wanted, observedGeneration: generation };
    const request = observes ? recordableRequest(pass) : undefined;
    if (request !== undefined && before?.["lastHandledReconcileAt"] !== request) wanted = { ...wanted, lastHandledReconcileAt: request };
  }
  const dependents = stage === "final" ? dependentEntries(pass, before) : undefined;
  if (dependents !== undefined) wanted = { ...wanted, dependents };
  if (wanted === before) return undefined;
  const status = createMergePatch(before ?? {}, wanted ?? {});
  return status === undefined ? undefined : { status };
}

/** What somebody asked for by the annotation; the status of somebody else's kind has no room for it. */
function recordableRequest({ pipeline, object }: Pass): string | undefined {
  return pipeline.kind.resource === undefined ? undefined : object.metadata.annotations?.[RECONCILE_REQUESTED_ANNOTATION];
}

function finalConditions(pass: Pass, newest: KubernetesObject, status: Status | undefined): readonly Condition[] {
  // A pipeline without conditions never comes here.
  const rules = pass.pipeline.conditions as NonNullable<typeof pass.pipeline.conditions>;
  const { before } = pass.pipeline;
  return computeConditions(rules, factsOf(pass), {
    conditions: status?.conditions,
    writtenByUs: new Set(
      [...managersOf(before).values()]
        .flatMap((manager) => [...conditionsWrittenBy(newest, manager)])
        .concat(leftovers(pass.pipeline, status?.conditions)),
    ),
  });
}

function factsOf(pass: Pass): Parameters<typeof computeConditions>[1] {
  const { type, settings, progress, trouble } = pass;
  return {
    type,
    settings,
    progress,
    trouble,
    leaves: pass.pipeline.leaves,
    generation: pass.object.metadata.generation,
    nowMs: pass.clock.now(),
  };
}

/** The status after the author's changes and those of step state; the very same value when there are none. */
function withIntents(pass: Pass, before: Status | undefined, { intents }: Wish): Status | undefined {
  const steps = pass.pipeline.stateIn === "status" ? stateChanges(intents) : undefined;
  const changes = pruned({ ...(intents.status.changes as object | undefined), steps });
  return changes === undefined ? before : (applyMergePatch(before ?? {}, changes) as Status);
}

function stateChanges({ states }: Intents): object | undefined {
  return pruned(Object.fromEntries([...states].map(([step, { changes }]) => [step.name, changes])));
}

/** What of `intent` is not so yet in `before`. */
function changeOf(before: object | undefined, intent: unknown): unknown {
  return intent === undefined ? undefined : createMergePatch(before ?? {}, applyMergePatch(before ?? {}, intent));
}

function statusOf(object: KubernetesObject): Status | undefined {
  return (object as { readonly status?: Status }).status;
}

function specOf(object: KubernetesObject): object | undefined {
  return (object as { readonly spec?: object }).spec;
}

/** The members that are there, or undefined when none is. */
function pruned(members: Readonly<Record<string, unknown>>): object | undefined {
  const present = Object.entries(members).filter(([, value]) => value !== undefined);
  return present.length === 0 ? undefined : Object.fromEntries(present);
}
