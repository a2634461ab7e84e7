/**
 * The extension of the engine behind dependentApply(): the entries in `status.dependents`, the order by `dependsOn`, and the
 * removal of what is no longer desired when the chain has run.
 */
import { groupKindOf, type Kind, type KubernetesObject, type Ref } from "@treadle/apimachinery";
import {
  defineExtension,
  type ChainPass,
  type EndedPass,
  type ExtendedHandler,
  type ExtendedStep,
  type Extension,
  type ExtensionPass,
  entryHandlerOf,
  MAX_ERROR_LENGTH,
  reasonOf,
  statusMessage,
  truncate,
  withoutSecrets,
  leavesOf,
  type Probe,
  type Setting,
  type StepRuntime,
} from "@treadle/reconcile/unstable/engine";
import type { Cache, Outcome } from "@treadle/reconcile";
import {
  type DependentEntry,
  type DependentIdentity,
  type DependentState,
  entriesOfStep,
  mergeDependents,
  type NewEntry,
  type StepEntries,
  storedDependents,
  storedEntries,
} from "./core/entries.ts";
import { DependentsMemory } from "./core/memory.ts";
import { type Absence, settingOf } from "./entry-condition.ts";
import type { LiveObjects, METADATA_ONLY } from "./objects.ts";

/** The data that a step gives to the extension. */
export interface DependentData {
  readonly kind: Kind;
  /** Whether its object has the name of its owner, because no other name is given. */
  readonly makesNamesake: boolean;
  /** Whether it has entries in `status.dependents`. */
  readonly hasEntries: boolean;
  /** Whether it keeps an object of this name. @throws what the author's functions throw */
  readonly keeps: (object: KubernetesObject, ref: Ref) => boolean;
  /** Returns the problems of the step for objects of `primary`; each text names the fix. */
  readonly problems: (primary: Kind) => readonly string[];
  /** Returns the steps in `dependsOn`. Called when the handler is built: until then authors may add to their list. */
  readonly dependsOn: () => readonly (StepRuntime | undefined)[];
  /** Returns `isWanted` as a var, and writes nothing: for a step that must wait. `undefined`: the object is always desired. */
  readonly whetherWanted: Probe | undefined;
  /**
   * Returns the live objects in the cache, for a step that has reported no object in this pass; `METADATA_ONLY` if the cache has
   * nothing else of them.
   */
  readonly cached: (object: KubernetesObject, cache: Cache) => LiveObjects | typeof METADATA_ONLY;
  /** Returns the entries for objects that the pass has not seen. Never throws. */
  readonly entriesFor: (object: KubernetesObject, given: UnseenDependent) => readonly NewEntry[];
  /** Returns the entry for an object in the cache that the pass has not reached; `undefined`: it does not exist, or is not ours. Never throws. */
  readonly unreached: (given: UnreachedDependent) => NewEntry | undefined;
}

/** An object that an earlier pass has reported. */
export interface UnreachedDependent {
  readonly pass: Pick<DependentPass, "object" | "cache" | "handler">;
  /** The entry of that pass. */
  readonly entry: NewEntry;
}

export interface UnseenDependent {
  readonly state: DependentState;
  readonly error: unknown;
  /** The objects in the previous entries, for names that cannot be computed now. */
  readonly known: readonly DependentIdentity[];
}

/** The findings of the steps in one pass, by name of the step. */
export interface DependentFindings {
  readonly entries: Map<string, readonly NewEntry[]>;
  readonly live: Map<string, LiveObjects>;
  /** The steps whose entries show which of their objects failed. */
  readonly told: Set<string>;
  /** The steps whose objects are no longer desired, and still exist. */
  readonly unwanted: Set<string>;
  /** Why a step keeps no object. */
  readonly absences: Map<string, Absence>;
  /** The steps that each blocked part waits for. */
  readonly blockers: Map<StepRuntime, readonly StepRuntime[]>;
}

export type DependentPass = ExtensionPass<DependentData, DependentsMemory, DependentFindings>;
type DependentChain = ChainPass<DependentData, DependentsMemory, DependentFindings>;
type Ended = EndedPass<DependentData, DependentsMemory, DependentFindings>;
type Extended = ExtendedStep<DependentData>;

export const dependents: Extension<DependentData, DependentsMemory, DependentFindings> = defineExtension<
  DependentData,
  DependentsMemory,
  DependentFindings
>({
  name: "dependents",
  memory: () => new DependentsMemory(),
  found: () => ({ entries: new Map(), live: new Map(), told: new Set(), unwanted: new Set(), absences: new Map(), blockers: new Map() }),
  status: { field: "dependents", writtenBy: "dependentApply writes it", compute },
  order: { before: ({ data }) => data.dependsOn(), blocked },
  afterChain: pruneUnwanted,
  condition,
  problems,
});

