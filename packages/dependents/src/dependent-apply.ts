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
import { type Kind, type KubernetesObject, type ObjectOf, type Ref } from "@treadle/apimachinery";
import { defineStep, runtimeOf, type StepRuntime, type OneRead } from "@treadle/reconcile/unstable/engine";
import { one, type Reads, type AnyStep, type NeedsOf } from "@treadle/reconcile";
import { apply, goOn, whetherWanted } from "./apply-step.ts";
import { cleanedUp } from "./cleanup-step.ts";
import type { DependentIdentity, DependentState } from "./core/entries.ts";
import { identityOf } from "./core/marks.ts";
import { refined } from "./core/state.ts";
import {
  type AnyOptions,
  type Dependent,
  dependentOf,
  LIVE,
  permissionsOf,
  problemsOf,
  requireOptions,
  targetOf,
  targetOrNone,
} from "./dependent.ts";
import { dependents, type UnseenDependent } from "./extension.ts";
import { ONCE_STATE } from "./once.ts";
import type { AnyDependentStep, DependentOptions, DependentStep } from "./types.ts";
import { type AnyCleanupReq, type AnyDoReq, type Definition, unitOf } from "./unit.ts";

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
>(primary: P, options: DependentOptions<ObjectOf<P>, K, Name, L, R, D>): DependentStep<ObjectOf<P>, NeedsOf<L>, Name, K> {
  const given = options as unknown as AnyOptions;
  requireOptions(given);
  const dependent = dependentOf(given);
  const { policy } = dependent;
  const read = liveRead(dependent);
  const dependsOn = (): readonly (StepRuntime | undefined)[] => (given.dependsOn ?? []).map((needed: unknown) => runtimeOf(needed));
  const definition: Definition = { dependent, read, dependsOn };
  const step = defineStep(primary, {
    name: given.name,
    needs: given.needs ?? [],
    reads: { ...given.reads, [LIVE]: read },
    owns: policy.isOwned && policy.isWatched ? [given.kind] : [],
    permissions: permissionsOf(dependent),
    dryRun: true,
    ...(given.once === true ? { state: ONCE_STATE } : {}),
    ...(given.timeoutMs === undefined ? {} : { timeoutMs: given.timeoutMs }),
    do: (req) => apply(definition, req as AnyDoReq),
    ...(dependent.isChecked ? {} : { unresolved: (req: unknown, error: unknown) => goOn(unitOf(definition, req as AnyDoReq), error) }),
    ...(policy.isOwned ? { cleanup: (req: unknown) => cleanedUp(unitOf(definition, req as AnyCleanupReq)) } : {}),
    readsInCleanup: false,
    refersFrom: policy.isOwned && given.ownership !== "label" ? [given.kind] : [],
    uses: [
      dependents.use({
        kind: policy.kind,
        makesNamesake: policy.isCreated && given.objectName === undefined && given.namespace === undefined,
        hasEntries: dependent.isChecked,
        whetherWanted:
          typeof given.desired === "function"
            ? { reads: (given.reads ?? {}) as StepRuntime["reads"], do: (req) => whetherWanted(definition, req as AnyDoReq) }
            : undefined,
        target: (owner) => targetOf(dependent, owner),
        problems: (primary) => problemsOf(dependent, primary),
        dependsOn,
        cached: (owner, cache) => cache.get(read.cacheKind, targetOf(dependent, owner)),
        entryFor: (owner, given) => entryFor(dependent, owner, given),
      }),
    ],
  });
  // What defineStep() gives is opaque; the signature is what is known of it.
  return step as unknown as DependentStep<ObjectOf<P>, NeedsOf<L>, Name, K>;
}

/** The object itself as a read of its step: watch, requeues by name and, for Secrets, one GET for each version follow from it. */
function liveRead(dependent: Dependent): OneRead {
  const { kind, isWatched } = dependent.policy;
  // A name that cannot be computed is reported by the step itself, which computes it again.
  const ref = (owner: KubernetesObject): Ref | undefined => targetOrNone(dependent, owner);
  return one(kind, ref, isWatched ? {} : { watch: false }) as OneRead; // A read is one of these at run time.
}

/** The entry for an object that the pass has not seen. If its name cannot be computed, the entry has the name that it had. */
function entryFor(dependent: Dependent, owner: KubernetesObject, given: UnseenDependent): DependentIdentity & DependentState {
  const { name, options, policy } = dependent;
  const { state, error } = given;
  const { status } = options;
  const identity = identityOf(policy.kind, targetOrNone(dependent, owner) ?? given.last ?? owner.metadata);
  const refine = status === undefined ? undefined : (before: DependentState) => status(before, undefined, error);
  return { ...identity, ...refined({ unit: name, unitNoun: "step" }, { refine }, { state, live: undefined }) };
}
