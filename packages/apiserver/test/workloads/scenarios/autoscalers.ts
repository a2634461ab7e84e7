/** HorizontalPodAutoscalers without any metrics: their conditions, their limits, and what they cannot read. */
import type { Json } from "../../conformance/session.ts";
import { type Objects, type Scenario, type Stage, template } from "../scenario.ts";

const CPU = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } };

function autoscaler(spec: Json = {}, name = "web"): Json {
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
  return { metadata: { name }, spec: { scaleTargetRef, maxReplicas: 3, metrics: [CPU], ...spec } };
}

async function deploy({ create }: Stage, replicas = 1): Promise<void> {
  const spec = { replicas, selector: { matchLabels: { app: "web" } }, template: template("web") };
  await create("deployments", { metadata: { name: "web" }, spec });
}

/** Reports whether an autoscaler has a condition. */
const told =
  (type: string, reason: string, name = "web") =>
  ({ horizontalpodautoscalers: all }: Objects): boolean => {
    const one = all.find(({ metadata }) => metadata.name === name);
    return ((one?.["status"]?.conditions ?? []) as Json[]).some(
      (condition) => condition["type"] === type && condition["reason"] === reason,
    );
  };

/** Reports whether the Deployment has so many pods. */
const runs =
  (count: number) =>
  ({ deployments: [one] }: Objects): boolean =>
    one?.["status"]?.availableReplicas === count && one["status"].replicas === count;

export const autoscalers: readonly Scenario[] = [
  {
    name: "autoscaler has no metrics",
    hasEvents: true,
    async run(stage) {
      await deploy(stage);
      await stage.settle("deployed", runs(1));
      await stage.create("horizontalpodautoscalers", autoscaler());
      await stage.settle("without metrics", told("ScalingActive", "FailedGetResourceMetric"));
    },
  },
  {
    name: "autoscaler keeps its limits",
    hasEvents: true,
    async run(stage) {
      await deploy(stage);
      await stage.settle("deployed", runs(1));
      await stage.create("horizontalpodautoscalers", autoscaler({ minReplicas: 2 }));
      await stage.settle("as many as it must", (objects) => runs(2)(objects) && told("AbleToScale", "SucceededGetScale")(objects));
      await stage.merge("deployments", "web", { spec: { replicas: 5 } });
      await stage.settle("too many", runs(5));
      await stage.settle("as many as it may", (objects) => runs(3)(objects) && told("AbleToScale", "SucceededGetScale")(objects));
    },
  },
  {
    name: "autoscaler is disabled by a scale of zero",
    hasEvents: true,
    async run(stage) {
      await deploy(stage, 0);
      await stage.create("horizontalpodautoscalers", autoscaler());
      await stage.settle("disabled", told("ScalingActive", "ScalingDisabled"));
      await stage.merge("deployments", "web", { spec: { replicas: 1 } });
      await stage.settle("enabled", told("ScalingActive", "FailedGetResourceMetric"));
    },
  },
  {
    name: "autoscaler finds no target",
    hasEvents: true,
    async run({ create, settle }) {
      await create("horizontalpodautoscalers", autoscaler());
      await create(
        "horizontalpodautoscalers",
        autoscaler({ scaleTargetRef: { apiVersion: "example.com/v1", kind: "Engine", name: "web" } }, "unknown"),
      );
      await create(
        "horizontalpodautoscalers",
        autoscaler({ scaleTargetRef: { apiVersion: "batch/v1", kind: "Job", name: "web" } }, "without"),
      );
      await settle("none", (objects) =>
        ["web", "unknown", "without"].every((name) => told("AbleToScale", "FailedGetScale", name)(objects)),
      );
    },
  },
  {
    name: "autoscaler has other metrics",
    hasEvents: true,
    async run(stage) {
      await deploy(stage);
      await stage.settle("deployed", runs(1));
      const metric = { name: "requests" };
      const target = { type: "AverageValue", averageValue: "10" };
      const scaleTargetRef = { apiVersion: "v1", kind: "ReplicationController", name: "rc" };
      await stage.create("replicationcontrollers", {
        metadata: { name: "rc" },
        spec: { replicas: 1, selector: { app: "rc" }, template: template("rc") },
      });
      const metrics: Readonly<Record<string, Json>> = {
        pods: { type: "Pods", pods: { metric, target } },
        object: { type: "Object", object: { metric, target, describedObject: { apiVersion: "v1", kind: "Service", name: "web" } } },
        value: {
          type: "Object",
          object: { metric, target: { type: "Value", value: "10" }, describedObject: { apiVersion: "v1", kind: "Service", name: "web" } },
        },
        external: { type: "External", external: { metric: { ...metric, selector: { matchLabels: { a: "b" } } }, target } },
        container: { type: "ContainerResource", containerResource: { ...CPU.resource, container: "main" } },
        memory: { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "10Mi" } } },
      };
      await stage.create("horizontalpodautoscalers", autoscaler({ metrics: Object.values(metrics), scaleTargetRef }));
      await stage.settle("without metrics", told("ScalingActive", "FailedGetPodsMetric"));
    },
  },
  {
    name: "autoscalers share their pods",
    async run(stage) {
      await deploy(stage);
      await stage.settle("deployed", runs(1));
      await stage.create("horizontalpodautoscalers", autoscaler({}, "a"));
      await stage.settle("one", told("ScalingActive", "FailedGetResourceMetric", "a"));
      await stage.create("horizontalpodautoscalers", autoscaler({}, "b"));
      await stage.settle("two", (objects) => ["a", "b"].every((name) => told("ScalingActive", "AmbiguousSelector", name)(objects)));
    },
  },
];
