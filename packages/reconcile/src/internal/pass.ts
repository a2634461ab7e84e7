/**
 * The pass: gates, then `do` or `cleanup`, then posts, conditions, save, result. One function a phase, in the order in
 * which they run; `runPass` at the top is the whole story.
 */
import { isConditionReason, keyOf } from "@treadle/apimachinery";
import { ReconcileError } from "../errors.ts";
import type { Outcome } from "../req.ts";
import { failure as failureSetting } from "./compute-conditions.ts";
import { Budget } from "./deadline.ts";
import { heldInDryRun } from "./dry-run.ts";
import { withoutDrafts } from "./drafts.ts";
import { mustTakeFinalizer, removeFinalizer, skipsCleanup, takeFinalizer } from "./finalizer.ts";
import { nameOf } from "./material.ts";
import { pruneUnwanted, runParts } from "./parts.ts";
import type { Pass } from "./pass-state.ts";
import { isPaused } from "./paused.ts";
import { askGate, type Ended, type PhaseLimit, runPhase } from "./phase.ts";
import { describe, MAX_ERROR_LENGTH, truncate } from "./redact.ts";
import { holdFetched } from "./resolve.ts";
import { save, saveTrouble } from "./save.ts";
import type { StepRuntime } from "./step-runtime.ts";
import { PrimaryGone, QuietRequeue } from "./writer.ts";

const DONE: Outcome = { type: "done" };
export const PAUSED_OUTCOME: Outcome = { type: "stop", step: "pause", reason: "paused" };

/** Runs one pass over a loaded object. Never rejects; what happened stands in `pass`. */
export async function runPass(pass: Pass): Promise<void> {
  const { pipeline, object } = pass;
  holdFetched(pass);
  if (pass.isDeleting && skipsCleanup(pipeline, object)) {
    pass.log.warn({ finalizer: pipeline.finalizer }, "cleanup is skipped: the annotation treadle.dev/skip-cleanup asks for it");
    await store(pass, { withPosts: false });
    return;
  }
  if (pass.isDraining && pass.env.drain === "release") {
    pass.log.info({ finalizer: pipeline.finalizer }, "released: the finalizer goes, and what the cleanups would remove stays");
    await store(pass, { withPosts: false });
    return;
  }
  if (isPaused(pass)) {
    pass.type = "gated";
    pass.outcome = PAUSED_OUTCOME;
    await store(pass, { withPosts: false });
    return;
  }
  const problems = pass.isDeleting ? [] : (pass.memory.checked?.problems ?? []);
  if (problems.length > 0) {
    pass.trouble = { status: "False", reason: "InvalidObject", message: truncate(problems.join("; "), MAX_ERROR_LENGTH) };
    pass.outcome = { type: "stop", step: "(object)", reason: `the object breaks its schema: ${problems.join("; ")}` };
  } else {
    pass.outcome = (await askGates(pass)) ?? (pass.isDeleting ? await runCleanups(pass) : await runDos(pass));
  }
  // The posts of an object that is not what its type says would be called with a lie.
  await store(pass, { withPosts: problems.length === 0 });
}

/** Every gate in list order; the first that ends the pass ends it before anything is written. */
async function askGates(pass: Pass): Promise<Outcome | undefined> {
  const limit: PhaseLimit = { endsAtMs: pass.endsAtMs, endedBy: () => passTimeout(pass), signal: pass.signal };
  for (const step of pass.pipeline.leaves) {
    if (step.gate === undefined) continue;
    const ended = await askGate(pass, step, limit);
    if (ended.type === "continue") continue;
    if (ended.type !== "failed") pass.type = "gated";
    return note(pass, step, ended);
  }
  return undefined;
}

async function runDos(pass: Pass): Promise<Outcome> {
  if (mustTakeFinalizer(pass)) {
    const refused = await beforeFirstDo(pass);
    if (refused !== undefined) return refused;
  }
  const outcome = await runSteps(pass, pass.pipeline.steps, "do");
  const pruned = await pruneUnwanted(pass, runStep);
  return outcome.type === "done" ? pruned : outcome;
}

async function runCleanups(pass: Pass): Promise<Outcome> {
  return await runSteps(pass, pass.pipeline.steps.toReversed(), "cleanup");
}

/** Takes the finalizer in the same pass, so that no `do` ever runs unguarded. */
async function beforeFirstDo(pass: Pass): Promise<Outcome | undefined> {
  const { pipeline, clock } = pass;
  const budget = new Budget(clock, pipeline.deadlines.passMs, { exceeded: () => passTimeout(pass), parent: pass.signal });
  try {
    await takeFinalizer(pass, budget);
    return undefined;
  } catch (error) {
    if (pass.over !== undefined) return overBefore(pass, pass.over);
    if (pass.signal.aborted) return shuttingDown(pass);
    pass.trouble = failureSetting(error, "cannot take the finalizer: ");
    pass.failures.push({ rank: "step", error });
    return { type: "failed", step: "(finalizer)", error };
  } finally {
    budget.close();
  }
}

