/**
 * The pass: gates, then `do` or `cleanup`, then posts, conditions, save, result. `runPass` is the order of it; `ending.ts` is the
 * table of its endings.
 */
import { keyOf } from "@treadle/apimachinery";
import { ReconcileError } from "../errors.ts";
import type { Outcome } from "../req.ts";
import { failure as failureSetting } from "../save/step-settings.ts";
import { Budget } from "../internal/deadline.ts";
import type { Ending } from "../record/ending.ts";
import { mustTakeFinalizer, removeFinalizer, takeFinalizer } from "../save/finalizer.ts";
import { Heartbeats } from "../record/heartbeats.ts";
import { nameOf } from "../record/material.ts";
import type { Over, Pass } from "../record/pass-state.ts";
import { type PhaseLimit, runPhase } from "./phase.ts";
import { reportPause } from "../save/paused.ts";
import { describe, MAX_ERROR_LENGTH, truncate } from "../internal/redact.ts";
import { holdFetched } from "./hold-fetched.ts";
import { chainLimit, note, passTimeout, runAfterChain, runList, runReleases, shuttingDown } from "./run-steps.ts";
import { announceDeletion, save, saveTrouble, withParts } from "../save/save.ts";
import { recordWarnings } from "../save/warnings.ts";
import { noteTransient } from "../record/transient.ts";
import { PrimaryGone, QuietRequeue } from "../record/writer.ts";

/** Runs one pass of a loaded object. Never rejects; the findings are in `pass`. */
export async function runPass(pass: Pass): Promise<void> {
  if (pass.pipeline.fetches) {
    pass.onReference = holdFetched;
    holdFetched(pass);
  }
  const { ending } = pass;
  if (ending.type === "paused" || (ending.stores === "status" && pass.pipeline.reportsPause)) reportPause(pass, ending.type === "paused");
  if (ending.runsSteps) pass.outcome = await runChain(pass);
  else await beginsEnded(pass, ending);
  await store(pass);
  try {
    recordWarnings(pass);
  } catch (error) {
    pass.failures.push({ rank: "post", error });
  }
}

/** Gates, then the steps. An exception that no step threw is one of an extension: it fails the pass. */
async function runChain(pass: Pass): Promise<Outcome> {
  try {
    return (await askGates(pass)) ?? (await (pass.isDeleting ? runCleanups(pass) : runDos(pass)));
  } catch (thrown) {
    const error = pass.hideInError(thrown);
    pass.trouble = failureSetting(error, "an extension failed: ");
    pass.failures.push({ rank: "step", error });
    return { type: "failed", step: "(extension)", error };
  }
}

/** Sets the outcome of a pass that ends before its first step. */
async function beginsEnded(pass: Pass, { type }: Ending): Promise<void> {
  const { pipeline, object, log, env } = pass;
  if (type === "skip") {
    const note = `the cleanups of ${pipeline.name} did not run: the annotation treadle.dev/skip-cleanup asks for it`;
    log.warn({ finalizer: pipeline.finalizer }, "cleanup is skipped: the annotation treadle.dev/skip-cleanup asks for it");
    env.recordEvent?.(object, { type: "Warning", reason: "CleanupSkipped", note, action: "cleanup", isLogged: true });
  }
  if (type === "skip" || type === "release") pass.outcome = await runReleases(pass);
  if (type === "release" && !pass.isHeld)
    log.info(
      { finalizer: pipeline.finalizer },
      "the object is released: its finalizer is removed, and what the cleanups would remove stays",
    );
  beginsPaused(pass);
  if (type === "invalid") {
    const problems = pass.memory.checked?.problems.join("; ") ?? "";
    pass.trouble = { status: "False", reason: "InvalidObject", message: truncate(problems, MAX_ERROR_LENGTH) };
    pass.outcome = { type: "stop", step: "(object)", reason: `the object breaks its schema: ${problems}` };
  }
}

/** Sets the outcome of a pass of an object that is paused, or that may be. */
function beginsPaused(pass: Pass): void {
  const { pause, ending } = pass;
  if (ending.type === "paused" && pause.type === "paused")
    pass.outcome = { type: "stop", step: pause.step ?? "pause", reason: pause.by === "annotation" ? "paused" : pass.hide(pause.message) };
  if (ending.type !== "undecided" || pause.type !== "undecided") return;
  const error = pass.hideInError(pause.error);
  pass.trouble = failureSetting(error);
  pass.failures.push({ rank: "step", error });
  pass.outcome = { type: "failed", step: pause.step ?? "pause", error };
}

/** Runs every gate in list order. The first gate that ends the pass ends it before anything is written. */
async function askGates(pass: Pass): Promise<Outcome | undefined> {
  for (const step of pass.pipeline.gated) {
    const ended = await runPhase(pass, step, "gate", chainLimit(pass));
    if (ended.type === "continue") continue;
    if (ended.type !== "failed") pass.isGated = true;
    return note(pass, step, ended);
  }
  return undefined;
}

async function runDos(pass: Pass): Promise<Outcome> {
  if ((pass.pipeline.finalizerBeforeDo || pass.object.metadata.finalizers !== undefined) && mustTakeFinalizer(pass)) {
    const refused = await beforeFirstDo(pass);
    if (refused !== undefined) return refused;
  }
  const outcome = await runList(pass, pass.pipeline.steps, "do");
  const after = await runAfterChain(pass);
  return outcome.type === "done" ? after : outcome;
}

