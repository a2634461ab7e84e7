/**
 * Runs the steps of a pass: a list one after the other, the parts of a composite by their order, and steps that an extension
 * asks for after the chain. The outcomes of several steps are joined into one.
 */
import { ReconcileError } from "../errors.ts";
import type { StepsRun } from "../extension.ts";
import type { Outcome } from "../req.ts";
import { heldInDryRun } from "./dry-run.ts";
import { chainScopeOf, type ChainRunner } from "../save/extension-scope.ts";
import { statusMessage } from "../internal/redact.ts";
import type { Pass } from "../record/pass-state.ts";
import { type Ended, type PhaseLimit, runPhase } from "./phase.ts";
import { runGraph } from "./run-graph.ts";
import type { Parts, PhaseFunction, StepRuntime } from "../build/step-runtime.ts";
import { hasVars, missingVars } from "../record/vars.ts";

const DONE: Outcome = { type: "done" };

type ChainPhase = "do" | "cleanup";

/** Runs one step after the other until one does not continue. */
export async function runList(pass: Pass, steps: readonly StepRuntime[], phase: ChainPhase): Promise<Outcome> {
  for (const step of steps) {
    const outcome = await runOne(pass, step, phase);
    if (outcome.type !== "done") return outcome;
    if (pass.specChangedBy !== undefined) {
      // The save requests the next pass when the new generation is stored.
      const end = { type: "wait", reason: "it changed the spec; the new generation starts the next pass" } as const;
      pass.progress.set(pass.specChangedBy, end);
      return { ...end, step: pass.specChangedBy.name };
    }
  }
  return DONE;
}

/** Runs steps that an extension asks for by their order, as many at once as allowed. The others continue if one fails. */
async function runOrdered(pass: Pass, work: StepsRun): Promise<Outcome> {
  const { steps, concurrency, name, phase, blocked } = work;
  const before = (step: StepRuntime): readonly StepRuntime[] => work.before(step).filter((each) => steps.includes(each));
  const outcomes = new Map<StepRuntime, Outcome>();
  const run = async (step: StepRuntime): Promise<unknown> => {
    const by = before(step).filter((each) => outcomes.get(each)?.type !== "done");
    return by.length > 0 ? blocked(step, by) : outcomes.set(step, await runOne(pass, step, phase));
  };
  await runGraph({ parts: steps, concurrency, before, run, isOver: () => pass.isStopped });
  return groupEnd(pass, name, { steps, outcomes });
}

/** The end of several steps. In a pass that is over, the reason of the step that ended last counts. */
function groupEnd(
  pass: Pass,
  name: string,
  { steps, outcomes }: { readonly steps: readonly StepRuntime[]; readonly outcomes: ReadonlyMap<StepRuntime, Outcome> },
): Outcome {
  if (pass.isStopped) return [...outcomes.values()].at(-1) ?? DONE;
  const inOrder = steps.flatMap((step) => outcomes.get(step) ?? []);
  return joined(pass, name, inOrder);
}

function runOne(pass: Pass, step: StepRuntime, phase: ChainPhase): Promise<Outcome> {
  return step.parts === undefined ? runStep(pass, step, phase) : runComposite(pass, step, step.parts, phase);
}

/** Runs every part by the order, also if others fail; then the phase of the composite itself, which sees their progress. */
async function runComposite(pass: Pass, step: StepRuntime, parts: Parts, phase: ChainPhase): Promise<Outcome> {
  const { order } = pass.pipeline;
  const steps = phase === "do" ? parts.steps : parts.steps.toReversed();
  const outcomes = new Map<StepRuntime, Outcome>();
  if (phase === "cleanup" || (await opened(pass, step, parts)))
    await runGraph({
      parts: steps,
      concurrency: parts.concurrency,
      before: (part) => (phase === "do" ? order.before(part) : order.after(part)),
      run: async (part) => outcomes.set(part, await runPart(pass, part, phase)),
      isOver: () => pass.isStopped,
    });
  const outcome = groupEnd(pass, step.name, { steps, outcomes });
  if (step[phase] === undefined || pass.isStopped) return outcome;
  if (phase === "do" && parts.reports) return await unlessBlocked(pass, step, phase);
  return joined(pass, step.name, [outcome, await unlessBlocked(pass, step, phase)]);
}

/** Asks a composite whether its parts run. */
async function opened(pass: Pass, step: StepRuntime, parts: Parts): Promise<boolean> {
  if (parts.opens === undefined) return true;
  const opens = hasVars(pass, step) ? parts.opens : opensWithout(pass, step, parts);
  if (opens === undefined || pass.signal.aborted || pass.clock.now() >= pass.endsAtMs) return false;
  const ended = await runPhase(pass, step, "do", { ...chainLimit(pass), substitute: { do: opens } });
  (pass.openings ??= new Map()).set(step, ended.type === "continue" ? { type: "done" } : ended);
  return ended.type === "continue";
}

