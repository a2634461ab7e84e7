/** Readings of certificates from files, with controller-runtime's names (`pkg/certwatcher/metrics`). */
import { Counter, type Registry } from "./prom-client-parts.ts";

export interface CertificateMetrics {
  readonly read: () => void;
  readonly failed: () => void;
}

export function certificateFamilies(registry: Registry): CertificateMetrics {
  const counter = (name: string, help: string): Counter => new Counter({ name, help, registers: [registry] });
  const total = counter("certwatcher_read_certificate_total", "Total number of times that a certificate was read.");
  const errors = counter("certwatcher_read_certificate_errors_total", "Total number of times that a certificate could not be read.");
  return { read: () => total.inc(), failed: () => errors.inc() };
}
