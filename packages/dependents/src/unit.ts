/** One `dependentApply()` in one pass: makes the context of the core from the req and the pass of the step. */
import type { KubernetesObject, Ref } from "@treadle/apimachinery";
import { entryHandlerOf, type StepRuntime, inNamespaceOf, type OneRead, type SeveralRead } from "@treadle/reconcile/unstable/engine";
import { type DependentEntry, entriesOfStep, type NewEntry, shownEntries, storedEntries } from "./core/entries.ts";
import type { Inputs } from "./core/inputs.ts";
import type { Kept, Removal } from "./core/remove.ts";
import { type Dependent, LIVE, refsOrNone } from "./dependent.ts";
import { dependents } from "./extension.ts";
import type { DependentPass } from "./extension/data.ts";
import { underPresentName } from "./extension/entries.ts";
import { type LiveObjects, METADATA_ONLY } from "./objects.ts";
import { PassInputs } from "./pass-inputs.ts";
import type { Place } from "./place.ts";
import { type AnyCleanupReq, type AnyDoReq, type ContextSource, StepContext } from "./step-context.ts";
import { remoteSteps } from "./target-extension.ts";
import { formerPlace } from "./targets/pass/target-place.ts";
import { withoutTargetRead } from "./targets/pass/target-read.ts";

export type { AnyCleanupReq, AnyDoReq };

/** A dependent with the constant parts of its step. */
export interface Definition {
  readonly dependent: Dependent;
  /** The read that returns the objects themselves. */
  readonly read: OneRead | SeveralRead;
  /** The steps in `dependsOn`; read when a pass needs it, because authors may add to their list. */
  readonly dependsOn: () => readonly (StepRuntime | undefined)[];
  /** What its contexts are made of. */
  readonly source: ContextSource;
}

/** A dependent in one pass. */
export interface Unit<R extends AnyDoReq | AnyCleanupReq = AnyDoReq | AnyCleanupReq> {
  readonly dependent: Dependent;
  readonly req: R;
  readonly pass: DependentPass;
  readonly context: StepContext;
  /** Where the objects are; `undefined`: in the cluster of the operator, as the operator. */
  readonly remote: Remote | undefined;
}

/** The objects of a step with a target, as one pass sees them. */
export interface Remote {
  readonly place: Place;
  /** The objects that were read, by namespace and name. */
  readonly live: ReadonlyMap<string, KubernetesObject>;
  /** Whether the kind is watched there. */
  readonly isWatched: boolean;
  /** Namespaces in which objects may be, as the state has them. */
  readonly namespaces: readonly string[];
}

/** Begins the pass of a step. With a target and without `remote`, no object is looked at: what the last pass has seen counts. */
export function unitOf<R extends AnyDoReq | AnyCleanupReq>(definition: Definition, req: R, remote?: Remote): Unit<R> {
  const { dependent, source } = definition;
  const pass = dependents.of(req);
  if (dependent.target === undefined) return { dependent, req, pass, context: new StepContext(source, req, pass), remote: undefined };
  const at = remote ?? lastSeen(dependent, req, pass);
  const policy = { ...dependent.policy, isWatched: at.isWatched };
  return { dependent: { ...dependent, policy }, req, pass, context: new StepContext(source, req, pass, at.place), remote: at };
}

function lastSeen({ name, policy }: Dependent, req: AnyDoReq | AnyCleanupReq, pass: DependentPass): Remote {
  const { live } = remoteSteps.of(req).memory.of(name);
  return { place: formerPlace(req.client, pass.client), live, isWatched: policy.isWatched, namespaces: [] };
}

/** Returns what the author's functions get besides the owner. */
export function inputsOf(definition: Definition, { req, pass, context }: Unit): PassInputs {
  const { reads: declared, dependsOn } = definition.dependent.options;
  const needed = dependsOn === undefined ? NONE_NEEDED : neededBy(definition, pass);
  const values = {
    vars: varsOf(req),
    reads: declared === undefined ? NOTHING : readsOf(req),
    dependents: needed.objects,
  };
  return new PassInputs(values, context, needed.unknown);
}

/** A cleanup has no vars. */
function varsOf(req: AnyDoReq | AnyCleanupReq): Inputs["vars"] {
  return "vars" in req ? (req.vars as Inputs["vars"]) : NOTHING; // Vars are a record.
}

const NOTHING: Readonly<Record<string, undefined>> = Object.freeze({});

function readsOf(req: AnyDoReq | AnyCleanupReq): Inputs["reads"] {
  const { [LIVE]: _live, ...reads } = req.reads as Readonly<Record<string, unknown>>;
  return withoutTargetRead(reads);
}

/** The live objects of the steps in `dependsOn`. */
interface Needed {
  readonly objects: Inputs["dependents"];
  /** The steps whose objects this pass knows by their metadata only. */
  readonly unknown: readonly string[];
}

const NONE_NEEDED: Needed = Object.freeze({ objects: NOTHING, unknown: [] });

function neededBy({ dependsOn }: Definition, pass: DependentPass): Needed {
  const { live } = pass.found;
  const objects: Record<string, LiveObjects> = {};
  const unknown: string[] = [];
  for (const step of dependsOn()) {
    const data = dependents.dataOf(step);
    if (step === undefined || data === undefined) continue;
    const found = live.has(step.name) ? live.get(step.name) : data.cached(pass.object, pass.cache);
    if (found === METADATA_ONLY) unknown.push(step.name);
    else objects[step.name] = found;
  }
  return { objects: Object.freeze(objects), unknown };
}

/** Sets the entries of this step in `status.dependents`. */
export function report({ dependent, pass, req }: Unit, entries: readonly NewEntry[]): void {
  if (!req.signal.aborted) reportAtOnce({ dependent, pass }, entries);
}

/** Reports as {@link report}, for a synchronous phase: its deadline cannot have passed. */
export function reportAtOnce({ dependent, pass }: Pick<Unit, "dependent" | "pass">, entries: readonly NewEntry[]): void {
  pass.found.entries.set(dependent.name, shownEntries(entries));
}

/** The removal of all objects of the step but those of `keep`. */
export function removalOf(unit: Unit, keep: Kept, isLive: boolean): Removal {
  const { dependent, pass } = unit;
  const { policy, options } = dependent;
  const owner = pass.object;
  return {
    policy,
    keep,
    isLive,
    known: () => [...refsOrNone(dependent, owner), ...entryRefs(unit)],
    namespaces: () => [
      ...(options.namespace === undefined ? [inNamespaceOf(owner, policy.kind, { name: "" }).namespace] : []),
      ...(unit.remote?.namespaces ?? []),
    ],
  };
}

/** The objects of the step that the status of the owner names. */
function entryRefs(unit: Unit): readonly Ref[] {
  return entriesOfUnit(unit).map(({ name, namespace }) => (namespace === undefined ? { name } : { name, namespace }));
}

/** The entries of the step that an earlier pass has stored. */
export function entriesOfUnit({ dependent, pass: { object, handler } }: Unit): readonly DependentEntry[] {
  const entries = underPresentName(handler, storedEntries(object));
  return entriesOfStep(entries, { handler: entryHandlerOf(handler), step: dependent.name });
}
