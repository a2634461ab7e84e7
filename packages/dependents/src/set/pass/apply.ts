/** The phase `do` of a set: inputs, plan, waves, removals, report. */
import { groupKindOf, isConflict, type Kind } from "@treadle/apimachinery";
import type { StepResult } from "@treadle/reconcile";
import { errorsIn, isTransientEnd, misuse, statusMessage, truncate, waitBecause } from "@treadle/reconcile/unstable/engine";
import { called, nameOfAnswer } from "../../core/ask.ts";
import { LOOK_AGAIN_MS } from "../../retry-later.ts";
import { countObjects, countStoredObjects } from "./count-objects.ts";
import { recordChanges, recordRemoval } from "./changes.ts";
import type { SetDefinition } from "../definition.ts";
import { forgetDone } from "./done.ts";
import type { Given } from "./outcome.ts";
import { entriesOfProblems } from "./entries.ts";
import { fillStatus } from "./fill-status.ts";
import { renderLaterIn } from "../render/host.ts";
import { hasSeen } from "../render/live-objects.ts";
import { NO_OBJECTS } from "../render/seen-objects.ts";
import { NoAnswer, noAnswerIn } from "../render/no-answer.ts";
import { withoutAnswer } from "./without-answer.ts";
import { type Request, requestOf } from "../render/inputs.ts";
import { failedAgain, failureOf, renderedFor } from "../render/rendered.ts";
import type { KindState } from "../plan/kind-state.ts";
import type { Plan } from "../plan/plan.ts";
import { storedKinds } from "../plan/kind-table.ts";
import { leftoversOf, listedLeftovers } from "./leftovers.ts";
import { laterRemovals, removeObjects, type Removal } from "./removal.ts";
import { type Findings, isReported, readyText, resultOf, stopClock, report, summaryOf } from "./report.ts";
import { addOthers, forgetOthers } from "./others.ts";
import { type Run, runOf, type SetDoReq } from "./run.ts";
import { countRevision, planFor } from "./plan-for.ts";
import { problemText } from "../plan/set-problem.ts";
import { isSettled, noteSettled } from "./settled.ts";
import { retryUnawaited } from "./unawaited.ts";
import { runWaves } from "./waves.ts";

/** Runs the phase. Returns without a promise if nothing has changed since the last pass. */
export function applySet(definition: SetDefinition, req: SetDoReq): StepResult<{}> | Promise<StepResult<{}>> {
  const run = runOf(definition, req);
  const { settled } = run.memory;
  try {
    if (isSuspended(run)) return suspend(run);
    if (isSettled(run, settled)) return resultOfSettled(run, settled);
    const failed = failedAgain(run);
    if (failed !== undefined) throw notedEnd(run, failureOf(run, failed));
  } catch (error) {
    return refuse(run, error);
  }
  run.memory.settled = undefined;
  return applyNow(run);
}

/** Whether the author suspends the set. @throws the error of the author's function */
export function isSuspended({ definition, context }: Run): boolean {
  const { suspended } = definition.options;
  if (suspended === undefined) return false;
  const answer: unknown = called(`step "${definition.name}": suspended`, () => suspended(context.owner));
  if (typeof answer === "boolean") return answer;
  throw misuse("ERR_INVALID_STEP", `step "${definition.name}": suspended returned ${nameOfAnswer(answer)}, but must return true or false`);
}

/** Reports a suspended set. */
export function suspend(run: Run<SetDoReq>): StepResult<{}> {
  const message = "nothing is applied or removed while the set is suspended";
  countStoredObjects(run);
  report(run, { reason: "Suspended", message });
  fillStatus(run, "Suspended");
  stopClock(run);
  return waitBecause(message, { code: "Suspended", afterMs: LOOK_AGAIN_MS });
}

/** The result of a pass in which nothing has changed. */
export function resultOfSettled(
  run: Run<SetDoReq>,
  { plan, dueAtMs }: { readonly plan: Plan; readonly dueAtMs: number | undefined },
): StepResult<{}> {
  const { req, pass } = run;
  notedEnd(run, undefined);
  report(run, { reason: "Ready", message: readyText(plan.members.filter(({ isChecked }) => isChecked).length) });
  if (dueAtMs !== undefined) req.revisit(Math.max(0, dueAtMs - pass.clock.now()), "to apply objects that are not watched");
  return req.next();
}

