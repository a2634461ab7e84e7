/** The metrics of the process: election, event loop, and those that every program has. */
import { Counter, Gauge, type Registry } from "./prom-client-parts.ts";
import type { ElectionMetrics } from "../leader-election/election.ts";

export interface LoopMetrics {
  /** Counts a block of the event loop, with the step that caused it if that is certain. */
  blocked(ms: number, by: { readonly controller: string; readonly step: string } | undefined): void;
  /** Sets the source of the current lag. */
  watch(lagMs: () => number): void;
}

/** The families of client-go `tools/leaderelection/metrics`, with controller-runtime's names. */
export function electionMetrics(registry: Registry): ElectionMetrics {
  const common = { labelNames: ["name"] as const, registers: [registry] };
  const master = new Gauge({
    name: "leader_election_master_status",
    help: "Whether this process holds the lease of that name: 1 or 0.",
    ...common,
  });
  const slow = new Counter({
    name: "leader_election_slowpath_total",
    help: "Total number of renewals that took more than one request.",
    ...common,
  });
  return {
    leading(name, isLeading) {
      master.set({ name }, isLeading ? 1 : 0);
      slow.inc({ name }, 0);
    },
    slowPath: (name) => slow.inc({ name }),
  };
}

/** The families of the event loop. The lag has prom-client's name, for dashboards of Node programs. */
export function loopMetrics(registry: Registry): LoopMetrics {
  const common = { labelNames: ["controller", "step"] as const, registers: [registry] };
  const blocks = new Counter({
    name: "treadle_event_loop_blocks_total",
    help: "Times that the event loop was blocked, by step if it is known.",
    ...common,
  });
  const seconds = new Counter({
    name: "treadle_event_loop_blocked_seconds_total",
    help: "For how long the event loop was blocked, by step if it is known.",
    ...common,
  });
  let read = (): number => 0;
  const lag: Gauge = new Gauge({
    name: "nodejs_eventloop_lag_seconds",
    help: "By how much the last timer of this process was late.",
    registers: [registry],
    collect: () => lag.set(read() / 1000),
  });
  blocks.inc({ controller: "", step: "" }, 0);
  return {
    blocked(ms, { controller, step } = { controller: "", step: "" }) {
      blocks.inc({ controller, step });
      seconds.inc({ controller, step }, ms / 1000);
    },
    watch: (lagMs) => {
      read = lagMs;
    },
  };
}

/** Makes the family. Returns a function that counts one rejection. */
export function rejectionFamily(registry: Registry): () => void {
  const rejections = new Counter({
    name: "treadle_unhandled_rejections_total",
    help: "Promises of this process that were rejected and that nobody handled.",
    registers: [registry],
  });
  return () => rejections.inc();
}

/** The families that every dashboard of a process needs. prom-client's own set keeps timers and observers forever. */
export function processFamilies(registry: Registry): void {
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
