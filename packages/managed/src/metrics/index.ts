/**
 * `@treadle/managed/metrics`: metrics of the calls that change a provider, for a registry of your own. An entry point apart, because it
 * loads prom-client. The manager serves metrics of all calls without it.
 */
export { externalMetrics } from "./external-metrics.ts";