/** Reports an error that is not of one object. @throws it */
export function refuse(run: Run<SetDoReq>, error: unknown): never {
  // A failure that a retry resolves leaves the condition as it is.
  const isPassing = isTransientEnd({ type: "failed", error }) || errorsIn(error).every(isConflict);
  if (!isPassing && !run.req.signal.aborted) reportError(run, statusMessage(error));
  throw error;
}

function reportError(run: Run<SetDoReq>, message: string): void {
  countStoredObjects(run);
  report(run, { reason: "Error", message });
  fillStatus(run, "Error");
  stopClock(run);
}

/** Renders and applies the objects, after the inputs or the objects have changed. @throws what the engine is to retry */
export async function applyNow(run: Run<SetDoReq>): Promise<StepResult<{}>> {
  const { memory } = run;
  const before = JSON.stringify(run.state);
  const desired = await prepare(run).catch((error: unknown) => notRendered(run, error));
  if (!("plan" in desired)) return desired;
  const { plan } = desired;
  const waves = await runWaves(run, desired);
  recordChanges(run, waves.outcomes);
  const removal =
    waves.isComplete || run.req.isDryRun
      ? await removeDropped(run, plan).catch((error: unknown) => refuse(run, error))
      : { ...NOTHING, left: laterRemovals(run, plan) };
  recordRemoval(run, removal);
  retryUnawaited(run, waves.outcomes);
  noteLast(run, waves.outcomes, waves.wave);
  countObjects(run, [...waves.outcomes.map(({ state }) => state), ...removal.left]);
  const findings: Findings = {
    plan,
    outcomes: waves.outcomes.filter(({ member }) => member.isChecked),
    wave: waves.wave,
    leaving: removal.left,
    blocker: removal.blocker,
    errors: removal.failed.map(({ error }) => error),
  };
  const summary = judged(run, () => summaryOf(run, findings));
  run.definition.hooks.onFound?.({ ...summary, plan, outcomes: waves.outcomes, wave: waves.wave, leaving: removal.left });
  report(run, summary, findings);
  const isFilled = fillStatus(run, summary.reason);
  const isSeen = hasSeen(run, memory.rendered?.seen ?? NO_OBJECTS, waves.outcomes);
  // In a dry run nothing is written that the renderer could see.
  if (!isSeen && !run.req.isDryRun) run.req.revisit(0, "to render with the objects as they are now");
  if (summary.reason === "Ready")
    finish(run, findings, { all: waves.outcomes, isStored: (state) => isSeen && !isFilled && state === before });
  return resultOf(run, summary, findings);
}

/** Calls what calls a function of the author. @throws its error, which is in the condition then */
function judged<Result>(run: Run<SetDoReq>, judge: () => Result): Result {
  try {
    return judge();
  } catch (error) {
    return refuse(run, error);
  }
}

/** Renders and checks the objects, and stores their kinds. Returns a result if nothing may be applied now. */
async function prepare(run: Run<SetDoReq>): Promise<Given | StepResult<{}>> {
  const request = requestOf(run);
  const unseen = run.definition.options.live === true ? unseenOf(storedKinds(run)) : undefined;
  if (unseen?.type === "pending" && isListing(run)) return notYet(run, unseen.message);
  // The renderer would miss objects that exist.
  if (unseen !== undefined) throw notedEnd(run, new NoAnswer(unseen.reason, unseen.message, { retry: LOOK_AGAIN_MS }));
  const rendering = await renderedFor(run, request).catch((error: unknown) => {
    throw notedEnd(run, error);
  });
  notedEnd(run, undefined);
  countRevision(run, rendering);
  const plan = planFor(run, request, rendering);
  if (plan.problems.length > 0) return refusePlan(run, plan);
  const pending = pendingOf([...plan.kinds.values(), ...storedKinds(run)]);
  if (pending !== undefined && isListing(run)) return notYet(run, pending.message);
  if (pending === undefined) run.memory.listingSinceMs = undefined;
  await storeKinds(run, plan);
  return { plan, namespaces: mayCreateNamespaces(run, request) ? new Map() : undefined };
}

