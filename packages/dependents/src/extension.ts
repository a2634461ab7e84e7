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
  findCircle,
  leavesOf,
  type StepRuntime,
} from "@treadle/reconcile/unstable/engine";
import type { Cache, Outcome } from "@treadle/reconcile";
import {
  type DependentEntry,
  type DependentIdentity,
  type DependentState,
  dependentsOf,
  entriesOfStep,
  mergeDependents,
  type NewEntry,
  type StepEntries,
  storedDependents,
} from "./core/entries.ts";
import { DependentsMemory } from "./core/memory.ts";

/** What the extension knows of a step that keeps an object. */
export interface DependentData {
  readonly kind: Kind;
  /** Whether its object has the name of its owner, because no other name is given. */
  readonly makesNamesake: boolean;
  /** Whether it has entries in `status.dependents`. */
  readonly hasEntries: boolean;
  /** Which object it keeps now. @throws what the author's functions throw */
  readonly target: (object: KubernetesObject) => Ref;
  /** What is wrong with it for objects of `primary`; each text says how to fix it. */
  readonly problems: (primary: Kind) => readonly string[];
  /** The steps that must be ready before. Read when the handler is built: until then authors may add to their list. */
  readonly dependsOn: () => readonly (StepRuntime | undefined)[];
  /** Hands `isWanted` over, and writes nothing: for a step that must wait. Absent where its object is always desired. */
  readonly whetherWanted: Pick<StepRuntime, "reads" | "do"> | undefined;
  /** The live object that the cache has, where no step of this pass has reported more. */
  readonly cached: (object: KubernetesObject, cache: Cache) => KubernetesObject | undefined;
  /** The entry for an object of which no more is known than this. Never throws. */
  readonly entryFor: (object: KubernetesObject, given: UnseenDependent) => NewEntry;
}

export interface UnseenDependent {
  readonly state: DependentState;
  readonly error: unknown;
  /** How the previous entry names the object: in case its name cannot be told now. */
  readonly last: DependentIdentity | undefined;
}

/** What the steps have found in one pass, by name of the step. */
export interface DependentFindings {
  readonly entries: Map<string, readonly NewEntry[]>;
  readonly live: Map<string, KubernetesObject | undefined>;
  /** The steps whose objects are no longer desired, and still exist. */
  readonly unwanted: Set<string>;
  /** What the parts that could not run wait for. */
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
  found: () => ({ entries: new Map(), live: new Map(), unwanted: new Set(), blockers: new Map() }),
  status: { field: "dependents", writtenBy: "dependentApply writes it", compute },
  order: { before: ({ data }) => data.dependsOn(), blocked },
  afterChain: pruneUnwanted,
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
  // A pass that a gate ends changes nothing of what is there.
  const keepsUnknown = pass.type === "gated";
  const after = mergeDependents(before, said, { handler: entryHandlerOf(handler), nowMs: clock.now(), keepsUnknown });
  return after === stored ? value : after;
}

function entriesOf(pass: Ended, { name, data, step }: Extended, before: readonly DependentEntry[]): readonly NewEntry[] | "keep" {
  const known = entriesOfStep(before, { handler: entryHandlerOf(pass.handler), step: name });
  const [last] = known;
  const reported = pass.found.entries.get(name);
  const ended = pass.progressOf(step);
  if (ended?.type === "failed") {
    const { error } = ended;
    const state = { type: "Failed", reason: reasonOf(error), message: statusMessage(error) };
    return [safe(data.entryFor(pass.object, { state, error, last }))];
  }
  if (reported !== undefined) return reported.map(safe);
  // As with conditions: what was last seen of it may be long over.
  if (pass.type === "full" && (ended === undefined || ended.type === "unreached")) {
    const state = { type: "Unknown", reason: "NotReached", message: pass.notReached };
    return known.map((entry) => safe({ ...identityIn(entry), ...state }));
  }
  // It waits for what is not about the object itself: a kind that is not served, a conflict.
  if (ended?.type !== "wait" || pass.isDeleting || last !== undefined) return "keep";
  const state = { type: "Pending", reason: ended.cause?.code ?? "Waiting", message: ended.reason };
  return [safe(data.entryFor(pass.object, { state, error: undefined, last }))];
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
  const isFormer = ({ handler }: DependentEntry): boolean => former.includes(handler);
  if (!entries.some(isFormer)) return entries;
  return entries.map((entry) => {
    if (!isFormer(entry)) return entry;
    const { handler: _, ...rest } = entry;
    return present === undefined ? rest : { ...rest, handler: present };
  });
}

/** What an author made of an error may hold what the error held. */
function safe(entry: NewEntry): NewEntry {
  return entry.message === "" ? entry : { ...entry, message: truncate(withoutSecrets(entry.message), MAX_ERROR_LENGTH) };
}

