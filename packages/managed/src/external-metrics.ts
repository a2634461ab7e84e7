/**
 * Metrics made of the change log. Only parts of prom-client are loaded: its index also loads the API of OpenTelemetry and default
 * metrics. The paths are not part of its API, so its version is pinned.
 */
import type * as promClient from "prom-client";
// @ts-expect-error prom-client declares its index only
import counter from "prom-client/lib/counter.js";
// @ts-expect-error prom-client declares its index only
import histogram from "prom-client/lib/histogram.js";
import type { ExternalChange } from "./change.ts";

const Counter: typeof promClient.Counter = counter;
const Histogram: typeof promClient.Histogram = histogram;

const LABELS = ["kind", "verb"];

/**
 * Makes an `onChange` that counts and times the calls that change a provider, by kind and verb, and counts the drift that they revert.
 * Several registries may be used. A registry may be used once, and its metrics serve any number of managed steps.
 *
 * @throws Error of prom-client if the registry has metrics of these names
 */
export function externalMetrics(registry: promClient.Registry): (change: ExternalChange) => void {
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
