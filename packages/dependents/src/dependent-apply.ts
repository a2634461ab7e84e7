/**
 * dependentApply: keeps one object that belongs to the primary. The desired state is a pure function. The step creates the
 * object, reverts drift, reports it in `status.dependents`, waits until it is ready, deletes it when it is not desired any
 * more, and cleans it up.
 *
 * Guarantees
 * - No object is written or deleted that is not the owner's, unless `adopt` allows it.
 * - No request when nothing differs. Fields that `desired` does not name are not modified.
 * - Every write carries the uid, or the condition that no object exists: a deleted object is not recreated by accident.
 */
import { groupKindOf, type Kind, type KubernetesObject, type ObjectOf, type Ref } from "@treadle/apimachinery";
import {
  defineLateStep,
  type LateDeclarations,
  type Probe,
  type RawDefinition,
  runtimeOf,
  type StepRuntime,
  type OneRead,
  several,
  type SeveralRead,
} from "@treadle/reconcile/unstable/engine";
import { one, type Reads, type AnyStep, type NeedsOf, type Wait } from "@treadle/reconcile";
import { applyAtTarget, cleanUpAtTarget } from "./apply-at-target.ts";
import { apply } from "./apply-step.ts";
import { cleanedUp } from "./cleanup-step.ts";
import { type DependentIdentity, MAX_ENTRIES, type NewEntry } from "./core/entries.ts";
import { identityOf, titleOf } from "./core/marks.ts";
import { type Dependent, LIVE, permissionsOf, problemsOf, requireOptions, refsOrNone } from "./dependent.ts";
import { dependents } from "./extension.ts";
import type { FixedName, UnseenDependent } from "./extension/data.ts";
import { StepTarget, withStepTarget } from "./group-target.ts";
import { withStep } from "./layers/layered.ts";
import { ONCE_STATE } from "./once.ts";
import { METADATA_ONLY } from "./objects.ts";
import { LOOK_AGAIN_MS } from "./retry-later.ts";
import { cachedObjects } from "./subjects.ts";
import { remoteSteps } from "./target-extension.ts";
import { REMOTE_STATE } from "./target-unit.ts";
import { TARGET_EVENTS } from "./targets/pass/abandon-target.ts";
import { TARGET_READ, targetReads } from "./targets/pass/target-read.ts";
import { stateWithout } from "./author.ts";
import type { AnyDependentStep, AnyOptions, DependentOptions, DependentStep, EachItem, GivenValues, GivenVars } from "./types.ts";
import { type AnyCleanupReq, type AnyDoReq, type Definition, unitOf } from "./unit.ts";
import { leftOut, unprovided, unresolved, whetherWanted } from "./unwanted.ts";
import { unreachedEntry } from "./unreached-entry.ts";

/**
 * Makes a step that keeps one dependent object. Its place in the list is its place in the order: the chain continues when
 * the object is ready. Several that depend on each other, or are independent, go into {@link dependentApplyAll}.
 *
 * @throws TypeError when the options are invalid (untyped code); problems of the pipeline are reported by `build()`.
 */
export function dependentApply<
  P extends Kind,
  K extends Kind,
  const Name extends string,
  const L extends readonly AnyStep[] = readonly [],
  R extends Reads<ObjectOf<P>> = {},
  const D extends readonly AnyDependentStep[] = readonly [],
  I extends EachItem | undefined = undefined,
  G extends GivenValues = {},
