/** Which metrics an operator has. Pure. */
import { pipelineOf } from "@treadle/reconcile/unstable/engine";
import { isPluginHost, isTargets } from "../runnables.ts";
import type { Operator } from "../operator.ts";

/** What decides which metrics an operator has. */
export interface MetricFacts {
  /** The metrics of the extensions that its steps use, such as those of components. */
  readonly ofExtensions: ReadonlySet<string>;
  readonly isElected: boolean;
  /** Whether it has a certificate: of its metrics, or of its webhooks. */
  readonly hasCertificate: boolean;
  readonly hasWebhooks: boolean;
  /** Whether some webhook converts objects. */
  readonly hasConversion: boolean;
  readonly hasPlugins: boolean;
  readonly hasTargets: boolean;
  /** Whether each condition of each object has a series. */
  readonly hasConditions: boolean;
}

/** Returns which metrics an operator has. */
export function metricFactsOf({ rights, isElected, metrics, webhooks }: Operator, hasConversion: boolean): MetricFacts {
  const { handlers, runnables } = rights;
  return {
    ofExtensions: new Set(handlers.flatMap((handler) => pipelineOf(handler).metrics.map(({ name }) => name))),
    isElected,
    hasCertificate: metrics?.isSecure === true || webhooks !== undefined,
    hasWebhooks: webhooks !== undefined,
    hasConversion,
    hasPlugins: runnables.some(isPluginHost),
    hasTargets: runnables.some(isTargets),
    hasConditions: metrics?.hasConditions === true,
  };
}

/** Returns an expression with the selector of the operator in place of each `JOB`. */
export function ofJob(expression: string, job: string): string {
  return expression.replaceAll(/\bJOB\b/g, `job="${job}"`);
}