/** Hands the end of a rendering to the step that is a set and more. Returns the error. */
function notedEnd<E>({ definition, req, pass }: Run<SetDoReq>, error: E): E {
  definition.hooks.onRendered?.(req, error === undefined ? undefined : pass.hideIn(error));
  return error;
}

function pendingOf(kinds: readonly KindState[]): { readonly message: string } | undefined {
  return kinds.flatMap((state) => (state.type === "pending" ? [state] : []))[0];
}

/** A kind of which objects exist that the operator cannot see now. Objects of a kind that the server does not serve do not exist. */
function unseenOf(kinds: readonly KindState[]): Extract<KindState, { readonly reason: string }> | undefined {
  return kinds.flatMap((state) =>
    state.type === "pending" || (state.type === "missing" && state.reason === "Forbidden") ? [state] : [],
  )[0];
}

/** A message names so many problems. */
const MAX_PROBLEMS = 20;

function refusePlan(run: Run<SetDoReq>, { problems }: Plan): StepResult<{}> {
  const texts = problems.map(problemText);
  const shown = texts.slice(0, MAX_PROBLEMS).map((text) => truncate(text, 500));
  const message = texts.length === 1 ? (shown[0] ?? "") : `${texts.length} problems: ${shown.join("; ")}`;
  reportError(run, message);
  run.pass.found.entries.set(run.definition.name, entriesOfProblems(run, problems));
  return waitBecause(run.pass.hide(message), { code: "Error", severity: "failed", needsAction: true, afterMs: LOOK_AGAIN_MS });
}

/** So long the set waits for the lists of all kinds, in milliseconds. A server that does not answer for one kind must not stop the others. */
const LISTING_MS = 60_000;

function isListing({ memory, pass, req }: Run<SetDoReq>): boolean {
  const now = pass.clock.elapsed();
  const leftMs = (memory.listingSinceMs ??= now) + LISTING_MS - now;
  if (leftMs > 0) req.revisit(leftMs, "to go on without the kinds that are not listed");
  return leftMs > 0;
}

/** Returns a result if the renderer asked to be called later, or has no answer. @throws another error */
function notRendered(run: Run<SetDoReq>, error: unknown): StepResult<{}> {
  const none = noAnswerIn(error);
  if (none !== undefined) return withoutAnswer(run, none);
  const later = renderLaterIn(error);
  // After a start, many owners wait for one program.
  return later === undefined ? refuse(run, error) : notYet(run, run.pass.hide(later.message), { transientMs: LOOK_AGAIN_MS });
}

/** The result while the objects of a kind are being listed, and while the renderer waits: it is not known yet what is to be done. */
export function notYet(run: Run<SetDoReq>, message: string, cause: { readonly transientMs?: number } = {}): StepResult<{}> {
  countStoredObjects(run);
  const type = run.definition.condition as never; // The step declares it.
  if (run.req.conditions.previous(type) === undefined) report(run, { reason: "Processing", message });
  else run.req.conditions.keep(type);
  return waitBecause(message, { code: "Processing", isTransient: true, afterMs: LOOK_AGAIN_MS, ...cause });
}

