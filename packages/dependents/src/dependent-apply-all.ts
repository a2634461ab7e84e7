/** Several dependents as one step: in the order of their `dependsOn`, independent ones at once. */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { Step } from "@treadle/reconcile";
import { defineComposite, type GroupOf, type Members, runtimeOf, type StepRuntime } from "@treadle/reconcile/unstable/engine";
import { dependents } from "./extension.ts";
import { stepTargetOf } from "./group-target.ts";
import { requireTarget } from "./target-options.ts";
import type { Target } from "./targets/types.ts";
import type { AnyDependentStep } from "./types.ts";

/** Options of {@link dependentApplyAll}, for owners `T`. */
export interface DependentApplyAllOptions<in T extends KubernetesObject = KubernetesObject> {
  /** Number of dependents that are converged at once. @defaultValue 5 */
  readonly concurrency?: number;
  /**
   * The target of the dependents that have none: what `clusters.target()` returned. The resource needs `stepState: true`.
   * @defaultValue each dependent is where its own options say
   */
  readonly target?: Target<T>;
}

/** The owners for which all dependents of a list are made. */
export type OwnerOf<L extends readonly AnyDependentStep[]> = [L[number]] extends [Step<infer T, never>] ? T : never;

/**
 * Makes one step of several dependents. Each begins when those in its `dependsOn` are ready in this pass. One that fails or
 * waits does not stop its siblings. Errors are joined; without an error, the earliest wait ends the chain. Cleanup runs in
 * the reverse order: an object is deleted when the objects that depend on it are deleted.
 *
 * A dependent gets the `target` itself, so that it cannot be used outside of the group.
 *
 * @throws TypeError for steps that dependentApply() did not make, and for a dependent that is used with another target or without one. Problems of `dependsOn` are reported by `build()`.
 */
export function dependentApplyAll<const L extends readonly AnyDependentStep[]>(
  name: string,
  steps: L & Members<L>,
  options: DependentApplyAllOptions<OwnerOf<L>> = {},
): GroupOf<L> {
  const { concurrency = 5, target } = options;
  const where = `dependentApplyAll("${name}")`;
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw new TypeError(`${where}: concurrency must be a whole number from 1, not ${String(concurrency)}`);
  if (target !== undefined) requireTarget(where, target);
  // The composite refuses untyped code with other values.
  const listed: readonly unknown[] = Array.isArray(steps) ? steps : [];
  // Before the composite asks the parts for what follows from their target.
  for (const part of listed) stepTargetOf(part)?.give(where, target);
  const group = defineComposite({
    name,
    parts: { steps, maker: "dependentApplyAll", order: { by: dependents, concurrency, of: "made by dependentApply()" } },
  });
  for (const part of listed) {
    const given = stepTargetOf(part);
    if (given === undefined && target !== undefined)
      throw new TypeError(
        `${where}: "${runtimeOf(part)?.name}" cannot get the target of the group: set target on it, outside of the group`,
      );
    given?.joined(runtimeOf(group) as StepRuntime); // defineComposite() has made it.
  }
  // The join of the children's types is what the signature computes; at run time there is nothing to check it against.
  return group as unknown as GroupOf<L>;
}
