/** What a pass has to say in `status.dependents`: what the steps reported, and for those that could not, why not. */
import type { DependentEntry, DependentIdentity, DependentState } from "../steps/dependent-apply/core/entries.ts";
import {
  dependentsOf,
  entriesOfStep,
  mergeDependents,
  type NewEntry,
  type StepEntries,
  storedDependents,
} from "../steps/dependent-apply/core/entries.ts";
import { notReached } from "./compute-conditions.ts";
import { entryHandlerOf } from "./names.ts";
import type { Pass } from "./pass-state.ts";
import { claims } from "./predecessors.ts";
import type { Pipeline } from "./pipeline.ts";
import { MAX_ERROR_LENGTH, reasonOf, statusMessage, truncate, withoutSecrets } from "./redact.ts";
import type { StepRuntime } from "./step-runtime.ts";

/** `status.dependents` as it is to be; `undefined` where it is to stay as it is. */
export function dependentEntries(pass: Pass, status: object | undefined): readonly DependentEntry[] | undefined {
  const { pipeline, clock } = pass;
  if (pipeline.kind.resource?.dependents !== true) return undefined;
  const steps = pipeline.leaves.filter((step) => step.dependent?.hasEntries === true);
  const stored = storedDependents(status);
  const renamed = underPresentName(pipeline, stored);
  const before = renamed === stored || !claims(pass, "entries", { isNeededByOld: true }) ? stored : renamed;
  const said = steps.map((step): StepEntries => ({ step: step.name, entries: entriesOf(pass, step, before) }));
  // A pass that a gate ends changes nothing of what stands there.
  const keepsUnknown = pass.type === "gated";
  const after = mergeDependents(before, said, { handler: entryHandlerOf(pipeline), nowMs: clock.now(), keepsUnknown });
  return after === stored ? undefined : after;
}

function entriesOf(pass: Pass, step: StepRuntime, before: readonly DependentEntry[]): readonly NewEntry[] | "keep" {
  const known = entriesOfStep(before, { handler: entryHandlerOf(pass.pipeline), step: step.name });
  const [last] = known;
  const reported = pass.dependents.entries.get(step.name);
  const ended = pass.progress.get(step);
  const entryFor = step.dependent?.entryFor;
  if (entryFor !== undefined && ended?.type === "failed") {
    const { error } = ended;
    const state = { type: "Failed", reason: reasonOf(error), message: statusMessage(error) };
    return [safe(entryFor(pass.object, { state, error, last }))];
  }
  if (reported !== undefined) return reported.map(safe);
  // As with conditions: what was last seen of it may be long over.
  if (pass.type === "full" && (ended === undefined || ended.type === "unreached")) {
    const { type, trouble, progress, pipeline } = pass;
    const state = { type: "Unknown", reason: "NotReached", message: notReached({ type, trouble, progress, leaves: pipeline.leaves }) };
    return known.map((entry) => safe({ ...identityIn(entry), ...state }));
  }
  // It waits for what is not about the object itself: a kind that is not served, a conflict.
  if (entryFor === undefined || ended?.type !== "wait" || pass.isDeleting || last !== undefined) return "keep";
  const state = { type: "Pending", reason: ended.code ?? "Waiting", message: ended.reason };
  return [safe(entryFor(pass.object, { state, error: undefined, last }))];
}

function identityIn({ apiVersion, kind, name, namespace }: DependentEntry): DependentIdentity {
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

/** The entries with the present name of the handler in the place of one that it had before; the very same list where none has one. */
export function underPresentName(pipeline: Pipeline, entries: readonly DependentEntry[]): readonly DependentEntry[] {
  const { kind, before } = pipeline;
  if (before.names.length === 1) return entries;
  const [present, ...former] = before.names.map((name) => entryHandlerOf({ kind, name }));
  const isFormer = ({ handler }: DependentEntry): boolean => former.includes(handler);
  if (!entries.some(isFormer)) return entries;
  return entries.map((entry) => {
    if (!isFormer(entry)) return entry;
    const { handler: _, ...rest } = entry;
    return present === undefined ? rest : { ...rest, handler: present };
  });
}

/** Says of a part that cannot run why not. */
export function reportBlocked(pass: Pass, part: StepRuntime, state: DependentState): void {
  if (part.dependent?.hasEntries !== true || pass.isDeleting) return;
  const [last] = entriesOfStep(underPresentName(pass.pipeline, dependentsOf(pass.object)), {
    handler: entryHandlerOf(pass.pipeline),
    step: part.name,
  });
  pass.dependents.entries.set(part.name, [part.dependent.entryFor(pass.object, { state, error: undefined, last })]);
}

/** What an author made of an error may hold what the error held. */
function safe(entry: NewEntry): NewEntry {
  return { ...entry, message: truncate(withoutSecrets(entry.message), MAX_ERROR_LENGTH) };
}