/** One step after the other until one does not go on. */
async function runSteps(pass: Pass, steps: readonly StepRuntime[], phase: "do" | "cleanup"): Promise<Outcome> {
  for (const step of steps) {
    const outcome =
      step.children === undefined ? await runStep(pass, step, phase) : await runParts(pass, step, { phase, runStep, isUnwanted });
    if (outcome.type !== "done") return outcome;
    if (pass.specChangedBy !== undefined) {
      // No wish: the save asks for the next pass when the new generation is stored.
      const end = { type: "wait", reason: "it changed the spec; the new generation starts the next pass" } as const;
      pass.progress.set(pass.specChangedBy, end);
      return { ...end, step: pass.specChangedBy.name };
    }
  }
  return DONE;
}

async function runStep(pass: Pass, step: StepRuntime, phase: "do" | "cleanup"): Promise<Outcome> {
  if (pass.signal.aborted) return shuttingDown(pass);
  if (step[phase] === undefined) return note(pass, step, { type: "continue", vars: {} });
  if (pass.clock.now() >= pass.endsAtMs) return note(pass, step, { type: "failed", error: passTimeout(pass) });
  if (pass.env.isDryRun && !step.runsDry) return note(pass, step, { type: "stop", reason: heldInDryRun(step, phase) });
  const limit: PhaseLimit = { endsAtMs: pass.endsAtMs, endedBy: () => passTimeout(pass), signal: pass.signal };
  const ended = await runPhase(pass, step, phase, limit);
  if (phase === "do" && step.writes.includes("spec") && ended.type === "continue" && pass.spec.changes() !== undefined)
    pass.specChangedBy = step;
  return note(pass, step, addVars(pass, step, ended));
}

/** Asks a dependent that must wait for others whether it is wanted at all. Where that cannot be told it is. */
async function isUnwanted(pass: Pass, part: StepRuntime): Promise<boolean> {
  const asked = part.dependent?.whetherWanted;
  if (asked === undefined || pass.signal.aborted || pass.clock.now() >= pass.endsAtMs) return false;
  const limit: PhaseLimit = { endsAtMs: pass.endsAtMs, endedBy: () => passTimeout(pass), signal: pass.signal };
  const ended = await runPhase(pass, { ...part, owns: [], reads: asked.reads, do: asked.do }, "do", limit);
  if (ended.type !== "continue" || (ended.vars as { readonly isWanted?: unknown }).isWanted !== false) return false;
  note(pass, part, { type: "continue", vars: {} });
  return true;
}

/** Hands the vars of a step on; a name that is taken is a failure of the step that came second. */
function addVars(pass: Pass, step: StepRuntime, ended: Ended): Ended {
  if (ended.type !== "continue") return ended;
  const taken = Object.keys(ended.vars).find((name) => Object.hasOwn(pass.vars, name));
  if (taken !== undefined) {
    return {
      type: "failed",
      error: new ReconcileError(
        "ERR_STEP_FAILED",
        `step "${step.name}" provides vars.${taken}, which an earlier step already provides: rename it`,
        { step: step.name },
      ),
    };
  }
  if (Object.keys(ended.vars).length > 0) pass.vars = Object.freeze({ ...pass.vars, ...withoutDrafts(ended.vars) });
  return ended;
}

/** Records how a step ended, and what that asks of the next pass. */
function note(pass: Pass, step: StepRuntime, ended: Ended): Outcome {
  if (ended.type === "continue") {
    pass.progress.set(step, { type: "done" });
    return DONE;
  }
  pass.progress.set(step, ended.type === "wait" ? { ...ended, ...codeOf(pass, step, ended) } : ended);
  if (ended.type === "failed") {
    pass.failures.push({ rank: "step", error: ended.error });
    return { type: "failed", step: step.name, error: ended.error };
  }
  if (pass.isAborted) pass.type = "gated";
  if (ended.type === "wait") pass.wishes.push({ reason: ended.reason, afterMs: ended.afterMs });
  return { type: ended.type, step: step.name, reason: ended.reason };
}

/** Ready says of a dependent what its entry says: `NotOurs`, which is False as the entry is Failed, `NotReady`, or a word of the author's. */
function codeOf(
  pass: Pass,
  step: StepRuntime,
  ended: Ended & { readonly type: "wait" },
): { readonly code?: string; readonly isFailure?: boolean } {
  const entry = pass.dependents.entries.get(step.name)?.find(({ type }) => type !== "Ready");
  const code = ended.code ?? entry?.reason;
  return { ...(code !== undefined && isConditionReason(code) ? { code } : {}), ...(entry?.type === "Failed" ? { isFailure: true } : {}) };
}

