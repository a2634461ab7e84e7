/** The words of workloads on their way: Creating, Updating and Scaling. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { health } from "@treadle/apimachinery/health";
import { isComponentReason } from "../reasons.ts";
import type { StateFacts } from "./kind-record.ts";

/** The word of a workload that is neither ready nor failed. */
export type ConvergingWord = "Creating" | "Updating" | "Scaling";

/**
 * Returns the word of a workload that converges. What the pass wrote decides first. Without a write, a converging word of the last
 * pass stays: it changes only when the workload becomes ready or fails, or with the next write.
 */
export function convergingWord(live: KubernetesObject | undefined, { operation, changed, previous }: StateFacts): ConvergingWord {
  switch (operation) {
    case "created":
      return "Creating";
    case "updated":
      if (previous === "Creating") return "Creating"; // It was never up.
      return changed.length > 0 && changed.every((path) => path === "spec.replicas") ? "Scaling" : "Updating";
    case "none":
      if (isConvergingWord(previous)) return previous;
      if (!isStale(live)) return "Scaling";
      return previous !== undefined && isComponentReason(previous) && previous !== "Unknown" ? "Updating" : "Creating";
  }
}

/** Returns whether the controller of the object has not seen its generation yet. */
export function isStale(live: KubernetesObject | undefined): boolean {
  return live !== undefined && health(live).reason === "GenerationNotObserved";
}

/** Returns whether the status of the object describes an older generation. An object without such a status is not outdated. */
export function isOutdated(live: KubernetesObject | undefined): boolean {
  return typeof statusOf(live)["observedGeneration"] === "number" && isStale(live);
}

/** Returns the status of an object of any kind; empty if it has none. */
export function statusOf(live: KubernetesObject | undefined): Readonly<Record<string, unknown>> {
  const status = (live as { readonly status?: unknown } | undefined)?.status;
  // An object has fields; what they hold is unknown.
  return typeof status === "object" && status !== null ? (status as Readonly<Record<string, unknown>>) : {};
}

function isConvergingWord(word: string | undefined): word is ConvergingWord {
  return word === "Creating" || word === "Updating" || word === "Scaling";
}