/** The opening of a composite whose values are missing; `undefined`: it does not open. */
function opensWithout(pass: Pass, step: StepRuntime, { opensWithout: opens }: Parts): PhaseFunction | undefined {
  const wait = missingVars(pass, step);
  return wait === undefined || opens === undefined ? undefined : (req) => opens(req, wait);
}

function runPart(pass: Pass, part: StepRuntime, phase: ChainPhase): Promise<Outcome> {
  return part.parts === undefined ? unlessBlocked(pass, part, phase) : runComposite(pass, part, part.parts, phase);
}

/** Runs a part, unless parts that it requires are not done; in a cleanup, parts that use it. The others report the reason. */
async function unlessBlocked(pass: Pass, part: StepRuntime, phase: ChainPhase): Promise<Outcome> {
  const { order, extensions } = pass.pipeline;
  const by = (phase === "do" ? order.requiredBy(part) : order.usersOf(part)).filter((each) => !isDone(pass, each));
  if (by.length === 0) return runStep(pass, part, phase);
  (pass.blocked ??= new Set()).add(part);
  pass.progress.set(part, { type: "unreached" });
  const rules = extensions.find(({ name, order: own }) => own !== undefined && part.uses.has(name));
  if (rules?.order === undefined) return DONE;
  const extended = { name: part.name, data: part.uses.get(rules.name)?.data, step: part };
  await rules.order.blocked(chainScopeOf(pass, rules, RUNNER), extended, { by, phase });
  return DONE;
}

/** An extension may note a blocked part as done, because its object is not desired. */
function isDone(pass: Pass, part: StepRuntime): boolean {
  return pass.progress.get(part)?.type === "done" && pass.blocked?.has(part) !== true;
}

/** Runs the work of extensions after the chain; skipped in a pass that is over. */
export async function runAfterChain(pass: Pass): Promise<Outcome> {
  let outcome = DONE;
  for (const extension of pass.pipeline.extensions) {
    if (extension.afterChain === undefined || pass.isStopped) continue;
    const ended = await extension.afterChain(chainScopeOf(pass, extension, RUNNER));
    if (outcome.type === "done") outcome = ended;
  }
  return outcome;
}

const RUNNER: ChainRunner = {
  run: runOrdered,
  async probe(pass, step, { reads, beforeReads, do: look }) {
    if (pass.signal.aborted || pass.clock.now() >= pass.endsAtMs || !hasVars(pass, step)) return undefined;
    const probe = beforeReads === undefined ? { reads } : { reads, beforeReads };
    const ended = await runPhase(pass, step, "do", { ...chainLimit(pass), substitute: { do: look ?? nothing, probe } });
    return ended.type === "continue" ? (ended.vars as Readonly<Record<string, unknown>>) : undefined;
  },
};

/**
 * Runs what the steps do when the finalizer is removed without their cleanups, also if one of them fails. Returns the first end
 * that keeps the finalizer.
 */
export async function runReleases(pass: Pass): Promise<Outcome> {
  let outcome = DONE;
  for (const step of pass.pipeline.releasing) {
    const ended = await runRelease(pass, step);
    if (outcome.type === "done") outcome = ended;
  }
  return outcome;
}

async function runRelease(pass: Pass, step: StepRuntime): Promise<Outcome> {
  if (pass.signal.aborted) return shuttingDown(pass);
  if (pass.clock.now() >= pass.endsAtMs) return note(pass, step, { type: "failed", error: passTimeout(pass) });
  if (pass.env.isDryRun && !step.runsDry) return note(pass, step, { type: "stop", reason: heldInDryRun(step, "cleanup") });
  const substitute = { do: step.release as PhaseFunction, isBare: true }; // Only steps with a release are in the list.
  const ended = await runPhase(pass, step, "cleanup", { ...chainLimit(pass), substitute });
  const isRetried = pass.isStopped || (ended.type === "wait" && ended.conflict !== undefined);
  if (ended.type === "continue" || pass.skips !== "cleanup" || isRetried) return note(pass, step, ended);
  const reason = ended.type === "failed" ? statusMessage(ended.error) : ended.reason;
  pass.log.warn({ step: step.name, reason }, `step "${step.name}" could not release its objects, and the cleanup is skipped: ${reason}`);
  return DONE;
}

