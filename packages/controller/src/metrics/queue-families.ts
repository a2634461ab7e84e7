/** The metrics of work queues, with client-go's names and controller-runtime's labels. */
import type { QueueListeners, QueueStatus } from "@treadle/workqueue";
import { Counter, Gauge, Histogram, type Registry } from "./prom-client-parts.ts";

/** client-go `workqueue`: 12 buckets from 10 ns, each ten times the one before. */
const QUEUE_BUCKETS: number[] = Array.from({ length: 12 }, (_, i) => 10 ** (i - 8));
/** controller-runtime's limit of distinct values of the label `priority`. */
const MAX_PRIORITIES = 25;

type QueueLabel = "name" | "controller";

export interface QueueFamilies {
  /** Keys that are queued, by priority, read when the gauge is read. */
  readonly depths: Map<string, ReadonlyMap<number, number>>;
  readonly adds: Counter<QueueLabel>;
  readonly waited: Histogram<QueueLabel>;
  readonly worked: Histogram<QueueLabel>;
  readonly retries: Counter<QueueLabel>;
  /** Read when the gauges of running work are read. */
  readonly sources: Map<string, () => QueueStatus>;
}

export function queueFamilies(registry: Registry): QueueFamilies {
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

/** The metrics of the queue of one controller; its series start at 0. */
export function queueListeners(queue: QueueFamilies, name: string): QueueListeners {
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
    onAdded: () => adds.inc(),
    onDepth: (priority, keys) => void depths.set(priority, keys),
    onRetried: () => retries.inc(),
    onStarted: (_, waitedMs) => waited.observe(waitedMs / 1000),
    onFinished: (_, workedMs) => worked.observe(workedMs / 1000),
  };
}
