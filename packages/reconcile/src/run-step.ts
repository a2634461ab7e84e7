/**
 * Runs one phase of one step as a pass does: with a real req, deadline, save and finalizer. The steps before it do not run; the
 * caller gives their vars. For tests and tools; an operator runs passes.
 */
import type { Kind, KubernetesObject } from "@treadle/apimachinery";
import { defaultName, finalizerOf, stateAnnotationOf } from "./build/names.ts";
import { runPass } from "./pass/pass.ts";
import { newMemory } from "./record/memory.ts";
import { Pass } from "./record/pass-state.ts";
import { assemble, declaredConditions, type Pipeline } from "./build/pipeline.ts";
import type { Phase } from "./pass/step-req.ts";
import { leavesOf, type PhaseFunction, runtimeOf, type StepRuntime } from "./build/step-runtime.ts";
import type { PhaseReport } from "./pass-result.ts";
import type { ReconcilerEnv } from "./env.ts";
import type { Outcome } from "./req.ts";
import { type AnyResult, isResult, makeContinue, makeStop, makeWait } from "./result.ts";
import type { AnyStep } from "./step.ts";

/** These are the options of {@link runStep}. */
export interface RunStepOptions {
  /** The value of `req.object`, deeply frozen like an object of a cache. */
  readonly object: KubernetesObject;
  /** The phase to run. `cleanup` needs an object that is being deleted and has the finalizer; the others need one that is not deleted. */
  readonly phase: Phase;
  /** The vars of the steps before it. */
  readonly vars: object;
  /** The value of `req.outcome` in a post. @defaultValue done */
  readonly outcome?: Outcome;
  /** The name of the handler, from which finalizer and field manager follow. @defaultValue `<plural>.<group>` */
  readonly handlerName?: string;
  /** The memories of steps, by step; pass the same map to a later run of the same object. @defaultValue new memories */
  readonly memories?: Map<string, object>;
  /** A signal that ends the phase as a shutdown does. */
  readonly signal?: AbortSignal;
}

/** These facts of a step are needed before it can run alone. */
export interface StepFacts {
  /** The name of the step. */
  readonly name: string;
  /** The kinds that the step or one of its parts reads and owns. */
  readonly kinds: readonly Kind[];
  /** The finalizer that the step adds in a handler of that name; undefined without a cleanup. */
  readonly finalizer: string | undefined;
  /** The phases that the step has. */
  readonly phases: ReadonlySet<Phase>;
}

/** This is the result of one run of a step. */
export interface StepRun {
  /** The result of the phase; `continue` if it returned nothing. */
  readonly result: AnyResult;
  /** The vars that the step handed over, whatever its result. */
  readonly vars: object;
  /** The phases that ran. */
  readonly phases: readonly PhaseReport[];
  /** Whether the primary no longer exists after the run. */
  readonly isGone: boolean;
}

/** Returns the annotation in which a handler keeps the step state of a kind that `defineResource` did not make. */
export function stateAnnotation(kind: Kind, handlerName: string = defaultName(kind)): string {
  return stateAnnotationOf(handlerName);
}

/** Returns the facts of a step. @throws TypeError for a value that `step()` did not make. */
export function factsOf(kind: Kind, step: AnyStep, handlerName: string = defaultName(kind)): StepFacts {
  const leaves = leavesOf([required(step)]);
  const phases = (["gate", "do", "cleanup", "post"] as const).filter((phase) => leaves.some((leaf) => leaf[phase] !== undefined));
  return {
    name: step.name,
    kinds: leaves.flatMap((leaf) => [...Object.values(leaf.reads).map((read) => read.kind), ...leaf.owns]),
    finalizer: phases.includes("cleanup") ? finalizerOf(kind, handlerName) : undefined,
    phases: new Set(phases),
  };
}

/**
 * Runs one phase, then saves its changes. Conditions that the step does not declare keep their values. Ready is not computed,
 * because it depends on all steps, unless the step owns it.
 *
 * @throws the error of the phase or of the engine (a deadline, a value that is not a result, a failed save)
 */
export async function runStep(kind: Kind, step: AnyStep, env: ReconcilerEnv, options: RunStepOptions): Promise<StepRun> {
  const { object, phase, vars, outcome, handlerName = defaultName(kind), signal = new AbortController().signal } = options;
  const records: Recorded[] = [];
  const alone = only(required(step), phase, { records, outcome: outcome ?? { type: "done" }, names: namesIn(required(step)) });
  const pipeline = pipelineOf(kind, alone, { handlerName, object, holdsFinalizer: phase === "do" || phase === "cleanup" });
  const problems = kind.resource?.problems(object).map(({ path, message }) => `${path}: ${message}`) ?? [];
  const memory = newMemory(object.metadata.uid);
  if (options.memories !== undefined) memory.slots = options.memories;
  memory.checked = { generation: object.metadata.generation, problems };
  const pass = new Pass({ pipeline, env, object, memory, signal, log: env.log });
  pass.givenVars = Object.freeze({ ...vars });
  pass.vars = pass.givenVars;
  for (const type of foreignTypes(alone, object)) pass.settings.set(type, "keep");
  await runPass(pass);
  pass.drafts.close();

  const failures = pass.failures.filter(({ rank }) => phase !== "post" || rank !== "step").map(({ error }) => error);
  const thrown = records.find((record) => record.type === "thrown");
  if (thrown?.type === "thrown") throw thrown.error;
  if (failures.length > 1) throw new AggregateError(failures, `step "${step.name}": ${failures.length} failures`);
  if (failures.length === 1) throw failures[0];
  return {
    result: resultOf(pass, alone, records),
    vars: handedOver(pass),
    phases: pass.phases.filter((report) => report.phase === phase),
    isGone: pass.isGone,
  };
}

