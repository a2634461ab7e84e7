/** What is known of a step without a pass. */
import { apiVersionOf, type KubernetesObject, type Ref } from "@treadle/apimachinery";
import { unitManager } from "@treadle/reconcile/unstable/engine";
import { isKnown, UNKNOWN_INPUTS } from "./core/ask.ts";
import { contentOf } from "./core/body.ts";
import { ownsReplicas } from "./core/release-replicas.ts";
import { type Dependent, desiredOf } from "./dependent.ts";
import { dependents } from "./extension.ts";
import { holds } from "./gates.ts";
import type { ClusterFacts, EachItem } from "./types.ts";
import { isIncluded, isReleased } from "./verdict.ts";

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
  if (data?.dependent === undefined) return undefined;
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
 * inputs or throws, and for released objects.
 */
export function desiredByOwner(dependent: Dependent, owner: KubernetesObject): readonly DesiredObject[] | undefined {
  let objects: readonly DesiredObject[] | undefined;
  const isFound = isKnown(() => {
    const { when } = dependent.options;
    if (!isIncluded(dependent, owner, UNKNOWN_CLUSTER)) return void (objects = []);
    // A released object may still exist.
    if (isReleased(dependent, owner)) return;
    if (!holds<[KubernetesObject, never]>(when, [owner, UNKNOWN_INPUTS as never], "when")) return void (objects = []);
    objects = dependent.names(owner).list.flatMap(({ item, target }) => {
      const desired = desiredOf(dependent, owner, { inputs: UNKNOWN_INPUTS, item });
      return desired === undefined ? [] : [{ target, item, desired }];
    });
  });
  return isFound ? objects : undefined;
}

/** A cluster of which nothing is known. */
const UNKNOWN_CLUSTER: ClusterFacts = { isServed: () => (UNKNOWN_INPUTS as { readonly vars: never }).vars };

/**
 * Returns whether the step wants objects for `owner` with these inputs: `includeWhen`, `orphanWhen` and `when`. Every kind counts as
 * served. `until` is not asked. @throws what the author's functions throw, and TypeError for an answer of another type
 */
export function isWantedWith(dependent: Dependent, owner: KubernetesObject, inputs: object): boolean {
  const { name, options } = dependent;
  if (!isIncluded(dependent, owner, { isServed: () => true }) || isReleased(dependent, owner)) return false;
  return holds<[KubernetesObject, never]>(options.when, [owner, inputs as never], `step "${name}": when`);
}

/**
 * Returns the objects that the step wants for `owner` with these inputs, as they are applied but for the marks of the owner. The
 * `stringData` of a Secret stays as it is. The objects are copies.
 * @throws what the author's functions throw, and TypeError for a desired state that cannot be stored as it is
 */
export function renderedWith(dependent: Dependent, owner: KubernetesObject, inputs: object): readonly KubernetesObject[] {
  if (!isWantedWith(dependent, owner, inputs)) return [];
  const { kind } = dependent.policy;
  const identity = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  return dependent.names(owner).list.flatMap(({ item, target }) => {
    const desired = desiredOf(dependent, owner, { inputs, item });
    if (desired === undefined) return [];
    const { metadata, fields } = contentOf(`step "${dependent.name}"`, { kind, target }, desired);
    const { labels, annotations, finalizers } = metadata;
    const given = Object.entries({ labels, annotations, finalizers }).filter(([, value]) => value !== undefined && value !== null);
    return [{ ...identity, metadata: { ...target, ...Object.fromEntries(given) }, ...fields, ...identity }];
  });
}

/** Returns whether the step has applied the number of replicas of `live`. */
export function replicasAreOurs(live: KubernetesObject, given: Parameters<typeof unitManager>[0]): boolean {
  return ownsReplicas(live, unitManager(given));
}
