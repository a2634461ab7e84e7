/**
 * The vars of one pass: what its steps handed over. A step sees the vars of the steps in its `needs` and no others, so that its
 * inputs do not depend on what runs at the same time.
 */
import { ReconcileError } from "../errors.ts";
import { misuse } from "../internal/misuse.ts";
import { makeWait, type Wait } from "../result.ts";
import { leavesOf, type StepRuntime } from "../build/step-runtime.ts";
import { withoutDrafts } from "./drafts.ts";
import type { Pass } from "./pass-state.ts";

type Vars = Readonly<Record<string, unknown>>;

/** The vars of one step in a pass. */
export interface Handed {
  readonly vars: Vars;
  /** A clause that says why the others are missing. */
  readonly missing: string | undefined;
}

/** The values that a step hands over. */
export interface HandOver {
  /** The values by name; one that is `undefined` is missing. */
  readonly vars: Vars;
  /** A clause that says why the other values are missing, such as `it is not desired`. @defaultValue none */
  readonly missing?: string | undefined;
}

/** Adds the vars of a step. Later calls of the step replace what it added. @throws ReconcileError for a name of another step */
export function addVars(pass: Pass, step: StepRuntime, { vars, missing }: HandOver): void {
  const before = pass.handed?.get(step.name)?.vars ?? {};
  const taken = Object.keys(vars).find((name) => Object.hasOwn(pass.vars, name) && !Object.hasOwn(before, name));
  if (taken !== undefined) {
    const message = `step "${step.name}" provides vars.${taken}, which an earlier step already provides: rename it`;
    throw new ReconcileError("ERR_STEP_FAILED", message, { step: step.name });
  }
  const added = Object.freeze(withoutDrafts(vars) as Vars);
  (pass.handed ??= new Map()).set(step.name, { vars: added, missing });
  const others = Object.entries(pass.vars).filter(([name]) => !Object.hasOwn(before, name));
  // Replaced as a whole: a step that runs at the same time never sees a part of it.
  pass.vars = Object.freeze({ ...Object.fromEntries(others), ...added });
}

/** Adds values of a step with `gives`, at once. @throws TypeError for names that it does not declare */
export function handOverVars(pass: Pass, step: StepRuntime, { vars, missing }: HandOver): void {
  const undeclared = Object.keys(vars).find((name) => step.gives?.names.includes(name) !== true);
  if (undeclared !== undefined)
    throw misuse("ERR_NOT_DECLARED", `step "${step.name}" hands over vars.${undeclared}: declare the name in its gives`);
  addVars(pass, step, { vars: Object.fromEntries(Object.entries(vars).filter(([, value]) => value !== undefined)), missing });
}

/** Returns the vars of the steps in `needs`, and those that the caller of a single step gave. */
export function varsFor(pass: Pass, { needs }: StepRuntime): Vars {
  const { handed, givenVars } = pass;
  if (needs.length === 0 || handed === undefined) return givenVars;
  return Object.freeze(Object.assign({ ...givenVars }, ...leavesOf(needs).map(({ name }) => handed.get(name)?.vars)));
}

/** Returns the wait of a step whose values are missing: it names all values of all steps. `undefined` if the step can run. */
export function missingVars(pass: Pass, { givers }: StepRuntime): Wait | undefined {
  const waits = givers.flatMap((giver) => {
    const { gives } = giver;
    const names = gives?.names.filter((name) => pass.vars[name] === undefined) ?? [];
    if (gives === undefined || names.length === 0) return [];
    const clause = pass.handed?.get(giver.name)?.missing;
    const text = `${names.join(", ")} of ${sourceOf(pass, giver)}${clause === undefined ? "" : ` (${clause})`}`;
    return [{ text, afterMs: gives.afterMs }];
  });
  if (waits.length === 0) return undefined;
  const delays = waits.flatMap(({ afterMs }) => afterMs ?? []);
  const reason = pass.hide(`waiting for ${waits.map(({ text }) => text).join(" and ")}`);
  // One value without a time takes the backoff: no watch announces it.
  return makeWait(reason, delays.length < waits.length ? undefined : Math.min(...delays), { code: "MissingValue" });
}

/** Whether the step would see every var that its type promises. */
export function hasVars(pass: Pass, step: StepRuntime): boolean {
  const required = leavesOf(step.needs.filter((needed) => !step.optionalNeeds.has(needed)));
  return (
    missingVars(pass, step) === undefined &&
    required.every((needed) => needed.gives !== undefined || pass.progress.get(needed)?.type === "done")
  );
}

function sourceOf({ object }: Pass, { gives, name }: StepRuntime): string {
  try {
    return gives?.of(object) ?? `step "${name}"`;
  } catch {
    return `step "${name}"`;
  }
}