/** A part waits for others: an object that is not desired blocks no other, those for which it waits do. */
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

/** As many as a dependentApplyAll() works on by default. */
const PRUNED_AT_ONCE = 5;

/**
 * Removes what is no longer desired when all that is desired has been converged, however that ended. What was made last is
 * removed first, each when what depended on it is deleted.
 */
async function pruneUnwanted(chain: DependentChain): Promise<Outcome> {
  const { handler, found } = chain;
  if (found.unwanted.size === 0) return { type: "done" };
  const parts = handler.steps.filter(({ name }) => found.unwanted.has(name)).toReversed();
  const extended = (step: StepRuntime): Extended => parts.find((each) => each.step === step) as Extended; // `before` gets parts only.
  const groupOf = (part: Extended): StepRuntime | undefined => handler.list.find((step) => leavesOf([step]).includes(part.step));
  const isAfter = (part: Extended, other: Extended): boolean =>
    groupOf(part) === groupOf(other) ? part.data.dependsOn().includes(other.step) : parts.indexOf(part) < parts.indexOf(other);
  return await chain.run({
    name: "(dependents)",
    phase: "cleanup",
    steps: parts.map(({ step }) => step),
    concurrency: PRUNED_AT_ONCE,
    before: (step) => parts.filter((each) => isAfter(each, extended(step))).map((each) => each.step),
    blocked: (step, by) =>
      reportBlocked(chain, extended(step), { reason: "Deleting", message: `to be deleted when ${namesOf(by)} is gone` }),
  });
}

/** A part cannot run before others: why, and when the next pass comes, is for those to report. */
function reportBlocked(
  chain: DependentChain,
  { name, data, step }: Extended,
  why: { readonly reason: string; readonly message: string },
): void {
  chain.note(step, "unreached");
  if (!data.hasEntries || chain.isDeleting) return;
  const [last] = entriesOfStep(underPresentName(chain.handler, dependentsOf(chain.object)), {
    handler: entryHandlerOf(chain.handler),
    step: name,
  });
  const state = { type: "Pending", ...why };
  chain.found.entries.set(name, [data.entryFor(chain.object, { state, error: undefined, last })]);
}

function namesOf(steps: readonly StepRuntime[]): string {
  return steps.map(({ name }) => name).join(", ");
}

/** What is wrong with the steps of a handler; each text says how to fix it. */
function problems({ kind, steps, list }: ExtendedHandler<DependentData>): readonly string[] {
  const shown = steps.find(({ data }) => data.hasEntries);
  const found: string[] = [];
  if (shown !== undefined && kind.resource?.statusParts.includes("dependents") !== true) {
    const fix = kind.resource === undefined ? "say checkedForReadiness: false" : "add dependents: true to its defineResource()";
    found.push(`step "${shown.name}" shows its object in status.dependents, for which ${kind.kind} has no room: ${fix}`);
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
      `steps "${other.name}" and "${step.name}" keep the same ${step.data.kind.kind}, that of the name of the owner: say with objectName what each is called`,
    ];
  });
}

function orderProblems(steps: readonly Extended[], list: readonly StepRuntime[]): string[] {
  const found: string[] = [];
  const neededBy = (step: StepRuntime): readonly StepRuntime[] =>
    (dependents.dataOf(step)?.dependsOn() ?? []).filter((each) => each !== undefined);
  const before = new Set<StepRuntime>();
  for (const entry of list) {
    const parts = leavesOf([entry]);
    const together = entry.parts?.order?.by === dependents.name ? parts : [];
    const circle = findCircle(together, (part) => neededBy(part).filter((each) => together.includes(each)));
    if (circle !== undefined)
      found.push(
        `dependentApplyAll("${entry.name}"): its parts depend on each other in a circle: ${circle.map(({ name }) => `"${name}"`).join(" on ")}`,
      );
    for (const part of parts) {
      const needed = dependents.dataOf(part)?.dependsOn() ?? [];
      if (needed.some((each) => each === undefined || dependents.dataOf(each) === undefined))
        found.push(`step "${part.name}": dependsOn must list steps made by dependentApply()`);
      for (const each of neededBy(part).filter(
        (one) => dependents.dataOf(one) !== undefined && !before.has(one) && !together.includes(one),
      ))
        found.push(
          steps.some(({ step }) => step === each)
            ? `step "${part.name}" depends on "${each.name}", which is not run before it: place it before, or both into one dependentApplyAll()`
            : `step "${part.name}" depends on "${each.name}", which is not in the list: add it`,
        );
    }
    for (const part of parts) before.add(part);
  }
  return found;
}
