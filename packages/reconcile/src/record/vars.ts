/** Values that steps with `gives` hand over while they run, and the steps that wait for them. */
import { misuse } from "../internal/misuse.ts";
import { makeWait, type Wait } from "../result.ts";
import { leavesOf, type StepRuntime } from "../build/step-runtime.ts";
import type { Pass } from "./pass-state.ts";
import type { HandOver } from "./progress.ts";

/** Adds values of a step with `gives`, at once. @throws TypeError for names that it does not declare */
export function handOverVars(pass: Pass, step: StepRuntime, { vars, missing }: HandOver): void {
  const undeclared = Object.keys(vars).find((name) => step.gives?.names.includes(name) !== true);
  if (undeclared !== undefined)
    throw misuse("ERR_NOT_DECLARED", `step "${step.name}" hands over vars.${undeclared}: declare the name in its gives`);
  pass.addVars(step, { vars: Object.fromEntries(Object.entries(vars).filter(([, value]) => value !== undefined)), missing });
}

/** Returns the wait of a step whose values are missing: it names all values of all steps. `undefined` if the step can run. */
export function missingVars(pass: Pass, { givers }: StepRuntime): Wait | undefined {
  const waits = givers.flatMap((giver) => {
    const { gives } = giver;
    const names = gives?.names.filter((name) => !Object.hasOwn(pass.vars, name) || pass.vars[name] === undefined) ?? [];
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
