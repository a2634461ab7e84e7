/** What is known of a step without a pass. */
import type { KubernetesObject, Ref } from "@treadle/apimachinery";
import { unitManager } from "@treadle/reconcile/unstable/engine";
import { isKnown, UNKNOWN_INPUTS } from "./core/ask.ts";
import { ownsReplicas } from "./core/release-replicas.ts";
import { type Dependent, desiredOf } from "./dependent.ts";
import { dependents } from "./extension.ts";
import { holds } from "./gates.ts";
import type { EachItem } from "./types.ts";

/** A step that keeps objects, and what follows from its options. */
export interface Facts {
  /** The step. */
  readonly dependent: Dependent;
  /** Returns the steps in `dependsOn`, by name. */
  readonly dependsOn: () => readonly string[];
}

/** Returns the facts of a step; `undefined` for a step that dependentApply() did not make. */
export function factsOf(step: unknown): Facts | undefined {
  const data = dependents.dataOf(step);
  if (data === undefined) return undefined;
  return { dependent: data.dependent, dependsOn: () => data.dependsOn().flatMap((each) => (each === undefined ? [] : [each.name])) };
}

/** One object of a step with its desired state. */
export interface DesiredObject {
  /** Name and namespace of the object. */
  readonly target: Ref;
  /** The item of `each`; `undefined` without `each`. */
  readonly item: EachItem | undefined;
  /** The desired state. */
  readonly desired: object;
}

/**
 * Returns the objects that the step wants, if that follows from the owner alone; `undefined` if a function of the author uses its
 * inputs or throws.
 */
export function desiredByOwner(dependent: Dependent, owner: KubernetesObject): readonly DesiredObject[] | undefined {
  let objects: readonly DesiredObject[] | undefined;
  const isFound = isKnown(() => {
    const { when } = dependent.options;
    if (!holds<[KubernetesObject, never]>(when, [owner, UNKNOWN_INPUTS as never], "when")) return void (objects = []);
    objects = dependent.names(owner).list.flatMap(({ item, target }) => {
      const desired = desiredOf(dependent, owner, { inputs: UNKNOWN_INPUTS, item });
      return desired === undefined ? [] : [{ target, item, desired }];
    });
  });
  return isFound ? objects : undefined;
}

/** Returns whether the step has applied the number of replicas of `live`. */
export function replicasAreOurs(live: KubernetesObject, given: Parameters<typeof unitManager>[0]): boolean {
  return ownsReplicas(live, unitManager(given));
}
