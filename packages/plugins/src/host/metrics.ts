/** The metrics of plugins. */
import { metricParts } from "@treadle/controller/unstable/runnable";
import type { Registry } from "prom-client";

/** Counts and measures plugins. */
export interface PluginMetrics {
  /** Notes the end of a call. `code` is `OK`, or that of the error. */
  called(call: { readonly plugin: string; readonly method: string; readonly code: string }, seconds: number): void;
  /** Counts an attempt to start a plugin again. */
  restarted(plugin: string): void;
  /** Sets the state of a plugin; `undefined`: it no longer exists. */
  state(plugin: string, state: string | undefined): void;
}

/** Metrics that count nothing. */
export const NO_METRICS: PluginMetrics = { called() {}, restarted() {}, state() {} };

/** The values of the label `state`. */
export const STATES = ["Starting", "Ready", "Away", "CrashLoop", "Refused"] as const;

/** Returns the metrics in a registry, which other hosts and earlier starts share. */
export async function pluginMetrics(registry: Registry): Promise<PluginMetrics> {
  const { Counter, Gauge, Histogram } = await metricParts();
  const registers = [registry];
  // Only this function makes metrics of these names.
  const known = <M>(name: string, make: (name: string) => M): M => (registry.getSingleMetric(name) as M | undefined) ?? make(name);
  const calls = known("treadle_plugin_calls_total", (name) => {
    return new Counter({ name, help: "Calls of plugins, by code.", labelNames: ["plugin", "method", "code"], registers });
  });
  const latency = known("treadle_plugin_call_seconds", (name) => {
    const help = "Duration of a call of a plugin, in seconds.";
    return new Histogram({ name, help, labelNames: ["plugin", "method"], buckets: BUCKETS, registers });
  });
  const restarts = known("treadle_plugin_restarts_total", (name) => {
    return new Counter({ name, help: "Attempts to start a plugin, or to connect to it, again.", labelNames: ["plugin"], registers });
  });
  const states = known("treadle_plugin_state", (name) => {
    const help = "1 for the present state of a plugin, 0 for the others.";
    return new Gauge({ name, help, labelNames: ["plugin", "state"], registers });
  });
  return {
    called({ plugin, method, code }, seconds) {
      calls.inc({ plugin, method, code });
      latency.observe({ plugin, method }, seconds);
    },
    restarted: (plugin) => restarts.inc({ plugin }),
    state(plugin, present) {
      for (const state of STATES)
        if (present === undefined) states.remove({ plugin, state });
        else states.set({ plugin, state }, Number(state === present));
    },
  };
}

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
