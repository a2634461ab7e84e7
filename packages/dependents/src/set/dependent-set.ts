/**
 * dependentSet: keeps many objects that one function renders. The set applies them in waves, reverts drift, reports them in one
 * condition and in `status.dependents`, and removes those that are no longer rendered.
 *
 * Guarantees
 * - No object is written or deleted that is not the owner's, unless `adopt` allows it.
 * - Everything is checked before the first write, and the kinds are stored before it: a crash at any point leaks no object.
 * - A pass in which nothing has changed renders nothing, hashes nothing and sends no request.
 * - A CRD is not deleted as long as instances of another owner exist.
 */
import { groupKindOf, type Kind, type KubernetesObject, type ObjectOf, parseApiVersion, type Ref } from "@treadle/apimachinery";
import type { AnyStep, NeedsOf, Reads, Step } from "@treadle/reconcile";
import { defineStep, type RawDefinition } from "@treadle/reconcile/unstable/engine";
import { dependents } from "../extension.ts";
import type { UnreachedDependent } from "../extension/data.ts";
import type { NewEntry } from "../core/entries.ts";
import { stateOf } from "../core/state.ts";
import { applySet } from "./pass/apply.ts";
import { applyAtTarget } from "./pass/at-target.ts";
import { EVENTS } from "./pass/changes.ts";
import { otherReads } from "./pass/others.ts";
import { BY_AUTHOR } from "./pass/entries.ts";
import { cleanUpAtTarget, releaseAtTarget } from "./pass/leave-target.ts";
import { TARGET_EVENTS } from "../targets/pass/abandon-target.ts";
import { TARGET_READ, targetReads } from "../targets/pass/target-read.ts";
import { cleanUpSet, releaseSet } from "./pass/cleanup.ts";
import {
  type AnySetOptions,
  cacheKindOf,
  DEFAULT_PHASE_MS,
  definitionOf,
  type OnRendered,
  permissionsOf,
  type SetDefinition,
  type SetHooks,
} from "./definition.ts";
import { sets } from "./extension.ts";
import type { SetCleanupReq, SetDoReq } from "./pass/run.ts";
import { STATE } from "./pass/state.ts";
import type { DependentSetOptions } from "./types.ts";

/**
 * Makes a step that keeps the objects that `objects` renders. The chain continues when all of them are ready. The resource needs
 * `dependents: true` and `stepState: true`.
 *
 * @throws TypeError when the options are invalid; problems of the handler are reported by `build()`.
 */
export function dependentSet<
  P extends Kind,
  const C extends string,
  const L extends readonly AnyStep[] = readonly [],
  R extends Reads<ObjectOf<P>> = {},
>(primary: P, options: DependentSetOptions<ObjectOf<P>, C, L, R>): Step<ObjectOf<P>, NeedsOf<L>, {}, C> {
  // What defineStep() gives is opaque; the signature is what is known of it.
  return defineStep(primary, setParts(primary, options as unknown as AnySetOptions)) as unknown as Step<ObjectOf<P>, NeedsOf<L>, {}, C>;
}

/** Returns what {@link dependentSet} gives to `defineStep()`, for steps that are a set and more. @throws TypeError as it does */
export function setParts(primary: Kind, options: AnySetOptions, onRendered?: OnRendered): RawDefinition {
  return hookedParts(primary, options, { onRendered });
}

/** As {@link setParts}, with all hooks. */
export function hookedParts(primary: Kind, options: AnySetOptions, hooks: SetHooks): RawDefinition {
  const definition: SetDefinition = { ...definitionOf(options), hooks };
  const { target } = definition;
  const kinds = target === undefined ? [...(definition.kinds?.values() ?? [])] : [];
  const watched = kinds.filter(({ isWatched }) => isWatched).map(({ kind }) => kind);
  const { reads, needs, phaseTimeoutMs = DEFAULT_PHASE_MS } = definition.options;
  return {
    name: definition.name,
    conditions: [definition.condition],
    needs: needs ?? [],
    reads: { ...reads, ...targetReads(target), ...otherReads(definition) },
    cleanupReads: [TARGET_READ],
    owns: watched.map((kind) => ({ kind: cacheKindOf(kind), ifNotServed: "skip" as const })),
    refersFrom: [],
    permissions: permissionsOf(definition),
    events: [...EVENTS, ...TARGET_EVENTS],
    state: STATE,
    dryRun: true,
    cleanupChecksKinds: true,
    ...(definition.kinds === undefined && target === undefined
      ? { allRights: { because: `set "${definition.name}" keeps objects of any kind` } }
      : {}),
    timeoutMs: phaseTimeoutMs,
    do: (req) => (isElsewhere(definition, req) ? applyAtTarget : applySet)(definition, req as SetDoReq),
    cleanup: (req) => (isElsewhere(definition, req) ? cleanUpAtTarget : cleanUpSet)(definition, req as SetCleanupReq),
    release: (req) => (isElsewhere(definition, req) ? releaseAtTarget : releaseSet)(definition, req as SetCleanupReq),
    uses: [sets.use(definition), dependents.use(dataOf(definition, primary))],
  };
}

/** Whether the set has a target, or has objects in the target of an earlier version of the operator. */
function isElsewhere({ target }: SetDefinition, req: unknown): boolean {
  return target !== undefined || (req as SetDoReq).state.target !== undefined;
}

/** What the extension behind dependentApply() needs to know of a set. */
function dataOf(definition: SetDefinition, primary: Kind): Parameters<typeof dependents.use>[0] {
  return {
    dependent: undefined,
    fixedName: undefined,
    hasEntries: primary.resource !== undefined,
    targetGroups: new Set(),
    // What a set renders is known only when it runs. The label of an object names its set.
    keeps: () => undefined,
    problems: () => [],
    dependsOn: () => [],
    whetherWanted: undefined,
    cached: () => undefined,
    entriesFor: (_owner, { known }) => known as readonly NewEntry[], // Entries of the set, as they are stored.
    unreached: (given) => unreachedEntry(definition, given),
  };
}

/** The entry of an object that the pass did not reach: it follows the object in the cache, if its kind is declared. */
function unreachedEntry({ kinds, name, target }: SetDefinition, { pass, entry }: UnreachedDependent): NewEntry | undefined {
  if (target !== undefined) return entry; // The object is not in the cache of the operator.
  const { group } = parseApiVersion(entry.apiVersion);
  const kind = kinds?.get(groupKindOf({ group, kind: entry.kind }))?.kind;
  if (kind === undefined) return entry;
  const ref: Ref = entry.namespace === undefined ? { name: entry.name } : { name: entry.name, namespace: entry.namespace };
  try {
    const live: KubernetesObject | undefined = pass.cache.get(cacheKindOf(kind), ref);
    if (live === undefined) return entry.reason === "Completed" ? entry : undefined;
    if (entry.attributes?.some(({ name, value }) => name === BY_AUTHOR.name && value === BY_AUTHOR.value) === true) return entry;
    return {
      ...entry,
      ...stateOf({ unit: name, unitNoun: "step" }, { policy: { kind: cacheKindOf(kind) } as never, readyWhen: undefined }, live),
    };
  } catch {
    return entry; // A kind without a watch.
  }
}
