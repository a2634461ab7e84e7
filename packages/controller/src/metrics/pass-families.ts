/** The metrics of passes, with controller-runtime's names. */
import { groupKindOf, type Kind } from "@treadle/apimachinery";
import { Counter, Gauge, Histogram, type Registry } from "./prom-client-parts.ts";
import { type ControllerMetrics, isPanic, isTimeout, labelOf, RESULT_LABELS } from "./controller-metrics.ts";
import { extensionMeasure, type ExtensionFamilies } from "./extension-families.ts";
import { type ObjectFamilies, objectSink } from "./object-families.ts";
import { ObjectMetrics } from "./object-metrics.ts";
import { type QueueFamilies, queueListeners } from "./queue-families.ts";

/** controller-runtime `pkg/internal/controller/metrics`. */
const PASS_BUCKETS: number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5,
  5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
export interface PassFamilies {
  readonly total: Counter<"controller" | "result">;
  readonly errors: Counter<"controller">;
  readonly terminal: Counter<"controller">;
  readonly panics: Counter<"controller">;
  readonly timeouts: Counter<"controller">;
  readonly waits: Counter<"controller" | "kind" | "reason">;
  readonly seconds: Histogram<"controller">;
  readonly workers: Gauge<"controller">;
  /** Passes in progress, read when the gauge is read. */
  readonly active: Map<string, () => number>;
  /** Paused objects, read when the gauge is read. */
  readonly paused: Map<string, () => number>;
}

export function passFamilies(registry: Registry): PassFamilies {
  const common = { labelNames: ["controller"] as const, registers: [registry] };
  const prefix = "controller_runtime";
  const active = new Map<string, () => number>();
  const paused = new Map<string, () => number>();
  const workers = new Gauge<"controller">({
    name: `${prefix}_active_workers`,
    help: "Passes in progress per controller.",
    ...common,
    collect: () => {
      for (const [controller, count] of active) workers.set({ controller }, count());
    },
  });
  const pausedObjects = new Gauge<"controller">({
    name: "treadle_paused_objects",
    help: "Paused objects, as their last pass found them.",
    ...common,
    collect: () => {
      for (const [controller, count] of paused) pausedObjects.set({ controller }, count());
    },
  });
  return {
    total: new Counter({
      name: `${prefix}_reconcile_total`,
      help: "Total number of passes per controller and result.",
      labelNames: ["controller", "result"],
      registers: [registry],
    }),
    errors: new Counter({ name: `${prefix}_reconcile_errors_total`, help: "Total number of failed passes per controller.", ...common }),
    terminal: new Counter({
      name: `${prefix}_terminal_reconcile_errors_total`,
      help: "Total number of passes per controller that failed for good.",
      ...common,
    }),
    panics: new Counter({
      name: `${prefix}_reconcile_panics_total`,
      help: "Total number of programming errors per controller: values thrown that are no errors, TypeErrors and the like.",
      ...common,
    }),
    timeouts: new Counter({
      name: `${prefix}_reconcile_timeouts_total`,
      help: "Total number of passes per controller in which a deadline passed.",
      ...common,
    }),
    waits: new Counter({
      name: "treadle_expected_waits_total",
      help: "Total number of passes per controller that ended with a wait and without an error, by what they wait for.",
      labelNames: ["controller", "kind", "reason"],
      registers: [registry],
    }),
    seconds: new Histogram({ name: `${prefix}_reconcile_time_seconds`, help: "Length of a pass.", buckets: PASS_BUCKETS, ...common }),
    workers: new Gauge({ name: `${prefix}_max_concurrent_reconciles`, help: "Most passes at once per controller.", ...common }),
    active,
    paused,
  };
}

/** The families with series of controllers. */
export interface ControllerFamilies {
  readonly passes: PassFamilies;
  readonly queues: QueueFamilies;
  readonly objects: ObjectFamilies;
  readonly extensions: ExtensionFamilies;
}

/** The metrics of the controller of a kind; its series start at 0. */
export function controllerMetrics(families: ControllerFamilies, name: string, kind: Kind): ControllerMetrics {
  const { passes: pass, queues: queue, objects, extensions } = families;
  const labels = { controller: name };
  const total = Object.fromEntries(RESULT_LABELS.map((result) => [result, pass.total.labels({ ...labels, result })]));
  const [errors, terminal, panics, timeouts] = [pass.errors, pass.terminal, pass.panics, pass.timeouts].map((family) =>
    family.labels(labels),
  );
  for (const counter of [...Object.values(total), errors, terminal, panics, timeouts]) counter?.inc(0);
  const waited = waitCounter(pass.waits, { ...labels, kind: groupKindOf(kind) });
  pass.seconds.zero(labels);
  const seconds = pass.seconds.labels(labels);
  let running = 0;
  pass.active.set(name, () => running);
  return {
    queue: queueListeners(queue, name),
    watch(status, concurrency) {
      queue.sources.set(name, status);
      pass.workers.set(labels, concurrency);
    },
    watchPaused: (count) => void pass.paused.set(name, count),
    objects({ types, clock, ...of }) {
      const measured = new ObjectMetrics({ types, clock, sink: objectSink(objects, name, of) });
      objects.counts.set(name, () => measured.counts());
      return measured;
    },
    measures: (metrics) => extensionMeasure(extensions, name, metrics),
    active: (change) => {
      running += change;
    },
    passed(result, durationMs) {
      total[labelOf(result)]?.inc();
      seconds.observe(durationMs / 1000);
      if (result.waitReason !== undefined) waited(result.waitReason);
      if (result.error === undefined) return;
      errors?.inc();
      if (result.isTerminal) terminal?.inc();
      if (isTimeout(result.error)) timeouts?.inc();
      if (isPanic(result.error)) panics?.inc();
    },
    panicked: () => panics?.inc(),
  };
}

/** Counts waits by their reasons. The author of a step chooses the reasons, so their number is limited. */
function waitCounter(
  waits: PassFamilies["waits"],
  labels: { readonly controller: string; readonly kind: string },
): (reason: string) => void {
  const known = new Map([["Waiting", waits.labels({ ...labels, reason: "Waiting" })]]);
  known.get("Waiting")?.inc(0);
  return (given) => {
    const reason = known.has(given) || known.size < MAX_WAIT_REASONS ? given : "Other";
    let counter = known.get(reason);
    if (counter === undefined) known.set(reason, (counter = waits.labels({ ...labels, reason })));
    counter.inc();
  };
}

/** Each reason is a series of every controller; a handler has a few reasons. */
const MAX_WAIT_REASONS = 50;
