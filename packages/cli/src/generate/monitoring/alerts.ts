/** The alerts of an operator: those for the metrics that it has. docs/metrics.md explains the metrics. */
import { COMPONENT_ALERTS } from "./component-alerts.ts";
import { type MetricFacts, ofJob } from "./facts.ts";

/** An alert. `JOB` in its expression stands for the selector of the operator. */
export interface Alert {
  readonly name: string;
  /** Whether an operator has its metrics. @defaultValue every operator has */
  readonly when?: (facts: MetricFacts) => boolean;
  readonly expr: string;
  /** How long the expression holds before the alert fires. @defaultValue it fires at once */
  readonly for?: string;
  readonly severity: "warning" | "critical";
  readonly summary: string;
  /** What a person does. */
  readonly action: string;
}

/** Returns the rules of an operator, as Prometheus has them. */
export function alertRules(facts: MetricFacts, job: string): readonly object[] {
  return ALERTS.filter(({ when }) => when === undefined || when(facts)).map(({ name, expr, severity, summary, action, ...given }) => ({
    alert: name,
    expr: ofJob(expr, job),
    ...(given.for === undefined ? {} : { for: given.for }),
    labels: { severity },
    annotations: { summary, action },
  }));
}

/** All alerts. Each is sent for one problem, and says what to look at. */
export const ALERTS: readonly Alert[] = [
  {
    name: "TreadleOperatorAbsent",
    expr: "absent(controller_runtime_max_concurrent_reconciles{JOB})",
    for: "5m",
    severity: "critical",
    summary: "The operator does not run, or its metrics are not read",
    action: "kubectl get and describe its pods. If they run, look at the targets of Prometheus.",
  },
  {
    name: "TreadleObjectsNotReady",
    expr: 'sum by (namespace, controller, status) (treadle_objects{JOB, type="Ready", status!="True"}) > 0',
    for: "30m",
    severity: "warning",
    summary: "{{ $value }} objects of {{ $labels.controller }} are not Ready ({{ $labels.status }}) for 30 minutes",
    action: "treadle explain KIND/NAME tells the cause.",
  },
  {
    name: "TreadlePassesFail",
    expr:
      "sum by (namespace, controller) (rate(controller_runtime_reconcile_errors_total{JOB}[10m])) > 0.5 * " +
      "sum by (namespace, controller) (rate(controller_runtime_reconcile_total{JOB}[10m]))",
    for: "15m",
    severity: "warning",
    summary: "Most passes of {{ $labels.controller }} fail",
    action: "The log names object, step and error.",
  },
  {
    name: "TreadlePassGivenUp",
    expr: "sum by (namespace, controller) (increase(controller_runtime_terminal_reconcile_errors_total{JOB}[15m])) > 0",
    severity: "warning",
    summary: "{{ $labels.controller }} does not retry a failure of an object",
    action: "Fix the object that the log names.",
  },
  {
    name: "TreadlePanic",
    expr: "sum by (namespace, controller) (increase(controller_runtime_reconcile_panics_total{JOB}[15m])) > 0",
    severity: "critical",
    summary: "A programming error in {{ $labels.controller }}",
    action: "The log has its stack.",
  },
  {
    name: "TreadlePassTimeout",
    expr: "sum by (namespace, controller) (increase(controller_runtime_reconcile_timeouts_total{JOB}[15m])) > 0",
    for: "15m",
    severity: "warning",
    summary: "Passes of {{ $labels.controller }} miss their deadline",
    action: "The log names the step. Pass req.signal on, or raise timeoutMs.",
  },
  {
    name: "TreadlePassHangs",
    expr: "max by (namespace, name) (workqueue_longest_running_processor_seconds{JOB}) > 120",
    for: "5m",
    severity: "warning",
    summary: "A pass of {{ $labels.name }} runs for more than two minutes",
    action: "A step ignores its deadline. /debug/queues names the object.",
  },
  {
    name: "TreadleQueueGrows",
    expr: "sum by (namespace, name) (workqueue_depth{JOB}) > 100 and sum by (namespace, name) (delta(workqueue_depth{JOB}[15m])) > 0",
    for: "15m",
    severity: "warning",
    summary: "{{ $value }} objects wait for a pass of {{ $labels.name }}",
    action: "Passes are too slow, or too few run at once: raise concurrency.",
  },
  {
    name: "TreadleCacheNotSynced",
    expr: "min by (namespace, pod, kind) (treadle_informer_synced{JOB}) == 0",
    for: "10m",
    severity: "warning",
    summary: "The list of {{ $labels.kind }} is not complete for 10 minutes",
    action: "A right or the CRD is missing. The log names it.",
  },
  {
    name: "TreadleWatchFails",
    expr: "max by (namespace, pod, kind) (treadle_informer_failing{JOB}) == 1",
    for: "10m",
    severity: "warning",
    summary: "The watch of {{ $labels.kind }} fails",
    action: "The log has the reason.",
  },
  {
    name: "TreadleRequestsForbidden",
    expr: 'sum by (namespace, method) (increase(rest_client_requests_total{JOB, code="403"}[15m])) > 0',
    for: "15m",
    severity: "warning",
    summary: "The API server refuses requests of the operator ({{ $labels.method }})",
    action: "Apply the generated rights of this version. The log names the request.",
  },
  {
    name: "TreadleEventsFail",
    expr: 'sum by (namespace) (increase(treadle_events_total{JOB, result="failed"}[15m])) > 0',
    for: "15m",
    severity: "warning",
    summary: "Events cannot be written",
    action: "The right is missing: see the log.",
  },
  {
    name: "TreadleEventLoopBlocked",
    expr: "sum by (namespace, controller, step) (increase(treadle_event_loop_blocked_seconds_total{JOB}[15m])) > 5",
    severity: "warning",
    summary: "Step {{ $labels.step }} of {{ $labels.controller }} blocks the process",
    action: "Yield in that step, or use a worker thread.",
  },
  {
    name: "TreadleNoLeader",
    when: ({ isElected }) => isElected,
    expr: "sum by (namespace, name) (leader_election_master_status{JOB}) != 1",
    for: "5m",
    severity: "critical",
    summary: "{{ $value }} replicas lead by the lease {{ $labels.name }}",
    action: "kubectl describe the Lease, and look at the logs of the pods.",
  },
  {
    name: "TreadleCertificateUnreadable",
    when: ({ hasCertificate }) => hasCertificate,
    expr: "sum by (namespace, pod) (increase(certwatcher_read_certificate_errors_total{JOB}[15m])) > 0",
    severity: "warning",
    summary: "A serving certificate cannot be read",
    action: "The files or the Secret are missing, or do not belong together.",
  },
  {
    name: "TreadleWebhookFails",
    when: ({ hasWebhooks }) => hasWebhooks,
    expr: 'sum by (namespace, webhook, code) (increase(controller_runtime_webhook_requests_total{JOB, code!="200"}[15m])) > 0',
    for: "5m",
    severity: "critical",
    summary: "Reviews of {{ $labels.webhook }} end with {{ $labels.code }}, so requests of users fail",
    action: "The log has the error. docs/metrics.md lists the codes.",
  },
  {
    name: "TreadleWebhookPanic",
    when: ({ hasWebhooks }) => hasWebhooks,
    expr: "sum by (namespace) (increase(controller_runtime_webhook_panics_total{JOB}[15m])) > 0",
    severity: "critical",
    summary: "A programming error in a webhook",
    action: "The log has its stack.",
  },
  {
    name: "TreadleConversionPanic",
    when: ({ hasConversion }) => hasConversion,
    expr: "sum by (namespace) (increase(controller_runtime_conversion_webhook_panics_total{JOB}[15m])) > 0",
    severity: "critical",
    summary: "A programming error in a conversion, which stops every list of its kind",
    action: "Fix it at once. The log has its stack.",
  },
  ...COMPONENT_ALERTS,
  {
    name: "TreadleDependentsFailed",
    when: ({ ofExtensions }) => ofExtensions.has("treadle_dependents"),
    expr: 'sum by (namespace, controller, step) (treadle_dependents{JOB, type="Failed"}) > 0',
    for: "15m",
    severity: "warning",
    summary: "{{ $value }} objects of step {{ $labels.step }} of {{ $labels.controller }} failed",
    action: "The condition of the owner names the object.",
  },
  {
    name: "TreadleExternalCallsFail",
    when: ({ ofExtensions }) => ofExtensions.has("treadle_external_calls_total"),
    expr: 'sum by (namespace, controller, kind, verb) (increase(treadle_external_calls_total{JOB, result="error"}[15m])) > 3',
    for: "15m",
    severity: "warning",
    summary: "The provider refuses {{ $labels.verb }} of {{ $labels.kind }}",
    action: "The events of the objects quote the provider.",
  },
  {
    name: "TreadlePluginNotReady",
    when: ({ hasPlugins }) => hasPlugins,
    expr: 'max by (namespace, plugin) (treadle_plugin_state{JOB, state="Ready"}) == 0',
    for: "10m",
    severity: "warning",
    summary: "Plugin {{ $labels.plugin }} is not ready",
    action: "The condition PluginReady of the owners has the message.",
  },
];
