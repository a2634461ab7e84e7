/** The extension of the engine behind sets: what they remember, count and measure. */
import {
  type CounterDefinition,
  defineExtension,
  type Extension,
  type HistogramDefinition,
  type ObjectGaugeDefinition,
} from "@treadle/reconcile/unstable/engine";
import type { SetDefinition } from "./definition.ts";
import { SetMemories } from "./pass/state.ts";

/** Counts the operations of sets on objects. */
export const OPERATIONS: CounterDefinition = {
  name: "treadle_set_operations_total",
  help: "Operations of sets on objects, by set, kind and operation: created, updated, deleted, released, drift_reverted, update_error, delete_error.",
  labels: ["set", "kind", "operation"],
};

/** Measures how long one apply takes. */
export const APPLY_SECONDS: HistogramDefinition = {
  name: "treadle_set_apply_seconds",
  help: "Time to apply one object of a set that was written, in seconds.",
  labels: ["set"],
};

/** Measures how long a wave takes. */
export const WAVE_SECONDS: HistogramDefinition = {
  name: "treadle_set_wave_seconds",
  help: "Time from the first apply of a wave until all its objects were ready, in seconds.",
  labels: ["set"],
};

/** The number of objects of sets. */
export const OBJECTS: ObjectGaugeDefinition = {
  name: "treadle_dependents",
  help: "Objects of sets, by step and state: Ready, Pending, Failed, Unknown.",
  labels: ["step", "type"],
};

export const sets: Extension<SetDefinition, SetMemories, object> = defineExtension<SetDefinition, SetMemories>({
  name: "dependent-sets",
  memory: () => new SetMemories(),
  describe: ({ data: { name, kinds } }) => [
    { type: kinds === undefined ? "set of any kinds" : "set", name, kinds: [...(kinds?.values() ?? [])].map(({ kind }) => kind) },
  ],
  counters: [OPERATIONS],
  objectGauges: [OBJECTS],
  histograms: [APPLY_SECONDS, WAVE_SECONDS],
});
