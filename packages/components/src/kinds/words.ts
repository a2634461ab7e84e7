/** The words of each category: which reasons the state of an object may have. */
import type { ComponentReason } from "../reasons.ts";
import type { Category } from "./kind-record.ts";

/** How an object is, before it gets a word of its category. */
export type Outcome = "Ready" | "Failed" | "Pending";

/** The reasons that the state of an object of each category may have. */
export const WORDS: Readonly<Record<Category, readonly ComponentReason[]>> = {
  workload: ["Healthy", "Creating", "Updating", "Scaling", "Failing"],
  task: ["Completed", "TaskRunning", "TaskPending", "TaskFailing"],
  integration: ["Operational", "OperationPending", "OperationFailing"],
  static: ["Healthy", "OperationPending", "OperationFailing"],
};

/** Returns the outcome of a state of this type. `Unknown` counts as `Pending`; `isReady` decides for custom types. */
export function outcomeOf(type: string, isReady: boolean = false): Outcome {
  if (type === "Ready" || type === "Failed" || type === "Pending") return type;
  return type !== "Unknown" && isReady ? "Ready" : "Pending";
}

/** Returns the word of an integration with this outcome. */
export function operationWord(outcome: Outcome): ComponentReason {
  return outcome === "Ready" ? "Operational" : outcome === "Failed" ? "OperationFailing" : "OperationPending";
}

/** Returns the word of a ready object of this category. */
export function readyWord(category: Category): ComponentReason {
  return category === "task" ? "Completed" : category === "integration" ? "Operational" : "Healthy";
}
