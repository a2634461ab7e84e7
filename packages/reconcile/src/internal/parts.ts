/**
 * Parts: several steps as one. Those of an `all()` run in list order, those of a `dependentApplyAll()` by what they need,
 * and dependents that are wanted no more are removed in the reverse order. What they came to is joined into one outcome.
 */
import type { Outcome } from "../req.ts";
import { reportBlocked } from "./dependent-entries.ts";
import type { Pass } from "./pass-state.ts";
import { type GraphRun, runGraph } from "./run-graph.ts";
import { leavesOf, type StepRuntime } from "./step-runtime.ts";

/** Runs one phase of one step. */
export type RunStep = (pass: Pass, step: StepRuntime, phase: "do" | "cleanup") => Promise<Outcome>;

interface How {
  readonly phase: "do" | "cleanup";
  readonly runStep: RunStep;
  /** Whether a dependent is wanted no more, although what it needs is not ready. */
  readonly isUnwanted: (pass: Pass, part: StepRuntime) => Promise<boolean>;
}

const DONE: Outcome = { type: "done" };

/**
 * Every part of a group, whatever the others do: those of an `all()` one after the other, those of a `dependentApplyAll()`
 * by what they need. One that waits for another says so; when to come back is for that other to say. One that is not wanted
 * waits for nothing.
 */
export async function runParts(pass: Pass, group: StepRuntime, how: How): Promise<Outcome> {
  const { phase, runStep } = how;
  const { children = [], concurrency } = group;
  const blockersOf = new Map<StepRuntime, readonly StepRuntime[]>();
  const parts = phase === "do" ? children : children.toReversed();
  const before = phase === "do" ? neededBy : (part: StepRuntime) => parts.filter((each) => neededBy(each).includes(part));
  const outcomes = await outcomesOf(pass, {
    parts,
    concurrency: concurrency ?? 1,
    before: (part) => (concurrency === undefined ? [] : before(part).filter((each) => parts.includes(each))),
    run: (part) => (part.children === undefined ? runStep(pass, part, phase) : runParts(pass, part, how)),
    blocked: async (part, by) => {
      // What is not wanted is nobody's reason to wait: those on which it waits are.
      const blockers = by.flatMap((each) => blockersOf.get(each) ?? [each]);
      if (phase === "do" && (await how.isUnwanted(pass, part))) blockersOf.set(part, blockers);
      else blocked(pass, part, { reason: "WaitingForDependency", message: `waiting for ${namesOf([...new Set(blockers)])}` });
    },
  });
  return joined(pass, group.name, outcomes);
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
  const outcomes = await outcomesOf(pass, {
    parts,
    concurrency: PRUNED_AT_ONCE,
    before: (part) => parts.filter((each) => isAfter(each, part)),
    run: (part) => runStep(pass, part, "cleanup"),
    blocked: (part, by) => blocked(pass, part, { reason: "Deleting", message: `to be deleted when ${namesOf(by)} is gone` }),
  });
  return joined(pass, "(dependents)", outcomes);
}

/** As many as a `dependentApplyAll()` works on by default. */
const PRUNED_AT_ONCE = 5;

type Work = Pick<GraphRun, "parts" | "concurrency" | "before" | "blocked"> & { readonly run: (part: StepRuntime) => Promise<Outcome> };

/** What the parts that ran came to; in the order of the parts, so that it does not matter who answers first. */
async function outcomesOf(pass: Pass, work: Work): Promise<readonly Outcome[]> {
  const outcomes = new Map<StepRuntime, Outcome>();
  await runGraph({
    ...work,
    run: async (part) => {
      const outcome = await work.run(part);
      outcomes.set(part, outcome);
      return outcome.type === "done";
    },
    isOver: () => isStopped(pass),
  });
  // Of a pass that is over nothing counts any more but why: the last that ended says it.
  if (isStopped(pass)) return [...outcomes.values()].slice(-1);
  return work.parts.flatMap((part) => outcomes.get(part) ?? []);
}

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

/** A part cannot run before others: to say why, and when to come back, is for those. */
function blocked(pass: Pass, part: StepRuntime, why: { readonly reason: string; readonly message: string }): void {
  pass.progress.set(part, { type: "unreached" });
  reportBlocked(pass, part, { type: "Pending", ...why });
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
