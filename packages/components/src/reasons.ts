/**
 * The reasons of a component's condition, and of the entries of its resources: a closed list. Each has a rank; the reason with the
 * highest rank in a component is the reason of its condition.
 */

/** The facts about one reason. */
export interface ReasonFacts {
  /** The rank: of several reasons the highest decides. */
  readonly rank: number;
  /** The status of a condition with this reason. `True` means that the component is in its expected state. */
  readonly status: "True" | "False";
}

/** The reasons of components, the most important first. Programs and alerts may rely on these words and their order. */
export const componentReasons: Readonly<Record<ComponentReason, ReasonFacts>> = Object.freeze({
  Error: { rank: 20, status: "False" },
  FeatureGateError: { rank: 20, status: "False" },
  Down: { rank: 19, status: "False" },
  Degraded: { rank: 18, status: "False" },
  PendingSuspension: { rank: 17, status: "False" },
  Suspending: { rank: 16, status: "False" },
  Suspended: { rank: 15, status: "True" },
  Disabling: { rank: 14.5, status: "False" },
  Disabled: { rank: 14, status: "True" },
  Failing: { rank: 13, status: "False" },
  OperationFailing: { rank: 12, status: "False" },
  TaskFailing: { rank: 11, status: "False" },
  Blocked: { rank: 10, status: "False" },
  PrerequisiteNotMet: { rank: 10, status: "False" },
  Scaling: { rank: 9, status: "False" },
  TaskRunning: { rank: 8, status: "False" },
  Updating: { rank: 7, status: "False" },
  Creating: { rank: 6, status: "False" },
  OperationPending: { rank: 5, status: "False" },
  TaskPending: { rank: 4, status: "False" },
  Healthy: { rank: 3, status: "True" },
  Operational: { rank: 2, status: "True" },
  Completed: { rank: 1, status: "True" },
  Unknown: { rank: 0, status: "False" },
});

/** A reason of a component. */
export type ComponentReason =
  | "Error"
  | "FeatureGateError"
  | "Down"
  | "Degraded"
  | "PendingSuspension"
  | "Suspending"
  | "Suspended"
  | "Disabling"
  | "Disabled"
  | "Failing"
  | "OperationFailing"
  | "TaskFailing"
  | "Blocked"
  | "PrerequisiteNotMet"
  | "Scaling"
  | "TaskRunning"
  | "Updating"
  | "Creating"
  | "OperationPending"
  | "TaskPending"
  | "Healthy"
  | "Operational"
  | "Completed"
  | "Unknown";

/** Returns whether `reason` is one of {@link componentReasons}. */
export function isComponentReason(reason: string): reason is ComponentReason {
  return Object.hasOwn(componentReasons, reason);
}

/** The reasons in which a component converges: the grace clock runs in them, and in no other. */
const CONVERGING: ReadonlySet<ComponentReason> = new Set([
  "Scaling",
  "TaskRunning",
  "Updating",
  "Creating",
  "OperationPending",
  "TaskPending",
]);

/** Returns whether a component with this reason converges. */
export function isConverging(reason: ComponentReason): boolean {
  return CONVERGING.has(reason);
}

/** Returns whether a component with this reason has converged. */
export function isReadyReason(reason: ComponentReason): boolean {
  return reason === "Healthy" || reason === "Operational" || reason === "Completed";
}