async function runCleanups(pass: Pass): Promise<Outcome> {
  let announced: Promise<void> | undefined;
  const timer = pass.clock.after(ANNOUNCED_AFTER_MS, () => {
    announced = announceDeletion(pass);
  });
  try {
    return await runList(pass, pass.pipeline.steps.toReversed(), "cleanup");
  } finally {
    timer.cancel();
    await announced;
  }
}

/** Cleanups that take longer are reported while they run; shorter ones cost no request. */
const ANNOUNCED_AFTER_MS = 1_000;

/** Adds the finalizer in the same pass, so that no `do` ever runs without it. */
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

/** The outcome if the object was deleted or changed before its first step ran. */
function overBefore(pass: Pass, { reason }: Over): Outcome {
  if (reason instanceof PrimaryGone) return { type: "stop", step: "(finalizer)", reason: reason.message };
  pass.asked.push({ reason: reason.message });
  return { type: "wait", step: "(finalizer)", reason: reason.message };
}

/** Runs the posts, then writes the finalizer or the status. They have separate time, so an expired chain is still reported. */
async function store(pass: Pass): Promise<void> {
  const { saveMs } = pass.pipeline.deadlines;
  const startedMs = pass.clock.now();
  // Half of the time is for the save, so that the status is stored even if a post hangs.
  try {
    if (pass.ending.runsPosts) await runPosts(pass, startedMs + saveMs / 2);
  } catch (error) {
    pass.failures.push({ rank: "post", error: pass.hideInError(error) });
  }
  if (pass.failures.length > 0 || pass.hasConflict || pass.hasTransientWait || pass.memory.transientSinceMs !== undefined)
    noteTransient(pass);
  const budget = new Budget(pass.clock, startedMs + saveMs - pass.clock.now(), { exceeded: () => saveTimeout(pass) });
  try {
    const { stores } = pass.ending;
    if (stores === "finalizer") await release(pass, budget);
    if (stores === "status") await save(pass, budget);
  } catch (error) {
    if (error instanceof QuietRequeue) pass.asked.push({ reason: error.message });
    else if (!(error instanceof PrimaryGone)) pass.failures.push({ rank: "save", error: saveFailed(pass, error) });
  }
  try {
    await superseded(pass, budget);
  } finally {
    budget.close();
  }
}

/** Removes the finalizer. If that fails, the status reports why the object is not deleted. */
async function release(pass: Pass, budget: Budget): Promise<void> {
  try {
    await removeFinalizer(pass, budget);
  } catch (error) {
    if (pass.over === undefined && !pass.isDraining) {
      pass.trouble = failureSetting(error, "cannot remove the finalizer: ");
      await save(pass, budget).catch(() => undefined); // The failure of the first write is reported.
    }
    throw error;
  }
}

/** Reports passes that end in a row because another writer is faster. Without it, no user would see that the object makes no progress. */
async function superseded(pass: Pass, budget: Budget): Promise<void> {
  const { memory } = pass;
  if (pass.over === undefined && memory.heartbeats === undefined) return;
  const heartbeats = (memory.heartbeats ??= new Heartbeats());
  heartbeats.passEnded(pass.over?.reason instanceof QuietRequeue ? pass.over.changes : undefined);
  const times = heartbeats.passesInARow;
  if (times < SEEN_AFTER || pass.over === undefined) return;
  const { reason, changes } = pass.over;
  const message = `${times} passes in a row could not finish: ${reason.message}`;
  if (times % SEEN_AFTER === 0) pass.log.warn({ passes: times, changed: changes.map(nameOf) }, message);
  if (pass.isDraining) return;
  const trouble = { status: "Unknown", reason: "Superseded", message: reason.message } as const;
  await saveTrouble(pass, trouble, budget).catch(() => undefined); // The next pass tries again.
}

/** The number of unfinished passes in a row after which the status and the log report it. */
const SEEN_AFTER = 5;

function saveFailed(pass: Pass, thrown: unknown): ReconcileError {
  const cause = pass.hideInError(thrown);
  const message = `cannot save ${pass.pipeline.kind.kind} ${keyOf(pass.object.metadata)}: ${describe(cause)}`;
  return new ReconcileError("ERR_SAVE_FAILED", message, { cause });
}

/** Runs every post in list order, also if others fail. */
async function runPosts(pass: Pass, endsAtMs: number): Promise<void> {
  const { posting } = pass.pipeline;
  if (posting.length === 0) return;
  const limit: PhaseLimit = { endsAtMs, endedBy: () => postsTimeout(pass), signal: NEVER };
  pass.objectForPosts = withParts(pass);
  for (const step of posting) {
    const ended = await runPhase(pass, step, "post", limit);
    if (ended.type === "continue") continue;
    const before = pass.progress.get(step)?.type ?? "unreached";
    if (before === "done" || before === "unreached") pass.progress.set(step, ended);
    if (ended.type === "failed") pass.failures.push({ rank: "post", error: ended.error, backoff: step.backoff });
    else if (ended.type === "wait") pass.asked.push({ reason: ended.reason, afterMs: ended.afterMs });
  }
}

/** Posts and save continue during a shutdown: they are short, and the next process needs what they store. */
const NEVER: AbortSignal = new AbortController().signal;

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
