/** Metrics made of the change log. */
import { createRequire } from "node:module";
import type * as promClient from "prom-client";
import type { ExternalChange } from "./change.ts";

const LABELS = ["kind", "verb"];

/**
 * Makes an `onChange` that counts and times the calls that change a provider, by kind and verb, and counts the drift that they revert.
 * Several registries may be used. A registry may be used once, and its metrics serve any number of managed steps.
 *
 * @throws Error of prom-client if the registry has metrics of these names
 */
export function externalMetrics(registry: promClient.Registry): (change: ExternalChange) => void {
  // Loaded here, because most programs use the metrics of their manager.
  const { Counter, Histogram } = createRequire(import.meta.url)("prom-client") as typeof promClient;
  const registers = [registry];
  const calls = new Counter({
    name: "external_calls_total",
    help: "Calls that change a provider, by the kind of the object, the verb and the result.",
    labelNames: [...LABELS, "result"],
    registers,
  });
  const seconds = new Histogram({
    name: "external_call_duration_seconds",
    help: "Durations of calls that change a provider.",
    labelNames: LABELS,
    registers,
  });
  const drift = new Counter({
    name: "external_drift_total",
    help: "Changes and deletions at the provider that were found and reverted.",
    labelNames: ["kind"],
    registers,
  });
  return ({ kind, verb, error, durationMs, isDrift }) => {
    calls.inc({ kind, verb, result: error === undefined ? "success" : "error" });
    seconds.observe({ kind, verb }, durationMs / 1_000);
    if (isDrift) drift.inc({ kind });
  };
}