/** `status.dependents` after the pass; the very same list where nothing changes. */
function compute(pass: Ended, value: unknown): unknown {
  const { handler, clock } = pass;
  const stored = storedDependents({ dependents: value });
  const renamed = underPresentName(handler, stored);
  const before = renamed === stored || !pass.claim("entries", { isNeededByOld: true }) ? stored : renamed;
  const said = handler.steps
    .filter(({ data }) => data.hasEntries)
    .map((step): StepEntries => ({ step: step.name, entries: entriesOf(pass, step, before) }));
  // A pass that a gate ends does not modify the stored entries.
  const keepsUnknown = pass.type === "gated";
  const after = mergeDependents(before, said, { handler: entryHandlerOf(handler), nowMs: clock.now(), keepsUnknown });
  return after === stored ? value : after;
}

function entriesOf(pass: Ended, { name, data, step }: Extended, before: readonly DependentEntry[]): readonly NewEntry[] | "keep" {
  const reported = pass.found.entries.get(name);
  const ended = pass.progressOf(step);
  const hasFailed = ended?.type === "failed" && (reported === undefined || !pass.found.told.has(name));
  if (reported !== undefined && !hasFailed) return reported.map((entry) => safe(pass, entry));
  const known = entriesOfStep(before, { handler: entryHandlerOf(pass.handler), step: name });
  if (hasFailed) {
    const { error } = ended;
    const state = { type: "Failed", reason: reasonOf(error), message: statusMessage(error) };
    return data.entriesFor(pass.object, { state, error, known }).map((entry) => safe(pass, entry));
  }
  // The step did nothing: the last known state may be outdated.
  const unreached = (entry: DependentEntry, otherwise: DependentState): NewEntry =>
    safe(pass, data.unreached({ pass, entry: { ...identityIn(entry), ...stateIn(entry) } }) ?? { ...identityIn(entry), ...otherwise });
  if (pass.type === "full" && (ended === undefined || ended.type === "unreached"))
    return known.map((entry) => unreached(entry, { type: "Unknown", reason: "NotReached", message: pass.notReached }));
  if (ended?.type !== "wait" || pass.isDeleting) return "keep";
  // The step waits for another reason than its object: values of an earlier step, a kind that is not served, or a conflict.
  if (known.length > 0) return known.map((entry) => unreached(entry, stateIn(entry)));
  const state = { type: "Pending", reason: ended.cause?.code ?? "Waiting", message: ended.reason };
  return data.entriesFor(pass.object, { state, error: undefined, known }).map((entry) => safe(pass, entry));
}

/** The setting of the conditions of a step, from its entries. */
function condition(pass: Ended, extended: Extended): Setting | undefined {
  const { data, name, step } = extended;
  if (!data.hasEntries) return undefined;
  const entries = entriesOf(pass, extended, underPresentName(pass.handler, storedEntries(pass.object)));
  if (entries === "keep") return undefined;
  const isDone = pass.progressOf(step)?.type === "done";
  return settingOf(entries, { absence: pass.found.absences.get(name), isDone, isDeleting: pass.isDeleting });
}

function stateIn({ type, reason, message, attributes }: DependentEntry): DependentState {
  return { type, reason, message, ...(attributes === undefined ? {} : { attributes }) };
}