async function runStep(pass: Pass, step: StepRuntime, phase: ChainPhase): Promise<Outcome> {
  if (pass.signal.aborted) return shuttingDown(pass);
  const isReported = phase === "do" && pass.pipeline.reporters.has(step);
  const noted = (ended: Ended): Outcome => note(pass, step, ended, { isReported });
  if (step[phase] === undefined) return noted({ type: "continue", vars: {} });
  if (pass.clock.now() >= pass.endsAtMs) return noted({ type: "failed", error: passTimeout(pass) });
  if (pass.env.isDryRun && !step.runsDry) return noted({ type: "stop", reason: heldInDryRun(step, phase) });
  const wait = phase === "do" && step.givers.length > 0 ? missingVars(pass, step) : undefined;
  const { unprovided } = step;
  if (wait !== undefined && unprovided === undefined) return noted(wait);
  const limit = chainLimit(pass);
  const substitute = wait === undefined ? undefined : { do: (req: unknown) => unprovided?.(req, wait) };
  const ended = await runPhase(pass, step, phase, substitute === undefined ? limit : { ...limit, substitute });
  if (phase === "do" && step.writes.includes("spec") && ended.type === "continue" && pass.drafts.spec.changes() !== undefined)
    pass.specChangedBy = step;
  return noted(withVars(pass, step, ended));
}

/** The limit of the phases of the chain. */
export function chainLimit(pass: Pass): PhaseLimit {
  return { endsAtMs: pass.endsAtMs, endedBy: () => passTimeout(pass), signal: pass.signal };
}

/** Adds the vars of a step. A name that an earlier step provides is a failure of this step. */
function withVars(pass: Pass, step: StepRuntime, ended: Ended): Ended {
  if (ended.type !== "continue") return ended;
  if (Object.keys(ended.vars).length === 0) return ended;
  const handed = pass.handed?.get(step.name);
  try {
    pass.addVars(step, { vars: { ...handed?.vars, ...ended.vars }, missing: handed?.missing });
    return ended;
  } catch (error) {
    return { type: "failed", error };
  }
}

/** Records how a step ended, and its request for the next pass. The errors of a step with a reporter are those of the reporter. */
export function note(pass: Pass, step: StepRuntime, ended: Ended, { isReported = false }: { readonly isReported?: boolean } = {}): Outcome {
  if (ended.type === "continue") {
    pass.progress.set(step, { type: "done" });
    return DONE;
  }
  pass.progress.set(step, ended);
  if (ended.type === "failed") {
    if (!isReported) pass.failures.push({ rank: "step", error: ended.error, backoff: step.backoff });
    return { type: "failed", step: step.name, error: ended.error };
  }
  if (ended.type === "wait") {
    pass.asked.push({ reason: ended.reason, afterMs: ended.afterMs });
    if (ended.cause?.isTransient === true) pass.hasTransientWait = true;
  }
  return { type: ended.type, step: step.name, reason: ended.reason };
}

/** Joins the ends of several steps: all errors, else the earliest wait, else a stop. */
function joined(pass: Pass, name: string, outcomes: readonly Outcome[]): Outcome {
  const failed = outcomes.filter((outcome) => outcome.type === "failed");
  if (failed.length === 1) return failed[0] as Outcome;
  if (failed.length > 1) {
    const errors = failed.map(({ error }) => error);
    return { type: "failed", step: name, error: new AggregateError(errors, `${errors.length} parts of "${name}" failed`) };
  }
  return earliestWait(pass, outcomes) ?? outcomes.find(({ type }) => type === "stop") ?? DONE;
}

/** Waits with backoff come before those with a delay: the backoff starts at 50 ms. */
function earliestWait(pass: Pass, outcomes: readonly Outcome[]): Outcome | undefined {
  const delayOf = (outcome: Outcome): number => {
    const step = pass.pipeline.leaves.find(({ name }) => "step" in outcome && name === outcome.step);
    const ended = step === undefined ? undefined : pass.progress.get(step);
    return ended?.type === "wait" ? (ended.afterMs ?? 0) : 0;
  };
  const waits = outcomes.filter(({ type }) => type === "wait");
  return waits.toSorted((a, b) => delayOf(a) - delayOf(b))[0];
}

export function shuttingDown(pass: Pass): Outcome {
  pass.isAborted = true;
  return { type: "stop", step: "(shutdown)", reason: "the operator is shutting down" };
}

/** Makes the error of a chain that is too slow. */
export function passTimeout(pass: Pass): Error {
  return new ReconcileError(
    "ERR_PASS_TIMEOUT",
    `the pass did not finish within ${pass.pipeline.deadlines.passMs / 1000} s: make its steps faster, or raise deadlines.passMs`,
  );
}

function nothing(): void {}
