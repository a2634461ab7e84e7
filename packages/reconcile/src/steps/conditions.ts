/** Generic step: keeps `status.conditions`. It does nothing itself; it switches the engine's computation on and configures it. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { defineStep } from "../build/step-runtime.ts";
import { anyKind, type AnyStep, type Step } from "../step.ts";

/** Options of {@link conditions}. */
export interface ConditionsOptions {
  /**
   * Whether this handler computes `Ready` and keeps `status.observedGeneration`. Of several handlers on one kind exactly
   * one does; the others say `false`. @defaultValue true
   */
  readonly ready?: boolean;
}

/**
 * Keeps the declared conditions of all steps, and Ready: initialised from the first saved pass on, True only when all that
 * count are True and no step waited, stopped or failed. May stand anywhere in the list.
 */
export function conditions(options: ConditionsOptions = {}): Step<KubernetesObject & { readonly status?: unknown }> {
  return defineStep(anyKind(), { name: "conditions", configures: { conditions: { ready: options.ready ?? true } } }) as AnyStep;
}
