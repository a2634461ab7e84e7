/** Readings of certificates, with controller-runtime's names. */
import { CERTIFICATE_ERRORS, CERTIFICATE_READS, type CertificateMetrics } from "./certificate-metrics.ts";
import { Counter, type Registry } from "./prom-client-parts.ts";

export function certificateFamilies(registry: Registry): CertificateMetrics {
  const counter = (name: string, help: string): Counter => new Counter({ name, help, registers: [registry] });
  const total = counter(CERTIFICATE_READS, "Total number of times that a certificate was read.");
  const errors = counter(CERTIFICATE_ERRORS, "Total number of times that a certificate could not be read.");
  return { read: () => total.inc(), failed: () => errors.inc() };
}
