/** The alerts for components. A test compares them with docs/monitoring/components-alerts.yaml. */
import type { Alert } from "./alert.ts";
import type { MetricFacts } from "./facts.ts";

const hasComponents = ({ ofExtensions }: MetricFacts): boolean => ofExtensions.has("treadle_component_resource_applies_total");

/** Alerts for components. */
export const COMPONENT_ALERTS: readonly Alert[] = [
  {
    name: "TreadleComponentNotReady",
    when: hasComponents,
    expr: 'sum by (controller, type) (treadle_objects{JOB, type!="Ready", status="False"}) > 0',
    for: "30m",
    severity: "warning",
    summary: "{{ $value }} objects of {{ $labels.controller }} have {{ $labels.type }} False for 30 minutes",
    action: "kubectl get the objects, and read the message of the condition. /debug/object shows the resources of one object.",
  },
  {
    name: "TreadleComponentUnknown",
    when: hasComponents,
    expr: 'sum by (controller, type) (treadle_objects{JOB, status="Unknown"}) > 0',
    for: "15m",
    severity: "warning",
    summary: "{{ $value }} objects of {{ $labels.controller }} have {{ $labels.type }} Unknown for 15 minutes",
    action: "An earlier step waits or fails: the message of Ready names it.",
  },
  {
    name: "TreadleComponentStuck",
    when: (facts) => hasComponents(facts) && facts.hasConditions,
    expr: '(time() - treadle_controller_condition{JOB, status="False"}) > 21600',
    severity: "warning",
    summary: "{{ $labels.condition }} of {{ $labels.kind }} {{ $labels.id }} is False for 6 hours ({{ $labels.reason }})",
    action: "Components without graceMs never become Degraded. Read the message of the condition.",
  },
  {
    name: "TreadleResourceNotConverging",
    when: hasComponents,
    expr:
      'sum by (controller, component, resource, kind) (increase(treadle_component_resource_applies_total{JOB, operation="updated"}[15m])) > 15\n' +
      "and on (controller)\n" +
      'sum by (controller) (increase(treadle_component_resource_applies_total{JOB, operation="updated"}[15m]))\n' +
      "  > 0.5 * sum by (controller) (increase(controller_runtime_reconcile_total{JOB}[15m]))\n",
    for: "15m",
    severity: "warning",
    summary: "{{ $labels.kind }} {{ $labels.resource }} of component {{ $labels.component }} is updated again and again",
    action: "The log of the operator names the field that differs after each write.",
  },
  {
    name: "TreadleResourceApplyFailing",
    when: hasComponents,
    expr: "sum by (controller, component, resource, kind) (increase(treadle_component_resource_apply_errors_total{JOB}[15m])) > 0",
    for: "15m",
    severity: "warning",
    summary: "{{ $labels.kind }} {{ $labels.resource }} of component {{ $labels.component }} cannot be applied",
    action: "The condition of the component is False with the reason Error, and its message is the error of the server.",
  },
];
