/** How an operator is reached. Pure. */
import type { Operator } from "../operator.ts";
import { type Commented, plain } from "../manifest.ts";

/** Returns the name of the Service of the metrics, which is the label `job` of all series. */
export function metricsService({ name }: Pick<Operator, "name">): string {
  return `${name}-metrics`;
}

/** The Service of the metrics. That of the webhooks is among their manifests. */
export function metricsServiceOf(operator: Operator): readonly Commented[] {
  const { namespace, labels, metrics } = operator;
  if (metrics === undefined) return [];
  return plain([
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: metricsService(operator), namespace, labels: { ...labels, ...METRICS } },
      spec: { selector: labels, ports: [{ name: "metrics", port: metrics.port, targetPort: "metrics", protocol: "TCP" }] },
    },
  ]);
}

/** Distinguishes the Service of the metrics from that of the webhooks. */
export const METRICS = { "app.kubernetes.io/component": "metrics" } as const;

/**
 * Pods of the cluster may reach the metrics, and the API server, whose address is not known, the webhooks. Kubernetes always allows the
 * probes of the kubelet. What the operator itself connects to is not limited, because the address of the API server is not known.
 */
export function networkPolicyOf({ name, namespace, labels, metrics, webhooks }: Operator): readonly Commented[] {
  const ingress = [
    ...(metrics === undefined ? [] : [{ from: [{ namespaceSelector: {} }], ports: [{ protocol: "TCP", port: metrics.port }] }]),
    ...(webhooks?.service === undefined ? [] : [{ ports: [{ protocol: "TCP", port: webhooks.port }] }]),
  ];
  return plain([
    {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name, namespace, labels },
      spec: { podSelector: { matchLabels: labels }, policyTypes: ["Ingress"], ingress },
    },
  ]);
}
