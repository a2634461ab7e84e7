/** The metrics of certificates, for those who have only the registry. prom-client is not loaded here. */
import type { Counter, Registry } from "prom-client";

/** The names of controller-runtime (`pkg/certwatcher/metrics`). */
export const CERTIFICATE_READS = "certwatcher_read_certificate_total";
export const CERTIFICATE_ERRORS = "certwatcher_read_certificate_errors_total";

/** Counts readings of certificates. */
export interface CertificateMetrics {
  /** Counts a reading. */
  readonly read: () => void;
  /** Counts a reading that failed, in addition. */
  readonly failed: () => void;
}

/** Returns the metrics in the registry of a manager; undefined: metrics are off. */
export function certificateMetricsIn(registry: Registry | undefined): CertificateMetrics | undefined {
  if (registry === undefined) return undefined;
  const counter = (name: string): Counter => registry.getSingleMetric(name) as Counter; // `certificateFamilies` made it.
  const [reads, errors] = [counter(CERTIFICATE_READS), counter(CERTIFICATE_ERRORS)];
  return { read: () => reads.inc(), failed: () => errors.inc() };
}