function identityIn({ apiVersion, kind, name, namespace }: DependentEntry): DependentIdentity {
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

/** The entries with the present name of the handler in the place of a former one; the very same list where none has one. */
export function underPresentName(
  { kind, names }: Pick<ExtendedHandler<unknown>, "kind" | "names">,
  entries: readonly DependentEntry[],
): readonly DependentEntry[] {
  if (names.length === 1) return entries;
  const [present, ...former] = names.map((name) => entryHandlerOf({ kind, name }));
  const isFormer = (entry: DependentEntry | null): boolean => entry !== null && former.includes(entry.handler);
  if (!entries.some(isFormer)) return entries;
  return entries.map((entry) => {
    if (!isFormer(entry)) return entry;
    const { handler: _, ...rest } = entry;
    return present === undefined ? rest : { ...rest, handler: present };
  });
}

/** Maximum length of the type, the reason and the name of an attribute. */
const MAX_WORD_LENGTH = 256;
/** An entry shows at most so many attributes. */
const MAX_ATTRIBUTES = 32;

/** Shortens texts, and hides secrets: an author may copy a text of an error, or a value of a Secret, into the entry. */
function safe(pass: Pick<Ended, "hide">, entry: NewEntry): NewEntry {
  const { message, attributes } = entry;
  const type = truncate(entry.type, MAX_WORD_LENGTH);
  const reason = truncate(entry.reason, MAX_WORD_LENGTH);
  if (message === "" && attributes === undefined)
    return type === entry.type && reason === entry.reason ? entry : { ...entry, type, reason };
  const short = { ...entry, type, reason, message: truncate(withoutSecrets(pass.hide(message)), MAX_ERROR_LENGTH) };
  if (attributes === undefined) return short;
  const shown = attributes.slice(0, MAX_ATTRIBUTES).map((each) => ({
    ...each,
    name: truncate(each.name, MAX_WORD_LENGTH),
    value: truncate(pass.hide(each.value), MAX_ERROR_LENGTH),
  }));
  return { ...short, attributes: shown };
}

/** Handles a part that waits for others. If its object is not desired, its dependents wait for the same steps instead. */
async function blocked(
  chain: DependentChain,
  part: Extended,
  { by, phase }: { readonly by: readonly StepRuntime[]; readonly phase: "do" | "cleanup" },
): Promise<void> {
  const { blockers } = chain.found;
  const all = [...new Set(by.flatMap((each) => blockers.get(each) ?? [each]))];
  const { whetherWanted } = part.data;
  if (phase === "do" && whetherWanted !== undefined) {
    const answer = await chain.probe(part.step, whetherWanted);
    if (answer?.["isWanted"] === false) {
      chain.note(part.step, "done");
      blockers.set(part.step, all);
      return;
    }
  }
  reportBlocked(chain, part, { reason: "WaitingForDependency", message: `waiting for ${namesOf(all)}` });
}

/** The default concurrency of dependentApplyAll(). */
const PRUNED_AT_ONCE = 5;

/**
 * Removes objects that are no longer desired after all desired objects were converged, successfully or not. The order is
 * the reverse of the list. An object is removed after the objects that depend on it.
 */
async function pruneUnwanted(chain: DependentChain): Promise<Outcome> {
  const { handler, found } = chain;
  if (found.unwanted.size === 0) return { type: "done" };
  const parts = handler.steps.filter(({ name }) => found.unwanted.has(name)).toReversed();
  const extended = (step: StepRuntime): Extended => parts.find((each) => each.step === step) as Extended; // `before` gets parts only.
  return await chain.run({
    name: "(dependents)",
    phase: "cleanup",
    steps: parts.map(({ step }) => step),
    concurrency: PRUNED_AT_ONCE,
    before: (step) => parts.map((each) => each.step).filter((each) => handler.isAfter(each, step)),
    blocked: (step, by) => reportBlocked(chain, extended(step), { reason: "Deleting", message: `will be deleted after ${namesOf(by)}` }),
  });
}

/** Reports a part that waits for others. The others report the reason and request the next pass. */
function reportBlocked(
  chain: DependentChain,
  { name, data, step }: Extended,
  why: { readonly reason: string; readonly message: string },
): void {
  chain.note(step, "unreached");
  if (!data.hasEntries || chain.isDeleting) return;
  const known = entriesOfStep(underPresentName(chain.handler, storedEntries(chain.object)), {
    handler: entryHandlerOf(chain.handler),
    step: name,
  });
  const state = { type: "Pending", ...why };
  chain.found.entries.set(name, data.entriesFor(chain.object, { state, error: undefined, known }));
}

function namesOf(steps: readonly StepRuntime[]): string {
  return steps.map(({ name }) => name).join(", ");
}

/** Returns the problems of the steps of a handler; each text names the fix. */
function problems({ kind, steps, list }: ExtendedHandler<DependentData>): readonly string[] {
  const shown = steps.find(({ data }) => data.hasEntries);
  const found: string[] = [];
  if (shown !== undefined && kind.resource?.statusParts.includes("dependents") !== true) {
    const fix = kind.resource === undefined ? "set checkedForReadiness: false" : "add dependents: true to its defineResource()";
    found.push(`step "${shown.name}" reports its object in status.dependents, which ${kind.kind} does not have: ${fix}`);
  }
  for (const { name, data } of steps) found.push(...data.problems(kind).map((problem) => `step "${name}" ${problem}`));
  return [...found, ...namesakeProblems(steps), ...orderProblems(steps, list)];
}

function namesakeProblems(steps: readonly Extended[]): string[] {
  const unnamed = steps.filter(({ data }) => data.makesNamesake);
  return unnamed.flatMap((step) => {
    const other = unnamed.find((each) => groupKindOf(each.data.kind) === groupKindOf(step.data.kind));
    if (other === undefined || other === step) return [];
    return [
      `steps "${other.name}" and "${step.name}" keep the same ${step.data.kind.kind}, the one with the name of the owner: set objectName for at least one of them`,
    ];
  });
}

function orderProblems(steps: readonly Extended[], list: readonly StepRuntime[]): string[] {
  const found: string[] = [];
  const before = new Set<StepRuntime>();
  for (const entry of list) {
    const parts = leavesOf([entry]);
    // The engine puts the parts of one group in order.
    for (const part of parts) before.add(part);
    for (const part of parts) {
      const needed = dependents.dataOf(part)?.dependsOn() ?? [];
      if (needed.some((each) => each === undefined || dependents.dataOf(each) === undefined))
        found.push(`step "${part.name}": dependsOn must list steps made by dependentApply()`);
      if (needed.includes(part)) found.push(`step "${part.name}" depends on itself: remove it from its dependsOn`);
      for (const each of needed) {
        if (each === undefined || dependents.dataOf(each) === undefined || before.has(each)) continue;
        found.push(
          steps.some(({ step }) => step === each)
            ? `step "${part.name}" depends on "${each.name}", which does not run before it: move it to an earlier place, or both into one dependentApplyAll()`
            : `step "${part.name}" depends on "${each.name}", which is not in the list: add it`,
        );
      }
    }
  }
  return found;
}
