/** The panels of the dashboard. docs/metrics.md explains the metrics. */
import type { MetricFacts } from "./facts.ts";

/** A panel of the dashboard. `JOB` in an expression stands for the selector of the operator. */
export interface Panel {
  readonly title: string;
  /** The unit, in the words of Grafana. */
  readonly unit: "short" | "ops" | "s" | "bytes" | "percentunit";
  /** Whether an operator has its metrics. @defaultValue every operator has */
  readonly when?: (facts: MetricFacts) => boolean;
  /** Expressions with the texts of their legends. */
  readonly queries: readonly (readonly [expression: string, legend: string])[];
}

const CONTROLLER = 'JOB, controller=~"$controller"';
const has =
  (name: string) =>
  ({ ofExtensions }: MetricFacts): boolean =>
    ofExtensions.has(name);

function quantile(metric: string, by: string, selector: string = CONTROLLER): string {
  return `histogram_quantile(0.95, sum by (le, ${by}) (rate(${metric}_bucket{${selector}}[5m])))`;
}

/** All panels, in the order of the dashboard. */
export const PANELS: readonly Panel[] = [
  {
    title: "Objects by Ready",
    unit: "short",
    queries: [[`sum by (controller, status) (treadle_objects{${CONTROLLER}, type="Ready"})`, "{{controller}} {{status}}"]],
  },
  {
    title: "Passes per second by result",
    unit: "ops",
    queries: [[`sum by (controller, result) (rate(controller_runtime_reconcile_total{${CONTROLLER}}[5m]))`, "{{controller}} {{result}}"]],
  },
  {
    title: "Duration of a pass (95th percentile)",
    unit: "s",
    queries: [[quantile("controller_runtime_reconcile_time_seconds", "controller"), "{{controller}}"]],
  },
  {
    title: "Time to the first Ready (95th percentile)",
    unit: "s",
    queries: [[quantile("treadle_object_ready_seconds", "kind"), "{{kind}}"]],
  },
  {
    title: "Waiting keys, and the time that they wait (95th percentile)",
    unit: "short",
    queries: [
      [`sum by (controller) (workqueue_depth{${CONTROLLER}})`, "{{controller}} keys"],
      [quantile("workqueue_queue_duration_seconds", "controller"), "{{controller}} seconds"],
    ],
  },
  {
    title: "Waits per second by reason",
    unit: "ops",
    queries: [[`sum by (controller, reason) (rate(treadle_expected_waits_total{${CONTROLLER}}[5m]))`, "{{controller}} {{reason}}"]],
  },
  {
    title: "Requests per second",
    unit: "ops",
    queries: [["sum by (method, code) (rate(rest_client_requests_total{JOB}[5m]))", "{{method}} {{code}}"]],
  },
  {
    title: "Objects in the caches",
    unit: "short",
    queries: [["max by (kind) (treadle_informer_objects{JOB})", "{{kind}}"]],
  },
  {
    title: "Memory of a pod",
    unit: "bytes",
    queries: [
      ["process_resident_memory_bytes{JOB}", "{{pod}} resident"],
      ["nodejs_heap_size_used_bytes{JOB}", "{{pod}} heap"],
    ],
  },
  {
    title: "Processor of a pod, and delay of its timers",
    unit: "s",
    queries: [
      ["rate(process_cpu_seconds_total{JOB}[5m])", "{{pod}} processor"],
      ["nodejs_eventloop_lag_seconds{JOB}", "{{pod}} delay"],
    ],
  },
  {
    title: "Leading replicas",
    unit: "short",
    when: ({ isElected }) => isElected,
    queries: [["leader_election_master_status{JOB}", "{{pod}} {{name}}"]],
  },
  {
    title: "Reviews per second",
    unit: "ops",
    when: ({ hasWebhooks }) => hasWebhooks,
    queries: [["sum by (webhook, code) (rate(controller_runtime_webhook_requests_total{JOB}[5m]))", "{{webhook}} {{code}}"]],
  },
  {
    title: "Duration of a review (95th percentile)",
    unit: "s",
    when: ({ hasWebhooks }) => hasWebhooks,
    queries: [[quantile("controller_runtime_webhook_latency_seconds", "webhook", "JOB"), "{{webhook}}"]],
  },
  {
    title: "Objects of components created and updated per second",
    unit: "ops",
    when: has("treadle_component_resource_applies_total"),
    queries: [
      [
        `sum by (component, resource, operation) (rate(treadle_component_resource_applies_total{${CONTROLLER}}[5m]))`,
        "{{component}}/{{resource}} {{operation}}",
      ],
    ],
  },
  {
    title: "Failures of components per second",
    unit: "ops",
    when: has("treadle_component_resource_apply_errors_total"),
    queries: [
      [
        `sum by (component, resource, kind) (rate(treadle_component_resource_apply_errors_total{${CONTROLLER}}[5m]))`,
        "{{component}}/{{resource}} {{kind}}",
      ],
    ],
  },
  {
    title: "Objects of sets",
    unit: "short",
    when: has("treadle_dependents"),
    queries: [[`sum by (step, type) (treadle_dependents{${CONTROLLER}})`, "{{step}} {{type}}"]],
  },
  {
    title: "Operations of sets per second",
    unit: "ops",
    when: has("treadle_set_operations_total"),
    queries: [[`sum by (set, operation) (rate(treadle_set_operations_total{${CONTROLLER}}[5m]))`, "{{set}} {{operation}}"]],
  },
  {
    title: "Calls of providers per second",
    unit: "ops",
    when: has("treadle_external_calls_total"),
    queries: [[`sum by (kind, verb, result) (rate(treadle_external_calls_total{${CONTROLLER}}[5m]))`, "{{kind}} {{verb}} {{result}}"]],
  },
  {
    title: "Duration of calls of providers (95th percentile)",
    unit: "s",
    when: has("treadle_external_call_seconds"),
    queries: [[quantile("treadle_external_call_seconds", "kind, verb"), "{{kind}} {{verb}}"]],
  },
  {
    title: "Calls of plugins per second",
    unit: "ops",
    when: ({ hasPlugins }) => hasPlugins,
    queries: [["sum by (plugin, method, code) (rate(treadle_plugin_calls_total{JOB}[5m]))", "{{plugin}} {{method}} {{code}}"]],
  },
  {
    title: "Requests to target clusters per second",
    unit: "ops",
    when: ({ hasTargets }) => hasTargets,
    queries: [["sum by (target) (rate(treadle_requests_total{JOB}[5m]))", "{{target}}"]],
  },
];
