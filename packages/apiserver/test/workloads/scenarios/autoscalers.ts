/** HorizontalPodAutoscalers without any metrics: their conditions, their limits, and what they cannot read. */
import type { Json } from "../../conformance/session.ts";
import { type Objects, type Scenario, type Stage, template } from "../scenario.ts";

const CPU = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } };

function autoscaler(spec: Json = {}, name = "web"): Json {
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
  return { metadata: { name }, spec: { scaleTargetRef, maxReplicas: 3, metrics: [CPU], ...spec } };
}

async function deploy({ create }: Stage, replicas = 1, pods = template("web")): Promise<void> {
  const spec = { replicas, selector: { matchLabels: { app: "web" } }, template: pods };
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

const REQUESTING = template("web", {
  spec: { containers: [{ name: "main", image: "app:1", resources: { requests: { cpu: "100m", memory: "20Mi" } } }] },
});

/** Reports whether the autoscaler read this use. */
const average =
  (amount: string) =>
  ({ horizontalpodautoscalers: [one] }: Objects): boolean =>
    one?.["status"]?.currentMetrics?.[0]?.resource?.current?.averageValue === amount;

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
  {
    name: "autoscaler follows the use of cpu",
    hasMetrics: true,
    hasEvents: true,
    async run(stage) {
      await deploy(stage, 1, REQUESTING);
      await stage.settle("deployed", runs(1));
      await stage.report({ cpu: "200m" });
      await stage.create("horizontalpodautoscalers", autoscaler({ maxReplicas: 10 }));
      await stage.settle("four times as many", (objects) => runs(4)(objects) && told("AbleToScale", "SucceededRescale")(objects));
      await stage.settle("new pods have no metrics", told("AbleToScale", "ReadyForNewScale"));
      await stage.report({ cpu: "52m" });
      await stage.settle("enough", (objects) => average("52m")(objects));
      await stage.report({ cpu: "10m" });
      await stage.settle("too many, but not yet fewer", told("AbleToScale", "ScaleDownStabilized"));
      await stage.report({ cpu: "500m" });
      await stage.settle("as many as it may", (objects) => told("ScalingLimited", "ScaleUpLimit")(objects) && runs(8)(objects));
    },
  },
  {
    name: "autoscaler follows its behavior",
    hasMetrics: true,
    async run(stage) {
      await deploy(stage, 4, REQUESTING);
      await stage.settle("deployed", runs(4));
      await stage.report({ cpu: "10m", memory: "1Gi" });
      const down = { stabilizationWindowSeconds: 0, policies: [{ type: "Pods", value: 1, periodSeconds: 600 }] };
      const up = { policies: [{ type: "Percent", value: 100, periodSeconds: 600 }], tolerance: "0.5" };
      await stage.create("horizontalpodautoscalers", autoscaler({ maxReplicas: 10, behavior: { scaleDown: down, scaleUp: up } }));
      await stage.settle("one fewer", (objects) => runs(3)(objects) && told("ScalingLimited", "ScaleDownLimit")(objects));
      await stage.settle("no more in this period", told("AbleToScale", "ReadyForNewScale"));
      await stage.report({ cpu: "70m", memory: "1Gi" });
      await stage.settle("tolerated", average("70m"));
      await stage.report({ cpu: "500m", memory: "1Gi" });
      await stage.settle("twice as many", (objects) => runs(6)(objects) || runs(8)(objects));
    },
  },
  {
    name: "autoscaler follows memory and containers",
    hasMetrics: true,
    async run(stage) {
      await deploy(stage, 2, REQUESTING);
      await stage.settle("deployed", runs(2));
      await stage.report({ cpu: "100m", memory: "30Mi" });
      const memory = { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "20Mi" } } };
      const missing = { type: "Resource", resource: { name: "ephemeral-storage", target: { type: "AverageValue", averageValue: "1" } } };
      await stage.create("horizontalpodautoscalers", autoscaler({ maxReplicas: 10, metrics: [memory, missing] }));
      await stage.settle("by memory", (objects) => runs(3)(objects) && told("AbleToScale", "SucceededRescale")(objects));
    },
  },
  {
    name: "autoscaler lacks requests",
    hasMetrics: true,
    async run(stage) {
      await deploy(stage);
      await stage.settle("deployed", runs(1));
      await stage.create("horizontalpodautoscalers", autoscaler());
      await stage.settle("nothing is known", told("ScalingActive", "FailedGetResourceMetric"));
      await stage.report({ cpu: "100m" });
      const lacks = ({ horizontalpodautoscalers: [one] }: Objects): boolean => JSON.stringify(one).includes("missing request");
      await stage.settle("without a request", lacks);
    },
  },
];
