/**
 * Runs the steps of a pass: a list one after the other, the parts of a composite by their order, and steps that an extension
 * asks for after the chain. The outcomes of several steps are joined into one.
 */
import { ReconcileError } from "../errors.ts";
import type { StepsRun } from "../extension.ts";
import type { Outcome } from "../req.ts";
import { withoutDrafts } from "../record/drafts.ts";
import { heldInDryRun } from "./dry-run.ts";
import { chainScopeOf, type ChainRunner } from "../save/extension-scope.ts";
import type { Pass } from "../record/pass-state.ts";
import { type Ended, type PhaseLimit, runPhase } from "./phase.ts";
import { runGraph } from "./run-graph.ts";
import type { Parts, StepRuntime } from "../build/step-runtime.ts";

export const DONE: Outcome = { type: "done" };

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

/** Runs steps by their order, as many at once as allowed. The others continue if one fails. */
async function runOrdered(pass: Pass, work: StepsRun): Promise<Outcome> {
  const { steps: parts, phase, concurrency, before, blocked } = work;
  const outcomes = new Map<StepRuntime, Outcome>();
  await runGraph({
    parts,
    concurrency,
    before: (part) => before(part).filter((each) => parts.includes(each)),
    blocked,
    run: async (part) => {
      const outcome = await runOne(pass, part, phase);
      outcomes.set(part, outcome);
      return outcome.type === "done";
    },
    isOver: () => pass.isStopped,
  });
  // In a pass that is over, the reason of the step that ended last counts.
  if (pass.isStopped) return [...outcomes.values()].at(-1) ?? DONE;
  return joined(
    pass,
    work.name,
    parts.flatMap((part) => outcomes.get(part) ?? []),
  );
}

function runOne(pass: Pass, step: StepRuntime, phase: ChainPhase): Promise<Outcome> {
  return step.parts === undefined ? runStep(pass, step, phase) : runComposite(pass, step, step.parts, phase);
}

/** Runs every part, also if others fail; then the phase of the composite itself, which sees their progress. */
async function runComposite(pass: Pass, step: StepRuntime, parts: Parts, phase: ChainPhase): Promise<Outcome> {
  const steps = phase === "do" ? parts.steps : parts.steps.toReversed();
  const outcome = await runOrdered(pass, { steps, phase, name: step.name, ...orderOf(pass, parts, phase) });
  if (step[phase] === undefined || pass.isStopped) return outcome;
  return joined(pass, step.name, [outcome, await runStep(pass, step, phase)]);
}

function orderOf(pass: Pass, { order, steps }: Parts, phase: ChainPhase): Pick<StepsRun, "concurrency" | "before" | "blocked"> {
  const rules = pass.pipeline.extensions.find(({ name }) => name === order?.by);
  if (order === undefined || rules?.order === undefined) return IN_TURN;
  const { order: edges } = rules;
  const extended = (part: StepRuntime) => ({ name: part.name, data: part.uses.get(rules.name)?.data, step: part });
  const needed = (part: StepRuntime) => edges.before(extended(part)).filter((each) => each !== undefined);
  return {
    concurrency: order.concurrency,
    before: (part) => (phase === "do" ? needed(part) : steps.filter((each) => needed(each).includes(part))),
    blocked: (part, by) => edges.blocked(chainScopeOf(pass, rules, RUNNER), extended(part), { by, phase }),
  };
}

const IN_TURN: Pick<StepsRun, "concurrency" | "before" | "blocked"> = { concurrency: 1, before: () => [], blocked: () => undefined };

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
    if (pass.signal.aborted || pass.clock.now() >= pass.endsAtMs) return undefined;
    const ended = await runPhase(pass, { ...step, owns: [], beforeReads, reads, do: look }, "do", chainLimit(pass));
    return ended.type === "continue" ? (ended.vars as Readonly<Record<string, unknown>>) : undefined;
  },
};

async function runStep(pass: Pass, step: StepRuntime, phase: ChainPhase): Promise<Outcome> {
  if (pass.signal.aborted) return shuttingDown(pass);
  if (step[phase] === undefined) return note(pass, step, { type: "continue", vars: {} });
  if (pass.clock.now() >= pass.endsAtMs) return note(pass, step, { type: "failed", error: passTimeout(pass) });
  if (pass.env.isDryRun && !step.runsDry) return note(pass, step, { type: "stop", reason: heldInDryRun(step, phase) });
  const ended = await runPhase(pass, step, phase, chainLimit(pass));
  if (phase === "do" && step.writes.includes("spec") && ended.type === "continue" && pass.drafts.spec.changes() !== undefined)
    pass.specChangedBy = step;
  return note(pass, step, addVars(pass, step, ended));
}

/** The limit of the phases of the chain. */
export function chainLimit(pass: Pass): PhaseLimit {
  return { endsAtMs: pass.endsAtMs, endedBy: () => passTimeout(pass), signal: pass.signal };
}

/** Adds the vars of a step. A name that an earlier step provides is a failure of this step. */
function addVars(pass: Pass, step: StepRuntime, ended: Ended): Ended {
  if (ended.type !== "continue") return ended;
  const names = Object.keys(ended.vars);
  const taken = names.find((name) => Object.hasOwn(pass.vars, name));
  if (taken !== undefined) {
    const message = `step "${step.name}" provides vars.${taken}, which an earlier step already provides: rename it`;
    return { type: "failed", error: new ReconcileError("ERR_STEP_FAILED", message, { step: step.name }) };
  }
  if (names.length > 0) pass.vars = Object.freeze({ ...pass.vars, ...withoutDrafts(ended.vars) });
  return ended;
}

/** Records how a step ended, and its request for the next pass. */
export function note(pass: Pass, step: StepRuntime, ended: Ended): Outcome {
  if (ended.type === "continue") {
    pass.progress.set(step, { type: "done" });
    return DONE;
  }
  pass.progress.set(step, ended);
  if (ended.type === "failed") {
    pass.failures.push({ rank: "step", error: ended.error });
    return { type: "failed", step: step.name, error: ended.error };
  }
  if (ended.type === "wait") pass.asked.push({ reason: ended.reason, afterMs: ended.afterMs });
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
