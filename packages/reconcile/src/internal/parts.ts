/**
 * Parts: several steps as one. Those of an `all()` run in list order, those of a `dependentApplyAll()` by what they need,
 * and dependents that are wanted no more are removed in the reverse order. What they came to is joined into one outcome.
 */
import type { Outcome } from "../req.ts";
import type { Pass } from "./pass-state.ts";
import { runGraph } from "./run-graph.ts";
import { leavesOf, type StepRuntime } from "./step-runtime.ts";

/** Runs one phase of one step. */
export type RunStep = (pass: Pass, step: StepRuntime, phase: "do" | "cleanup") => Promise<Outcome>;

interface How {
  readonly phase: "do" | "cleanup";
  readonly runStep: RunStep;
}

const DONE: Outcome = { type: "done" };

/** Every part of an `all()`, whatever the others do. */
export async function runParts(pass: Pass, group: StepRuntime, how: How): Promise<Outcome> {
  const outcomes = await (group.concurrency === undefined ? runInOrder(pass, group, how) : runByDependence(pass, group, how));
  // Of a pass that is over nothing counts any more but why.
  const last = outcomes.at(-1);
  return isStopped(pass) && last !== undefined ? last : joined(pass, group.name, outcomes);
}

/**
 * What dependents are wanted no more is removed when all that is wanted has been looked after, however that ended; last
 * made, first removed, each when what needed it is gone.
 */
export async function pruneUnwanted(pass: Pass, runStep: RunStep): Promise<Outcome> {
  const { pipeline, dependents } = pass;
  if (dependents.unwanted.size === 0 || isStopped(pass)) return DONE;
  const parts = pipeline.leaves.filter(({ name }) => dependents.unwanted.has(name)).toReversed();
  const groupOf = (part: StepRuntime): StepRuntime | undefined => pipeline.steps.find((step) => leavesOf([step]).includes(part));
  const isAfter = (part: StepRuntime, other: StepRuntime): boolean =>
    groupOf(part) === groupOf(other) ? neededBy(part).includes(other) : parts.indexOf(part) < parts.indexOf(other);
  const outcomes: Outcome[] = [];
  await runGraph({
    parts,
    concurrency: PRUNED_AT_ONCE,
    before: (part) => parts.filter((each) => isAfter(each, part)),
    run: async (part) => {
      const outcome = await runStep(pass, part, "cleanup");
      outcomes.push(outcome);
      return outcome.type === "done";
    },
    blocked: (part, by) => blocked(pass, part, { reason: "Deleting", message: `to be deleted when ${namesOf(by)} is gone` }),
    isOver: () => isStopped(pass),
  });
  return joined(pass, "(dependents)", outcomes);
}

/** As many as a `dependentApplyAll()` works on by default. */
const PRUNED_AT_ONCE = 5;

/** All errors, else the earliest wait, else a stop. */
function joined(pass: Pass, name: string, outcomes: readonly Outcome[]): Outcome {
  const failed = outcomes.filter((outcome) => outcome.type === "failed");
  if (failed.length === 1) return failed[0] as Outcome;
  if (failed.length > 1) {
    const errors = failed.map(({ error }) => error);
    return { type: "failed", step: name, error: new AggregateError(errors, `${errors.length} parts of "${name}" failed`) };
  }
  return earliestWait(pass, outcomes) ?? outcomes.find(({ type }) => type === "stop") ?? DONE;
}

async function runInOrder(pass: Pass, { children: parts = [] }: StepRuntime, how: How): Promise<Outcome[]> {
  const { phase, runStep } = how;
  const outcomes: Outcome[] = [];
  for (const part of phase === "do" ? parts : parts.toReversed()) {
    outcomes.push(part.children === undefined ? await runStep(pass, part, phase) : await runParts(pass, part, how));
    if (isStopped(pass)) break;
  }
  return outcomes;
}

/** The parts of a `dependentApplyAll()`. One that waits for another says so; when to come back is for that other to say. */
async function runByDependence(pass: Pass, group: StepRuntime, { phase, runStep }: How): Promise<Outcome[]> {
  const { children = [], concurrency = 1 } = group;
  const outcomes: Outcome[] = [];
  await runGraph({
    parts: phase === "do" ? children : children.toReversed(),
    concurrency,
    before: (part) =>
      phase === "do" ? neededBy(part).filter((each) => children.includes(each)) : children.filter((each) => neededBy(each).includes(part)),
    run: async (part) => {
      const outcome = await runStep(pass, part, phase);
      outcomes.push(outcome);
      return outcome.type === "done";
    },
    blocked: (part, by) => blocked(pass, part, { reason: "WaitingForDependency", message: `waiting for ${namesOf(by)}` }),
    isOver: () => isStopped(pass),
  });
  return outcomes;
}

/** A part cannot run before others: to say why, and when to come back, is for those. */
function blocked(pass: Pass, part: StepRuntime, { reason, message }: { readonly reason: string; readonly message: string }): void {
  pass.progress.set(part, { type: "unreached" });
  if (part.dependent?.hasEntries !== true || pass.isDeleting) return;
  pass.dependents.entries.set(part.name, [part.dependent.entryFor(pass.object, { type: "Pending", reason, message }, undefined)]);
}

function neededBy(part: StepRuntime): readonly StepRuntime[] {
  return part.dependent?.dependsOn().filter((each) => each !== undefined) ?? [];
}

function namesOf(steps: readonly StepRuntime[]): string {
  return steps.map(({ name }) => name).join(", ");
}

function isStopped(pass: Pass): boolean {
  return pass.over !== undefined || pass.isAborted;
}

/** Waits on the curve come before those with a delay of their own: the curve starts at 50 ms. */
function earliestWait(pass: Pass, outcomes: readonly Outcome[]): Outcome | undefined {
  const delayOf = (outcome: Outcome): number => {
    const step = pass.pipeline.leaves.find(({ name }) => "step" in outcome && name === outcome.step);
    const ended = step === undefined ? undefined : pass.progress.get(step);
    return ended?.type === "wait" ? (ended.afterMs ?? 0) : 0;
  };
  const waits = outcomes.filter(({ type }) => type === "wait");
  return waits.toSorted((a, b) => delayOf(a) - delayOf(b))[0];
}
