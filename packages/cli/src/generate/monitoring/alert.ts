/** The form of an alert. */
import type { MetricFacts } from "./facts.ts";

/** An alert. `JOB` in its expression stands for the selector of the operator. */
export interface Alert {
  readonly name: string;
  /** Whether an operator has its metrics. @defaultValue every operator has */
  readonly when?: (facts: MetricFacts) => boolean;
  readonly expr: string;
  /** How long the expression holds before the alert fires. @defaultValue it fires at once */
  readonly for?: string;
  readonly severity: "warning" | "critical";
  readonly summary: string;
  /** What a person does. */
  readonly action: string;
}
