/** HorizontalPodAutoscalers in both versions, and tables of kinds of the control plane. */
import type { Json, Scenario } from "../session.ts";
import { sampleBody } from "./builtin-objects.ts";
import { MACHINERY_SAMPLES } from "./machinery-objects.ts";

const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
const selector = { matchLabels: { a: "b" } };
const behavior = { scaleUp: { stabilizationWindowSeconds: 5, policies: [{ type: "Pods", value: 1, periodSeconds: 15 }] } };
const metrics = [
  { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
  { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } } },
  { type: "Pods", pods: { metric: { name: "m", selector }, target: { type: "AverageValue", averageValue: "5" } } },
  { type: "Object", object: { describedObject: scaleTargetRef, metric: { name: "m" }, target: { type: "Value", value: "10k" } } },
  { type: "External", external: { metric: { name: "m", selector }, target: { type: "AverageValue", averageValue: "5" } } },
  { type: "ContainerResource", containerResource: { name: "cpu", container: "c", target: { type: "Utilization", averageUtilization: 5 } } },
];
const status = {
  currentReplicas: 1,
  desiredReplicas: 2,
  currentMetrics: [
    { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 50, averageValue: "1" } } },
    { type: "Pods", pods: { metric: { name: "m" }, current: { averageValue: "5" } } },
  ],
  conditions: [{ type: "AbleToScale", status: "True", lastTransitionTime: "2001-02-03T04:05:06Z", reason: "R", message: "m" }],
};

/** Each object is written in one version and read in the other. */
const OBJECTS: Readonly<Record<string, readonly [version: "v1" | "v2", spec: Json]>> = {
  "v1 with a percentage": ["v1", { maxReplicas: 3, targetCPUUtilizationPercentage: 40 }],
  "v1 without one": ["v1", { maxReplicas: 3, minReplicas: 2 }],
  "v2 with all metrics": ["v2", { maxReplicas: 3, metrics, behavior }],
  "v2 without cpu": ["v2", { maxReplicas: 3, metrics: metrics.slice(1, 2) }],
};

export const autoscalers: readonly Scenario[] = [
  ...Object.entries(OBJECTS).map(
    ([name, [version, spec]]): Scenario => ({
      name: `autoscalers: ${name}`,
      run: async ({ namespace, send }) => {
        const path = (of: string): string => `/apis/autoscaling/${of}/namespaces/${namespace}/horizontalpodautoscalers`;
        const other = version === "v1" ? "v2" : "v1";
        const metadata = { name: "a", annotations: { own: "x" } };
        await send("create", "POST", path(version), { body: { metadata, spec: { scaleTargetRef, ...spec } } });
        await send("read in the other version", "GET", `${path(other)}/a`);
        await send("status in v2", "PATCH", `${path("v2")}/a/status`, {
          body: { status },
          headers: { "content-type": "application/merge-patch+json" },
        });
        const seen = await send("read in v1", "GET", `${path("v1")}/a`);
        await send("written back in v1", "PUT", `${path("v1")}/a`, { body: { ...seen, spec: { ...seen["spec"], maxReplicas: 9 } } });
        await send("read in v2", "GET", `${path("v2")}/a`);
        await send("refused in v1", "PATCH", `${path("v1")}/a`, {
          body: { spec: { maxReplicas: 0 } },
          headers: { "content-type": "application/merge-patch+json" },
        });
        await send("applied in v1", "PATCH", `${path("v1")}/a`, {
          query: "fieldManager=one&force=true",
          body: {
            apiVersion: "autoscaling/v1",
            kind: "HorizontalPodAutoscaler",
            metadata: { name: "a" },
            spec: { maxReplicas: 7, scaleTargetRef },
          },
          headers: { "content-type": "application/apply-patch+yaml" },
        });
        await send("as a table", "GET", `${path("v1")}/a`, { headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } });
      },
    }),
  ),
  {
    name: "tables of what a cluster is made of",
    run: async ({ namespace, send, quietly }) => {
      for (const [kind, { apiVersion, plural, isClusterWide, objects }] of Object.entries(MACHINERY_SAMPLES)) {
        const path = `/apis/${apiVersion}/${isClusterWide === true ? "" : `namespaces/${namespace}/`}${plural}`;
        for (const [label, object] of Object.entries(objects)) {
          await quietly("POST", path, { body: sampleBody(kind, apiVersion, `${namespace}-t-${label}`, object) });
          const one = `${path}/${namespace}-t-${label}`;
          await send(`${kind}, ${label}`, "GET", one, { headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } });
          await quietly("DELETE", one);
        }
      }
    },
  },
];
