/** The manifests of monitoring: ServiceMonitor, PrometheusRule, and the dashboard as a ConfigMap. Pure. */
import { METRICS, metricsService } from "../objects/network.ts";
import { webhookPartsOf } from "../objects/webhooks.ts";
import type { Operator } from "../operator.ts";
import { type Commented, plain } from "../manifest.ts";
import { alertRules } from "./alerts.ts";
import { dashboardText } from "./dashboard.ts";
import { metricFactsOf } from "./facts.ts";

/** Returns the manifests of monitoring; none for an operator whose metrics cannot be reached. */
export function monitoringOf(operator: Operator): readonly Commented[] {
  const { name, namespace, labels, metrics } = operator;
  if (metrics === undefined) return [];
  const job = metricsService(operator);
  const facts = metricFactsOf(operator, hasConversion(operator));
  const metadata = { name, namespace, labels };
  return plain([
    {
      apiVersion: "monitoring.coreos.com/v1",
      kind: "ServiceMonitor",
      metadata,
      spec: { selector: { matchLabels: { ...labels, ...METRICS } }, endpoints: [endpoint(metrics, `${job}.${namespace}.svc`)] },
    },
    {
      apiVersion: "monitoring.coreos.com/v1",
      kind: "PrometheusRule",
      metadata,
      spec: { groups: [{ name, rules: alertRules(facts, job) }] },
    },
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      // The sidecar of Grafana finds dashboards by this label.
      metadata: { name: `${name}-dashboard`, namespace, labels: { ...labels, grafana_dashboard: "1" } },
      data: { [`${name}.json`]: dashboardText(facts, { name, job }) },
    },
  ]);
}

/** Prometheus connects to the address of a pod, so it must be told for which name the certificate is. */
function endpoint({ isSecure, isAuthorized }: NonNullable<Operator["metrics"]>, serverName: string): object {
  return {
    port: "metrics",
    path: "/metrics",
    ...(isSecure ? { scheme: "https", tlsConfig: { serverName } } : {}),
    ...(isAuthorized ? { bearerTokenFile: "/var/run/secrets/kubernetes.io/serviceaccount/token" } : {}),
  };
}

function hasConversion(operator: Operator): boolean {
  const { crds } = webhookPartsOf(operator);
  const converted = (crd: object): boolean => JSON.stringify(crd).includes('"strategy":"Webhook"');
  return [...crds.values()].some(converted);
}
