/**
 * The parts of prom-client that the metrics need. Its index also loads summaries, default metrics, a push gateway, the cluster
 * module and the whole API of OpenTelemetry: ten times the modules, 55 ms of processor time and 16 MB more (15.1.3). The paths
 * are not part of its API, so its version is pinned, and a test compares the parts with the index.
 */
import type * as promClient from "prom-client";
// @ts-expect-error prom-client declares its index only
import counter from "prom-client/lib/counter.js";
// @ts-expect-error prom-client declares its index only
import gauge from "prom-client/lib/gauge.js";
// @ts-expect-error prom-client declares its index only
import histogram from "prom-client/lib/histogram.js";
// @ts-expect-error prom-client declares its index only
import registry from "prom-client/lib/registry.js";

export const Counter: typeof promClient.Counter = counter;
export type Counter<T extends string = string> = promClient.Counter<T>;
export const Gauge: typeof promClient.Gauge = gauge;
export type Gauge<T extends string = string> = promClient.Gauge<T>;
export const Histogram: typeof promClient.Histogram = histogram;
export type Histogram<T extends string = string> = promClient.Histogram<T>;
export const Registry: typeof promClient.Registry = registry;
export type Registry = promClient.Registry;
