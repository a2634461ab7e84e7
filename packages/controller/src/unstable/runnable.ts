/**
 * `@treadle/controller/unstable/runnable`: for packages that make a runnable with metrics and events of its own. Not for operators;
 * it may change in any version.
 */
import type * as promClient from "prom-client";

export { type EventObject, eventObject, type EventObjectOptions, type Reporter, shownNote } from "../events/event-object.ts";
export { type CertificateMetrics, certificateMetricsIn } from "../metrics/certificate-metrics.ts";
export { isPanic } from "../metrics/controller-metrics.ts";

/** The parts of prom-client that metrics need. */
export interface MetricParts {
  /** Makes a counter. */
  readonly Counter: typeof promClient.Counter;
  /** Makes a gauge. */
  readonly Gauge: typeof promClient.Gauge;
  /** Makes a histogram. */
  readonly Histogram: typeof promClient.Histogram;
}

/** Loads the parts of prom-client. An operator without metrics does not load them. */
export async function metricParts(): Promise<MetricParts> {
  return await import("../metrics/prom-client-parts.ts");
}
