import { expect, test } from "vitest";
import { autoscalerFromV1, autoscalerToV1 } from "./autoscaler-versions.ts";

const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
const cpu = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } };
const memory = { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } } };
const external = { type: "External", external: { metric: { name: "m" }, target: { type: "Value", value: "5" } } };
const behavior = { scaleUp: { selectPolicy: "Max", policies: [{ type: "Pods", value: 1, periodSeconds: 15 }] } };
const status = {
  desiredReplicas: 2,
  currentMetrics: [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: 40, averageValue: "1" } } }],
  conditions: [{ type: "AbleToScale", status: "True" }],
};

test("fields that v1 does not have are converted to annotations and back", () => {
  const metadata = { name: "a", annotations: { own: "x" } };
  const stored = { metadata, spec: { scaleTargetRef, maxReplicas: 3, metrics: [memory, external, cpu], behavior }, status };
  const shown = autoscalerToV1(stored);
  expect(shown["spec"]).toEqual({ scaleTargetRef, maxReplicas: 3, targetCPUUtilizationPercentage: 50 });
  expect(shown["status"]).toEqual({ currentReplicas: 0, desiredReplicas: 2, currentCPUUtilizationPercentage: 40 });
  expect(autoscalerFromV1(shown)).toEqual(stored);
});

test("an autoscaler without metrics uses cpu at 80 percent", () => {
  const spec = { scaleTargetRef, maxReplicas: 3 };
  const metrics = [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } }];
  expect(autoscalerFromV1({ metadata: { name: "a" }, spec })).toEqual({ metadata: { name: "a" }, spec: { ...spec, metrics } });
});

test.for(["no json", "null", '{"a":1}', "[1,null]"])("an annotation that is %s is ignored", (text) => {
  const names = ["metrics", "current-metrics", "conditions", "behavior"];
  const annotations = Object.fromEntries(names.map((name) => [`autoscaling.alpha.kubernetes.io/${name}`, text]));
  const read = autoscalerFromV1({
    metadata: { name: "a", annotations },
    spec: { maxReplicas: 1, targetCPUUtilizationPercentage: 50 },
    status: {},
  });
  expect(read).toMatchObject({ metadata: { name: "a" }, spec: { metrics: [cpu] }, status: { currentMetrics: null } });
});