/** Stores the kinds of the plan before the first object of a kind is written. */
async function storeKinds(run: Run<SetDoReq>, plan: Plan): Promise<void> {
  const { members, kinds } = plan;
  const { state, req, target } = run;
  const isMoved = target !== undefined && JSON.stringify(target) !== JSON.stringify(state.target);
  if (isMoved) state.target = target;
  let isNew = addOthers(state, plan) || isMoved;
  for (const [key, seen] of kinds) {
    if (seen.type !== "watched" && seen.type !== "unwatched") continue;
    const { version, plural, scope } = seen.kind;
    const before = state.kinds[key];
    const hidden = members.filter(
      ({ kind, ref: { namespace } }) =>
        groupKindOf(kind) === key && namespace !== undefined && (target !== undefined || !isSeen(run, seen, namespace)),
    );
    const namespaces = [...new Set([...(before?.namespaces ?? []), ...hidden.flatMap(({ ref }) => ref.namespace ?? [])])].toSorted();
    if (before !== undefined && before.version === version && namespaces.length === (before.namespaces?.length ?? 0)) continue;
    state.kinds[key] = { version, plural, scope, ...(namespaces.length === 0 ? {} : { namespaces }) };
    isNew = true;
  }
  // In a dry run a checkpoint would end the step, and nothing is written after it.
  if (isNew && !req.isDryRun) await req.checkpoint();
}

/** Whether the cache shows the objects of a kind in a namespace. */
function isSeen({ context }: Run, { type, kind }: Extract<KindState, { readonly kind: Kind }>, namespace: string): boolean {
  return type === "watched" && context.cache.covers(kind, namespace);
}

function mayCreateNamespaces({ definition }: Run, { policies }: Request): boolean {
  const { kinds, defaults } = definition;
  const hasRight = kinds === undefined || kinds.has("Namespace");
  return hasRight && (policies.missingNamespaces ?? defaults.missingNamespaces ?? "create") === "create";
}

const NOTHING: Removal = Object.freeze({ left: [], blocker: undefined, deleted: [], released: [], failed: [] });

async function removeDropped(run: Run<SetDoReq>, plan: Plan): Promise<Removal> {
  const { memory } = run;
  const hidden = memory.prunedFor === plan.digest ? [] : await listedLeftovers(run, { plan, of: "unwatched" });
  const cached = leftoversOf(run, plan);
  const known = new Set(cached.map(({ object }) => object.metadata.uid));
  const objects = [...cached, ...hidden.filter(({ object }) => !known.has(object.metadata.uid))];
  if (hidden.length === 0) memory.prunedFor = plan.digest;
  return objects.length === 0 ? NOTHING : await removeObjects(run, objects, { cause: "dropped", plan });
}

function noteLast({ memory, state }: Run, outcomes: Findings["outcomes"], wave: number): void {
  memory.last = new Map(outcomes.map(({ member, phase, state: each }) => [member.key, { phase, state: each }]));
  const reached = `${memory.plan?.digest ?? ""} ${wave}`;
  if (state.reached !== reached) state.reached = reached;
}

/** Ends a pass in which everything is as desired. */
function finish(
  run: Run<SetDoReq>,
  findings: Findings,
  { all: outcomes, isStored }: { readonly all: Findings["outcomes"]; isStored(state: string): boolean },
): void {
  const { plan } = findings;
  forgetDone(run, plan, outcomes);
  forgetKinds(run, plan);
  forgetOthers(run.state, plan);
  const now = run.pass.clock.now();
  const again = outcomes.flatMap(({ again: each }) => (typeof each === "number" ? [now + each] : []));
  const dueAtMs = again.length === 0 ? undefined : Math.min(...again);
  if (dueAtMs !== undefined) run.req.revisit(Math.max(0, dueAtMs - now), "to apply objects that are not watched");
  // A status that could not be saved is written again by a pass that looks at everything.
  // Objects of a kind that cannot be looked at now are removed when it can.
  const isKnown = Object.keys(run.state.kinds).every((key) => plan.kinds.has(key));
  // What the set does not wait for is looked at in each pass, until it is as desired.
  if (isKnown && outcomes.every(({ isReady }) => isReady) && isStored(JSON.stringify(run.state)) && isReported(run, findings))
    noteSettled(run, plan, outcomes, dueAtMs);
}

/** Forgets kinds of which the set has no object any more. Objects of a kind that cannot be looked at may still exist. */
function forgetKinds(run: Run, { kinds }: Plan): void {
  for (const seen of storedKinds(run)) {
    if (seen.type !== "watched" && seen.type !== "unwatched") continue;
    const key = groupKindOf(seen.kind);
    if (!kinds.has(key)) delete run.state.kinds[key];
  }
}