>(
  primary: P,
  options: DependentOptions<ObjectOf<P>, K, Name, L, R, D, I, G>,
): DependentStep<ObjectOf<P>, NeedsOf<L>, Name, K, GivenVars<G, I>, I> {
  const given = options as unknown as AnyOptions;
  requireOptions(given);
  const place = new StepTarget(withStep(given));
  const { policy } = place.planned;
  const read = liveRead(place.planned);
  const dependsOn = (): readonly (StepRuntime | undefined)[] => (given.dependsOn ?? []).map((needed: unknown) => runtimeOf(needed));
  const cacheKindOf = (kind: Kind): Kind => (kind === policy.kind ? read.cacheKind : kind);
  let made: Definition | undefined;
  const definition = (): Definition => (made ??= { dependent: place.settled, read, dependsOn, source: { name: given.name, cacheKindOf } });
  const raw: Parameters<typeof defineLateStep>[1] = {
    name: given.name,
    needs: given.needs ?? [],
    conditions: given.conditions ?? [],
    dryRun: true,
    ...(given.finalizer === undefined ? {} : { finalizer: given.finalizer }),
    ...(given.timeoutMs === undefined ? {} : { timeoutMs: given.timeoutMs }),
    ...(given.includeWhen === undefined ? {} : { beforeReads: (req: unknown) => leftOut(definition(), req as AnyDoReq) }),
    do: (req) => run(definition(), req as AnyDoReq),
    unresolved: (req, error) => unresolved(definition(), req as AnyDoReq, error),
    unprovided: (req, wait) => unprovided(definition(), req as AnyDoReq, wait),
    ...(given.gives === undefined ? {} : { gives: givesOf(place.planned) }),
    ...(policy.isOwned ? { cleanup: (req: unknown) => cleanUp(definition(), req as AnyCleanupReq) } : {}),
  };
  const step = withStepTarget(
    defineLateStep(primary, raw, () => declarationsOf(definition(), place.groups)),
    place,
  );
  // What defineLateStep() gives is opaque; the signature is what is known of it.
  return step as unknown as DependentStep<ObjectOf<P>, NeedsOf<L>, Name, K, GivenVars<G, I>, I>;
}

/** What depends on the target of the step. */
function declarationsOf(definition: Definition, groups: ReadonlySet<StepRuntime>): LateDeclarations {
  const { dependent, read, dependsOn } = definition;
  const { options: given, policy, target } = dependent;
  return {
    // The objects in a target are read from its watches.
    reads: { ...given.reads, ...(target === undefined ? { [LIVE]: read } : targetReads(target)) },
    cleanupReads: target === undefined ? [] : [TARGET_READ],
    owns: target === undefined && policy.isOwned && policy.isWatched ? [given.kind] : [],
    permissions: permissionsOf(dependent),
    ...(target === undefined ? {} : { state: REMOTE_STATE, events: TARGET_EVENTS }),
    ...(target === undefined && given.once === true ? { state: ONCE_STATE } : {}),
    refersFrom: policy.isOwned && policy.ownership !== "label" ? [given.kind] : [],
    uses: [
      dependents.use({
        dependent,
        fixedName: target === undefined ? fixedNameOf(dependent) : undefined,
        hasEntries: dependent.isChecked,
        targetGroups: groups,
        whetherWanted: isSwitched(given) ? probeOf(definition) : undefined,
        keeps: (owner, kind, ref) => (groupKindOf(kind) === groupKindOf(policy.kind) ? dependent.names(owner).has(ref) : undefined),
        problems: (primary) => problemsOf(dependent, primary),
        dependsOn,
        cached: (owner, cache) =>
          target !== undefined
            ? METADATA_ONLY
            : cachedObjects(dependent, owner, (ref) => cache.get(read.cacheKind, ref), read.cacheKind !== policy.kind),
        entriesFor: (owner, unseen) => entriesFor(dependent, owner, unseen),
        // The object is not in the cache of the operator.
        unreached: (unreached) => (target === undefined ? unreachedEntry(definition, unreached) : unreached.entry),
      }),
      ...(target === undefined ? [] : [remoteSteps.use({ name: given.name, target })]),
    ],
  };
}

/** Keeps the objects of the step. */
function run(definition: Definition, req: AnyDoReq): unknown {
  const { target } = definition.dependent;
  return target === undefined ? apply(definition, req) : applyAtTarget(definition, target, req);
}

