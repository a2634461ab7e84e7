/**
 * Metrics by prom-client, with controller-runtime's names (its dashboards and alerts work unchanged), in a registry of
 * the manager's own. Every series of a controller exists from the start, so that `absent()` means that it is down.
 */
import type { Exchange } from "@treadle/client";
import type { QueueObserver, QueueStatus } from "@treadle/workqueue";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { type ControllerMetrics, isPanic, isTimeout, labelOf, RESULT_LABELS } from "./controller-metrics.ts";

/** controller-runtime `pkg/internal/controller/metrics`. */
const PASS_BUCKETS: number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5,
  5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
/** client-go `workqueue`: 12 buckets from 10 ns, each ten times the one before. */
const QUEUE_BUCKETS: number[] = Array.from({ length: 12 }, (_, i) => 10 ** (i - 8));
/** controller-runtime's limit of distinct values of the label `priority`. */
const MAX_PRIORITIES = 25;

export interface ManagerMetrics {
  readonly registry: Registry;
  controller(name: string): ControllerMetrics;
  exchanged(exchange: Exchange): void;
  rejectionUnhandled(): void;
}

export function createPrometheus(): ManagerMetrics {
  const registry = new Registry();
  const families = {
    pass: passFamilies(registry),
    queue: queueFamilies(registry),
    requests: new Counter({
      name: "rest_client_requests_total",
      help: "Number of HTTP requests, by status code, method and host.",
      labelNames: ["code", "method", "host"],
      registers: [registry],
    }),
    rejections: new Counter({
      name: "treadle_unhandled_rejections_total",
      help: "Promises of this process that were rejected and that nobody handled.",
      registers: [registry],
    }),
  };
  processFamilies(registry);
  return {
    registry,
    controller: (name) => controllerMetrics(families.pass, families.queue, name),
    exchanged: ({ status, method, server }) =>
      families.requests.inc({ code: status === undefined ? "<error>" : String(status), method, host: hostOf(server) }),
    rejectionUnhandled: () => families.rejections.inc(),
  };
}

interface PassFamilies {
  readonly total: Counter<"controller" | "result">;
  readonly errors: Counter<"controller">;
  readonly terminal: Counter<"controller">;
  readonly panics: Counter<"controller">;
  readonly timeouts: Counter<"controller">;
  readonly seconds: Histogram<"controller">;
  readonly workers: Gauge<"controller">;
  /** Passes in progress; asked when the gauge is read. */
  readonly active: Map<string, () => number>;
}