/** Posts, then the finalizer or the status: within a budget of their own, so that an expired chain is still reported. */
async function store(pass: Pass, { withPosts }: { readonly withPosts: boolean }): Promise<void> {
  const { saveMs } = pass.pipeline.deadlines;
  const startedMs = pass.clock.now();
  // Half of it is kept for the save: a post that hangs must not cost the status.
  if (withPosts) await runPosts(pass, startedMs + saveMs / 2);
  const budget = new Budget(pass.clock, startedMs + saveMs - pass.clock.now(), { exceeded: () => saveTimeout(pass) });
  try {
    const isCleanedUp = pass.isDeleting && pass.outcome.type === "done";
    if (pass.over === undefined) await (isCleanedUp ? letGo(pass, budget) : save(pass, budget));
  } catch (error) {
    if (error instanceof QuietRequeue) pass.wishes.push({ reason: error.message });
    else if (!(error instanceof PrimaryGone)) pass.failures.push({ rank: "save", error: saveFailed(pass, error) });
  }
  try {
    await superseded(pass, budget);
  } finally {
    budget.close();
  }
}

/** Removes the finalizer; where that fails, the status says why the object does not go. */
async function letGo(pass: Pass, budget: Budget): Promise<void> {
  try {
    await removeFinalizer(pass, budget);
  } catch (error) {
    if (pass.over === undefined && !pass.isDraining) {
      pass.trouble = failureSetting(error, "cannot remove the finalizer: ");
      await save(pass, budget).catch(() => undefined); // That the first write failed is what is reported.
    }
    throw error;
  }
}

/** A pass that ends because somebody else writes has nothing to store, and waits; what goes on like that must be seen. */
async function superseded(pass: Pass, budget: Budget): Promise<void> {
  const { heartbeats } = pass.memory;
  heartbeats.passEnded(pass.over instanceof QuietRequeue ? pass.endedBy : undefined);
  const times = heartbeats.passesInARow;
  if (times < SEEN_AFTER || pass.over === undefined) return;
  const message = `${times} passes in a row could not finish: ${pass.over.message}`;
  if (times % SEEN_AFTER === 0) pass.log.warn({ passes: times, changed: pass.endedBy.map(nameOf) }, message);
  if (pass.isDraining) return;
  pass.trouble = { status: "Unknown", reason: "Superseded", message: pass.over.message };
  await saveTrouble(pass, budget).catch(() => undefined); // The next pass tries again; there is nothing to lose.
}

/** After so many passes in a row that could not finish, the object and the log say so. */
const SEEN_AFTER = 5;

function saveFailed(pass: Pass, cause: unknown): ReconcileError {
  const message = `cannot save ${pass.pipeline.kind.kind} ${keyOf(pass.object.metadata)}: ${describe(cause)}`;
  return new ReconcileError("ERR_SAVE_FAILED", message, { cause });
}

/** Every post in list order, whatever the others do. */
async function runPosts(pass: Pass, endsAtMs: number): Promise<void> {
  const limit: PhaseLimit = { endsAtMs, endedBy: () => postsTimeout(pass), signal: NEVER };
  for (const step of pass.pipeline.leaves) {
    if (step.post === undefined) continue;
    const ended = await runPhase(pass, step, "post", limit);
    if (ended.type === "continue") continue;
    const before = pass.progress.get(step)?.type ?? "unreached";
    if (before === "done" || before === "unreached") pass.progress.set(step, ended);
    if (ended.type === "failed") pass.failures.push({ rank: "post", error: ended.error });
    else if (ended.type === "wait") pass.wishes.push({ reason: ended.reason, afterMs: ended.afterMs });
  }
}

/** Posts and save go on while the operator shuts down: they are short, and what they store is needed. */
const NEVER: AbortSignal = new AbortController().signal;

/** The object went, or moved on, before its first step ran. */
function overBefore(pass: Pass, over: PrimaryGone | QuietRequeue): Outcome {
  if (over instanceof PrimaryGone) return { type: "stop", step: "(finalizer)", reason: over.message };
  pass.wishes.push({ reason: over.message });
  return { type: "wait", step: "(finalizer)", reason: over.message };
}

function shuttingDown(pass: Pass): Outcome {
  pass.isAborted = true;
  pass.type = "gated";
  return { type: "stop", step: "(shutdown)", reason: "the operator is shutting down" };
}

function passTimeout(pass: Pass): Error {
  return new ReconcileError(
    "ERR_PASS_TIMEOUT",
    `the pass did not finish within ${pass.pipeline.deadlines.passMs / 1000} s: make its steps faster, or raise deadlines.passMs`,
  );
}

function postsTimeout(pass: Pass): Error {
  const seconds = pass.pipeline.deadlines.saveMs / 2 / 1000;
  return new ReconcileError(
    "ERR_STEP_TIMEOUT",
    `the posts did not finish within ${seconds} s, half of deadlines.saveMs: make them faster, or raise it`,
  );
}

function saveTimeout(pass: Pass): Error {
  return new ReconcileError(
    "ERR_SAVE_FAILED",
    `posts and save did not finish within ${pass.pipeline.deadlines.saveMs / 1000} s: raise deadlines.saveMs if the server is slow`,
  );
}