/** The return or exception of a phase, before the engine checks it. */
type Recorded = { readonly type: "returned"; readonly value: unknown } | { readonly type: "thrown"; readonly error: unknown };

interface Recording {
  readonly records: Recorded[];
  readonly outcome: Outcome;
  /** The names of the step and its parts. */
  readonly names: ReadonlySet<string>;
}

function namesIn(step: StepRuntime): ReadonlySet<string> {
  return new Set([step.name, ...(step.parts?.steps ?? []).flatMap((part) => [...namesIn(part)])]);
}

/** The step with only one of its phases, which records its return or exception. */
function only(step: StepRuntime, phase: Phase, recording: Recording): StepRuntime {
  return {
    ...step,
    gate: undefined,
    // A post sees the outcome of the chain, so the chain must end with it.
    do: phase === "post" ? ending(recording.outcome) : undefined,
    // Also present for `do`: a step with a cleanup has a finalizer, and adds it.
    cleanup: phase === "post" ? ending(recording.outcome) : phase === "do" ? step.cleanup : undefined,
    post: undefined,
    [phase]: recorded(step[phase], recording),
    parts: step.parts && {
      ...step.parts,
      opens: phase === "do" ? step.parts.opens : undefined,
      opensWithout: phase === "do" ? step.parts.opensWithout : undefined,
      steps: step.parts.steps.map((part) => only(part, phase, recording)),
    },
    // The caller gives the vars of all other steps.
    needs: step.needs.filter(({ name }) => recording.names.has(name)),
  };
}

function recorded(run: PhaseFunction | undefined, { records }: Recording): PhaseFunction | undefined {
  if (run === undefined) return undefined;
  const returned = (value: unknown): unknown => {
    records.push({ type: "returned", value });
    return value;
  };
  const thrown = (error: unknown): never => {
    records.push({ type: "thrown", error });
    throw error;
  };
  return (req) => {
    try {
      const value = run(req);
      // A synchronous phase stays synchronous: a gate may not be asynchronous.
      return value instanceof Promise ? value.then(returned, thrown) : returned(value);
    } catch (error) {
      return thrown(error);
    }
  };
}

function ending(outcome: Outcome): PhaseFunction {
  return () => {
    if (outcome.type === "failed") throw outcome.error;
    if (outcome.type === "wait") return makeWait(outcome.reason);
    return outcome.type === "stop" ? makeStop(outcome.reason) : undefined;
  };
}

function resultOf(pass: Pass, step: StepRuntime, records: readonly Recorded[]): AnyResult {
  const [record] = records;
  if (step.parts === undefined && record?.type === "returned") {
    const result = isResult(record.value) ? record.value : makeContinue({});
    return result.type === "continue" ? makeContinue({ ...handedOver(pass), ...result.vars }) : result;
  }
  const { outcome = { type: "done" } } = pass;
  if (outcome.type === "wait") return makeWait(outcome.reason);
  return outcome.type === "stop" ? makeStop(outcome.reason) : makeContinue(handedOver(pass));
}

/** The vars that the step and its parts handed over. */
function handedOver({ handed }: Pass): object {
  return Object.assign({}, ...[...(handed?.values() ?? [])].map(({ vars }) => vars)) as object;
}

function pipelineOf(
  kind: Kind,
  step: StepRuntime,
  given: { readonly handlerName: string; readonly object: KubernetesObject; readonly holdsFinalizer: boolean },
): Pipeline {
  const leaves = leavesOf([step]);
  const declared = declaredConditions(leaves);
  // Declared here, so that they are not dropped as conditions of an earlier version of the handler.
  for (const type of foreignTypes(step, given.object)) declared.set(type, { step: leaves[0] ?? step, counts: false });
  const conditions = declared.size > 0 ? { computesReady: false, keepsObservedGeneration: false, declared } : undefined;
  const assembled = assemble({ kind, name: given.handlerName, steps: [step], watches: [], conditions, deadlines: {} });
  const pipeline: Pipeline = { ...assembled, isAlone: true };
  return given.holdsFinalizer ? pipeline : { ...pipeline, finalizer: undefined, finalizerBeforeDo: false };
}

/** Condition types on the object that this step does not declare. */
function foreignTypes(step: StepRuntime, object: KubernetesObject): readonly string[] {
  const { status } = object as { readonly status?: { readonly conditions?: readonly { readonly type: string }[] } };
  const own = new Set(leavesOf([step]).flatMap((leaf) => leaf.conditions.map(({ type }) => type)));
  return (status?.conditions ?? []).map(({ type }) => type).filter((type) => !own.has(type));
}

function required(step: AnyStep): StepRuntime {
  const runtime = runtimeOf(step);
  if (runtime === undefined) throw new TypeError("run: give it a step, as step(), all() or a factory of steps made it");
  return runtime;
}
