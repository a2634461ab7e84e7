/** Several dependents as one step: in the order of their `dependsOn`, independent ones at once. */
import { defineComposite, type GroupOf, type Members } from "@treadle/reconcile/unstable/engine";
import { dependents } from "./extension.ts";
import type { AnyDependentStep } from "./types.ts";

/** Options of {@link dependentApplyAll}. */
export interface DependentApplyAllOptions {
  /** Number of dependents that are converged at once. @defaultValue 5 */
  readonly concurrency?: number;
}

/**
 * Makes one step of several dependents. Each begins when those in its `dependsOn` are ready in this pass. One that fails or
 * waits does not stop its siblings. Errors are joined; without an error, the earliest wait ends the chain. Cleanup runs in
 * the reverse order: an object is deleted when the objects that depend on it are deleted.
 *
 * @throws TypeError for steps that dependentApply() did not make, and for the option `target`, which each dependent has itself. Problems of `dependsOn` are reported by `build()`.
 */
export function dependentApplyAll<const L extends readonly AnyDependentStep[]>(
  name: string,
  steps: L & Members<L>,
  options: DependentApplyAllOptions = {},
): GroupOf<L> {
  const { concurrency = 5 } = options;
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw new TypeError(`dependentApplyAll("${name}"): concurrency must be a whole number from 1, not ${String(concurrency)}`);
  if ("target" in options)
    throw new TypeError(`dependentApplyAll("${name}") has no option target: set target on each of its dependents that is kept elsewhere`);
  // The join of the children's types is what the signature computes; at run time there is nothing to check it against.
  return defineComposite({
    name,
    parts: { steps, maker: "dependentApplyAll", order: { by: dependents, concurrency, of: "made by dependentApply()" } },
  }) as unknown as GroupOf<L>;
}