/** Removes the objects of the step. */
function cleanUp(definition: Definition, req: AnyCleanupReq): Promise<Wait | undefined> {
  const { target } = definition.dependent;
  return target === undefined ? cleanedUp(unitOf(definition, req)) : cleanUpAtTarget(definition, target, req);
}

/** The name of the object that the step creates, if the options give it. */
function fixedNameOf({ isEach, options: { objectName, namespace: given }, policy: { isCreated, kind } }: Dependent): FixedName | undefined {
  const namespace = kind.scope === "Cluster" ? undefined : given;
  if (!isCreated || isEach || typeof objectName === "function" || typeof namespace === "function") return undefined;
  return { kind, name: objectName, namespace };
}

/** Whether an object of the step may not be desired. */
function isSwitched({ desired, when, orphanWhen, includeWhen }: AnyOptions): boolean {
  return typeof desired === "function" || [when, orphanWhen, includeWhen].some((predicate) => predicate !== undefined);
}

/** Asks whether the step wants its objects, without the object itself and without the kinds that it owns. */
function probeOf(definition: Definition): Probe {
  const { reads = {}, includeWhen } = definition.dependent.options;
  const beforeReads = (req: unknown): unknown => leftOut(definition, req as AnyDoReq, { isWanted: false });
  return {
    reads: reads as StepRuntime["reads"], // The engine has checked them.
    ...(includeWhen === undefined ? {} : { beforeReads }),
    do: (req) => whetherWanted(definition, req as AnyDoReq),
  };
}

/** The values that the step gives, as the engine knows them. */
function givesOf({ name, names, options, policy, isEach }: Dependent): NonNullable<RawDefinition["gives"]> {
  return {
    names: Object.keys(options.gives ?? {}),
    of: (owner) => (isEach ? `step "${name}"` : titleOf(policy, names(owner).list[0]?.target ?? owner.metadata, owner)),
    // The watch reports when a value is there.
    ...(policy.isWatched ? { afterMs: LOOK_AGAIN_MS } : {}),
  };
}

/** The objects themselves as a read of their step: watch, requeues by name and, for Secrets, one GET for each version follow from it. */
function liveRead(dependent: Dependent): OneRead | SeveralRead {
  const { isEach, policy } = dependent;
  const options = policy.isWatched ? {} : { watch: false };
  // A name that cannot be computed is reported by the step itself, which computes it again.
  const refs = (owner: KubernetesObject): readonly Ref[] => refsOrNone(dependent, owner);
  if (isEach) return several(policy.kind, refs, options);
  return one(policy.kind, (owner: KubernetesObject) => refs(owner)[0], options) as OneRead; // A read is one of these at run time.
}

/** The entries for objects that the pass has not seen. If their names cannot be computed, the entries have the names that they had. */
function entriesFor(dependent: Dependent, owner: KubernetesObject, { state, error, known }: UnseenDependent): readonly NewEntry[] {
  return unseenObjects(dependent, owner, known).map(({ item, identity }) => ({
    ...identity,
    ...stateWithout(dependent, { state, error, item }),
  }));
}

interface UnseenObject {
  readonly item: EachItem | undefined;
  readonly identity: DependentIdentity;
}

function unseenObjects(
  { policy, names, isEach }: Dependent,
  owner: KubernetesObject,
  known: readonly DependentIdentity[],
): readonly UnseenObject[] {
  try {
    return names(owner)
      .list.slice(0, MAX_ENTRIES)
      .map(({ item, target }) => ({ item, identity: identityOf(policy.kind, target) }));
  } catch {
    const last = (isEach ? known : known.slice(0, 1)).map(({ name, namespace }) =>
      namespace === undefined ? { name } : { name, namespace },
    );
    return (last.length > 0 ? last : [owner.metadata]).map((ref) => ({ item: undefined, identity: identityOf(policy.kind, ref) }));
  }
}
