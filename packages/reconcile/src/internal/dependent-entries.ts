/** What a pass has to say in `status.dependents`: what the steps reported, and for those that could not, why not. */
import type { DependentEntry } from "../steps/dependent-apply/entries.ts";
import { isNotFound } from "@treadle/apimachinery";
import { dependentsOf, mergeDependents, type NewEntry, type StepEntries } from "../steps/dependent-apply/entries.ts";
import { defaultName } from "./names.ts";
import type { Pass } from "./pass-state.ts";
import { MAX_ERROR_LENGTH, reasonOf, statusMessage, truncate, withoutSecrets } from "./redact.ts";
import type { StepRuntime } from "./step-runtime.ts";

/** `status.dependents` as it is to be; `undefined` where it is to stay as it is. */
export function dependentEntries(pass: Pass, status: object | undefined): readonly DependentEntry[] | undefined {
  const { pipeline, clock } = pass;
  const steps = pipeline.leaves.filter((step) => step.dependent?.hasEntries === true);
  if (steps.length === 0) return undefined;
  const before = dependentsOf({ status });
  const said = steps.map((step): StepEntries => ({ step: step.name, entries: entriesOf(pass, step, before) }));
  const handler = pipeline.name === defaultName(pipeline.kind) ? undefined : pipeline.name;
  const after = mergeDependents(before, said, { handler, nowMs: clock.now() });
  return after === before ? undefined : after;
}

function entriesOf(pass: Pass, step: StepRuntime, before: readonly DependentEntry[]): readonly NewEntry[] | "keep" {
  const reported = pass.dependents.entries.get(step.name);
  const ended = pass.progress.get(step);
  const entryFor = step.dependent?.entryFor;
  if (entryFor !== undefined && ended?.type === "failed") {
    const { error } = ended;
    const state = { type: isNotFound(error) ? "Pending" : "Failed", reason: reasonOf(error), message: statusMessage(error) };
    return [safe(entryFor(pass.object, state, error))];
  }
  if (reported !== undefined) return reported.map(safe);
  // It waits for what is not about the object itself: a kind that is not served, a conflict.
  const isNew = !before.some((entry) => entry.step === step.name);
  if (entryFor === undefined || ended?.type !== "wait" || pass.isDeleting || !isNew) return "keep";
  return [safe(entryFor(pass.object, { type: "Pending", reason: ended.code ?? "Waiting", message: ended.reason }, undefined))];
}

/** What an author made of an error may hold what the error held. */
function safe(entry: NewEntry): NewEntry {
  return { ...entry, message: truncate(withoutSecrets(entry.message), MAX_ERROR_LENGTH) };
}