function passFamilies(registry: Registry): PassFamilies {
  const common = { labelNames: ["controller"] as const, registers: [registry] };
  const prefix = "controller_runtime";
  const active = new Map<string, () => number>();
  const workers = new Gauge<"controller">({
    name: `${prefix}_active_workers`,
    help: "Passes in progress per controller.",
    ...common,
    collect: () => {
      for (const [controller, count] of active) workers.set({ controller }, count());
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
    seconds: new Histogram({ name: `${prefix}_reconcile_time_seconds`, help: "Length of a pass.", buckets: PASS_BUCKETS, ...common }),
    workers: new Gauge({ name: `${prefix}_max_concurrent_reconciles`, help: "Most passes at once per controller.", ...common }),
    active,
  };
}

type QueueLabel = "name" | "controller";

interface QueueFamilies {
  /** Keys that wait, by priority; asked when the gauge is read. */
  readonly depths: Map<string, ReadonlyMap<number, number>>;
  readonly adds: Counter<QueueLabel>;
  readonly waited: Histogram<QueueLabel>;
  readonly worked: Histogram<QueueLabel>;
  readonly retries: Counter<QueueLabel>;
  /** Asked when the gauges of running work are read. */
  readonly sources: Map<string, () => QueueStatus>;
}

function queueFamilies(registry: Registry): QueueFamilies {
  const common = { labelNames: ["name", "controller"] as const, registers: [registry] };
  const sources = new Map<string, () => QueueStatus>();
  const running = (name: string, help: string, read: (status: QueueStatus) => number): void => {
    const gauge = new Gauge<QueueLabel>({
      name,
      help,
      ...common,
      collect: () => {
        for (const [controller, status] of sources) gauge.set({ name: controller, controller }, read(status()));
      },
    });
  };
  running("workqueue_unfinished_work_seconds", "How long passes in progress have been running, added up.", (s) => s.unfinishedMs / 1000);
  running("workqueue_longest_running_processor_seconds", "How long the longest pass has been running.", (s) => s.longestRunningMs / 1000);
  return {
    depths: depthFamily(registry),
    adds: new Counter({ name: "workqueue_adds_total", help: "Total number of keys added.", ...common }),
    waited: new Histogram({
      name: "workqueue_queue_duration_seconds",
      help: "How long a key waits before its pass.",
      buckets: QUEUE_BUCKETS,
      ...common,
    }),
    worked: new Histogram({
      name: "workqueue_work_duration_seconds",
      help: "How long a key is held.",
      buckets: QUEUE_BUCKETS,
      ...common,
    }),
    retries: new Counter({ name: "workqueue_retries_total", help: "Total number of keys added with a delay.", ...common }),
    sources,
  };
}

function depthFamily(registry: Registry): Map<string, ReadonlyMap<number, number>> {
  const families = new Map<string, ReadonlyMap<number, number>>();
  const gauge = new Gauge<QueueLabel | "priority">({
    name: "workqueue_depth",
    help: "Current depth of the queue, by priority.",
    labelNames: ["name", "controller", "priority"],
    registers: [registry],
    collect: () => {
      for (const [controller, depths] of families) {
        let others = 0;
        for (const [i, [priority, keys]] of [...depths].entries()) {
          if (i < MAX_PRIORITIES) gauge.set({ name: controller, controller, priority: String(priority) }, keys);
          else others += keys;
        }
        if (depths.size > MAX_PRIORITIES) gauge.set({ name: controller, controller, priority: "exceeded_cardinality_limit" }, others);
      }
    },
  });
  return families;
}

function controllerMetrics(pass: PassFamilies, queue: QueueFamilies, name: string): ControllerMetrics {
  const labels = { controller: name };
  const total = Object.fromEntries(RESULT_LABELS.map((result) => [result, pass.total.labels({ ...labels, result })]));
  const [errors, terminal, panics, timeouts] = [pass.errors, pass.terminal, pass.panics, pass.timeouts].map((family) =>
    family.labels(labels),
  );
  for (const counter of [...Object.values(total), errors, terminal, panics, timeouts]) counter?.inc(0);
  pass.seconds.zero(labels);
  const seconds = pass.seconds.labels(labels);
  let running = 0;
  pass.active.set(name, () => running);
  return {
    queue: queueObserver(queue, name),
    watch(status, concurrency) {
      queue.sources.set(name, status);
      pass.workers.set(labels, concurrency);
    },
    active: (change) => {
      running += change;
    },
    passed(result, durationMs) {
      total[labelOf(result)]?.inc();
      seconds.observe(durationMs / 1000);
      if (result.error === undefined) return;
      errors?.inc();
      if (result.isTerminal) terminal?.inc();
      if (isTimeout(result.error)) timeouts?.inc();
      if (isPanic(result.error)) panics?.inc();
    },
    panicked: () => panics?.inc(),
  };
}

function queueObserver(queue: QueueFamilies, name: string): QueueObserver {
  const labels = { name, controller: name };
  queue.waited.zero(labels);
  queue.worked.zero(labels);
  const adds = queue.adds.labels(labels);
  const retries = queue.retries.labels(labels);
  const waited = queue.waited.labels(labels);
  const worked = queue.worked.labels(labels);
  adds.inc(0);
  retries.inc(0);
  const depths = new Map<number, number>([[0, 0]]);
  queue.depths.set(name, depths);
  return {
    added: () => adds.inc(),
    depth: (priority, keys) => void depths.set(priority, keys),
    retried: () => retries.inc(),
    started: (_, waitedMs) => waited.observe(waitedMs / 1000),
    finished: (_, workedMs) => worked.observe(workedMs / 1000),
  };
}

/** What every dashboard asks of a process. prom-client's own set keeps timers and observers alive for ever. */
function processFamilies(registry: Registry): void {
  const startedAt = Date.now() / 1000 - process.uptime();
  const gauge = (name: string, help: string, read: () => number): void => {
    const made: Gauge = new Gauge({ name, help, registers: [registry], collect: () => made.set(read()) });
  };
  gauge("process_start_time_seconds", "When the process started, in seconds since the epoch.", () => startedAt);
  gauge("process_resident_memory_bytes", "Resident memory.", () => process.memoryUsage.rss());
  gauge("nodejs_heap_size_used_bytes", "Used heap.", () => process.memoryUsage().heapUsed);
  let countedSeconds = 0;
  const cpu: Counter = new Counter({
    name: "process_cpu_seconds_total",
    help: "Processor time used, user and system.",
    registers: [registry],
    collect: () => {
      const { user, system } = process.cpuUsage();
      const seconds = (user + system) / 1e6;
      cpu.inc(seconds - countedSeconds);
      countedSeconds = seconds;
    },
  });
}

function hostOf(server: string | undefined): string {
  if (server === undefined) return "";
  return URL.canParse(server) ? new URL(server).host : server;
}
