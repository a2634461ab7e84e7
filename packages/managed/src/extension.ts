/** The extension of the engine behind managed steps: their data, their problems for `build()`, and their metrics. */
import {
  type CounterDefinition,
  defineExtension,
  type Extension,
  type GaugeDefinition,
  type HistogramDefinition,
} from "@treadle/reconcile/unstable/engine";
import type { Definition } from "./definition.ts";
import { problems } from "./problems.ts";

/** Counts the calls of the provider. */
export const CALLS: CounterDefinition = {
  name: "treadle_external_calls_total",
  help: "Calls of providers, by the kind of the object, the verb and the result.",
  labels: ["kind", "verb", "result"],
};

/** Measures the calls of the provider. */
export const CALL_SECONDS: HistogramDefinition = {
  name: "treadle_external_call_seconds",
  help: "Durations of calls of providers.",
  labels: ["kind", "verb"],
};

/** Counts changes that were made at the provider. */
export const DRIFT: CounterDefinition = {
  name: "treadle_external_drift_total",
  help: "External resources that were found changed or deleted, without a change of the object.",
  labels: ["kind"],
};

/** Shows the effective poll interval of a config. */
export const POLL_INTERVAL: GaugeDefinition = {
  name: "treadle_external_poll_interval_seconds",
  help: "The interval at which the settled objects of a provider config are observed, by its rate and the number of its objects.",
  labels: ["config"],
};

interface Found {
  /** The names of the managed steps whose `do` began in this pass. */
  readonly began: Set<string>;
}

export const managedSteps: Extension<Definition, {}, Found> = defineExtension<Definition, {}, Found>({
  name: "managed",
  found: () => ({ began: new Set() }),
  counters: [CALLS, DRIFT],
  gauges: [POLL_INTERVAL],
  histograms: [CALL_SECONDS],
  problems,
  describe: ({ data: { singular } }) => [{ type: "external resource", name: singular }],
});
