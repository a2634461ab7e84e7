/** Generic step: turns on and configures the conditions of a handler. The step itself does nothing. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { defineStep } from "../build/step-runtime.ts";
import { type Rank, type RankedCondition, rankOfList } from "../save/ready-rank.ts";
import { anyKind, type AnyStep, type Step } from "../step.ts";

/** These are the options of {@link conditions}. */
export interface ConditionsOptions {
  /**
   * Whether this handler computes `Ready` and keeps `status.observedGeneration`. Of several handlers on one kind exactly
   * one does; the others have `false`. @defaultValue true
   */
  readonly ready?: boolean;
  /**
   * Decides which condition Ready reports: the one with the highest rank; of equals the first in list order. While some
   * condition is not True, only those that are not True are ranked. If all are True, Ready has the reason and message of the
   * highest. A step that waited, stopped or failed is ranked as a condition of the type `Ready`.
   *
   * A function must be pure, and return a number at once; if it does not, Ready is False with the reason `RankFailed`. A list has
   * types and reasons, the most important first. @defaultValue False before Unknown, then list order; `Ready` if all are True
   */
  readonly rank?: ((condition: RankedCondition) => number) | readonly string[];
  /**
   * Whether the engine keeps `Reconciling` and `Stalled`, which kstatus reads. Each is in the status only while it is True.
   * `Stalled`: a step stopped, failed with a TerminalError or waits for a person, or the object breaks its schema. `Reconciling`:
   * the object is not ready for another reason. @defaultValue false
   */
  readonly kstatus?: boolean;
}

export type { RankedCondition };

/**
 * Makes the engine keep the declared conditions of all steps, and Ready. The first saved pass initialises them. Ready is True only
 * if all conditions that count are True and no step waited, stopped or failed. Its place in the list has no meaning.
 *
 * @throws TypeError for options that contradict each other
 */
export function conditions(options: ConditionsOptions = {}): Step<KubernetesObject & { readonly status?: unknown }> {
  const { ready = true, kstatus = false } = options;
  const rank = rankOf(options);
  if (!ready && (rank !== undefined || kstatus))
    throw new TypeError(
      `conditions: ${kstatus ? "kstatus" : "rank"} is about Ready, which ready: false leaves to another handler: set it there`,
    );
  return defineStep(anyKind(), { name: "conditions", configures: { conditions: { ready, kstatus, ...(rank && { rank }) } } }) as AnyStep;
}

function rankOf({ rank }: ConditionsOptions): Rank | undefined {
  if (rank === undefined || typeof rank === "function") return rank;
  if (!Array.isArray(rank) || rank.some((name) => typeof name !== "string"))
    throw new TypeError("conditions: rank must be a function, or a list of condition types and reasons");
  return rankOfList(rank);
}
