/** Several dependents as one step: in the order of their `dependsOn`, independent ones at once. */
import { defineComposite } from "@treadle/reconcile/unstable/engine";
import type { Step } from "@treadle/reconcile";
import { dependents } from "./extension.ts";
import type { AnyDependentStep } from "./types.ts";

export interface DependentApplyAllOptions {
  /** How many dependents are worked on at once. @defaultValue 5 */
  readonly concurrency?: number;
}

type Join<L extends readonly AnyDependentStep[]> = [L[number]] extends [Step<infer T, infer N, infer _>] ? Step<T, N> : never;

/**
 * Keeps all of `steps`. One begins when those in its `dependsOn` are ready in this pass, others do not wait for it; one
 * that fails or waits does not stop its siblings. Errors are joined; else the earliest wait ends the chain. Cleanup runs in
 * the reverse order: what others depend on goes when they are gone.
 *
 * @throws TypeError for steps that dependentApply() did not make; what `dependsOn` says wrong is reported by `build()`.
 */
export function dependentApplyAll<const L extends readonly AnyDependentStep[]>(
  name: string,
  steps: L,
  options: DependentApplyAllOptions = {},
): Join<L> {
  const { concurrency = 5 } = options;
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw new TypeError(`dependentApplyAll("${name}"): concurrency must be a whole number from 1, not ${String(concurrency)}`);
  // The join of the children's types is what the signature computes; at run time there is nothing to check it against.
  return defineComposite({
    name,
    parts: { steps, maker: "dependentApplyAll", order: { by: dependents, concurrency, of: "made by dependentApply()" } },
  }) as unknown as Join<L>;
}
