/** Generic step: turns on and configures the conditions of a handler. The step itself does nothing. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { defineStep } from "../build/step-runtime.ts";
import { anyKind, type AnyStep, type Step } from "../step.ts";

/** These are the options of {@link conditions}. */
export interface ConditionsOptions {
  /**
   * Whether this handler computes `Ready` and keeps `status.observedGeneration`. Of several handlers on one kind exactly
   * one does; the others have `false`. @defaultValue true
   */
  readonly ready?: boolean;
}

/**
 * Makes the engine keep the declared conditions of all steps, and Ready. The first saved pass initialises them. Ready is True only
 * if all conditions that count are True and no step waited, stopped or failed. Its place in the list has no meaning.
 */
export function conditions(options: ConditionsOptions = {}): Step<KubernetesObject & { readonly status?: unknown }> {
  return defineStep(anyKind(), { name: "conditions", configures: { conditions: { ready: options.ready ?? true } } }) as AnyStep;
}
