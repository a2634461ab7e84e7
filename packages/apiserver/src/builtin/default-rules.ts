/** Defaults that depend on other fields (pkg/apis/.../defaults.go of Kubernetes), by definition. */
import { cloneJson, isObject, type JsonObject } from "../internal/json.ts";
import { listAt, objectAt } from "../internal/read.ts";
import { completeAutoscalerV1 } from "./autoscaler-versions.ts";

export const RULES: Readonly<Record<string, (struct: JsonObject) => void>> = {
  "core.v1.Container": setPullPolicy,
  "core.v1.EphemeralContainer": setPullPolicy,
  "core.v1.Volume": setVolumeSource,
  "core.v1.PodSpec": nameServiceAccount,
  "core.v1.Pod": completePod,
  "core.v1.ServiceSpec": completeService,
  "core.v1.Service": completeAddresses,
  "core.v1.NodeStatus": (status) => {
    if (isObject(status["capacity"])) status["allocatable"] ??= cloneJson(status["capacity"]);
  },
  "core.v1.LimitRangeItem": completeLimits,
  "core.v1.ReplicationController": completeReplicationController,
  "apps.v1.DeploymentStrategy": (strategy) => {
    if (strategy["type"] === "RollingUpdate")
      strategy["rollingUpdate"] = { maxUnavailable: "25%", maxSurge: "25%", ...objectAt(strategy, "rollingUpdate") };
  },
  "apps.v1.DaemonSetUpdateStrategy": (strategy) => {
    if (strategy["type"] === "RollingUpdate")
      strategy["rollingUpdate"] = { maxUnavailable: 1, maxSurge: 0, ...objectAt(strategy, "rollingUpdate") };
  },
  "apps.v1.StatefulSetUpdateStrategy": (strategy) => {
    if (strategy["type"] === undefined) {
      strategy["type"] = "RollingUpdate";
      strategy["rollingUpdate"] ??= {};
    }
    if (strategy["type"] === "RollingUpdate" && isObject(strategy["rollingUpdate"]))
      strategy["rollingUpdate"] = { partition: 0, ...strategy["rollingUpdate"] };
  },
  "apps.v1.StatefulSetSpec": (spec) => {
    for (const claim of listAt(spec, "volumeClaimTemplates")) Object.assign(claim, { apiVersion: "v1", kind: "PersistentVolumeClaim" });
  },
  "batch.v1.Job": completeJob,
  "autoscaling.v1.HorizontalPodAutoscaler": completeAutoscalerV1,
  "autoscaling.v2.HorizontalPodAutoscalerSpec": completeAutoscaler,
  "networking.v1.NetworkPolicySpec": (spec) => {
    const hasEgress = listAt(spec, "egress").length > 0;
    const types = spec["policyTypes"];
    if (!Array.isArray(types) || types.length === 0) spec["policyTypes"] = hasEgress ? ["Ingress", "Egress"] : ["Ingress"];
  },
  "resource.v1.ExactDeviceRequest": countDevices,
  "resource.v1.DeviceSubRequest": countDevices,
  "rbac.v1.Subject": (subject) => {
    if (!subject["apiGroup"] && (subject["kind"] === "User" || subject["kind"] === "Group"))
      subject["apiGroup"] = "rbac.authorization.k8s.io";
  },
};

function countDevices(request: JsonObject): void {
  if (request["allocationMode"] === "ExactCount") request["count"] ||= 1;
}

function setPullPolicy(container: JsonObject): void {
  container["imagePullPolicy"] ??= pullPolicy(container["image"]);
}

/** Returns the default pull policy. An image without tag and digest is the latest one. */
function pullPolicy(image: unknown): string {
  const [name = "", digest] = String(image ?? "").split("@");
  // An invalid image has no tag.
  if (!/^[\w.:/-]+$/.test(name)) return "IfNotPresent";
  const tag = /:([^/:]+)$/.exec(name)?.[1];
  return tag === "latest" || (tag === undefined && digest === undefined && name !== "") ? "Always" : "IfNotPresent";
}

function setVolumeSource(volume: JsonObject): void {
  if (Object.keys(volume).every((field) => field === "name")) volume["emptyDir"] = {};
  const { image } = volume;
  if (isObject(image)) image["pullPolicy"] ??= pullPolicy(image["reference"]);
}

/** Copies the name of the service account to its old field, or from it. */
function nameServiceAccount(spec: JsonObject): void {
  const name = spec["serviceAccountName"] || spec["serviceAccount"];
  if (typeof name === "string" && name !== "") Object.assign(spec, { serviceAccountName: name, serviceAccount: name });
}

function completePod({ spec }: JsonObject): void {
  if (!isObject(spec)) return;
  spec["enableServiceLinks"] ??= true;
  for (const container of [...listAt(spec, "containers"), ...listAt(spec, "initContainers")]) {
    const { resources } = container;
    if (isObject(resources) && isObject(resources["limits"]))
      resources["requests"] = { ...resources["limits"], ...objectAt(resources, "requests") };
    if (spec["hostNetwork"] === true) for (const port of listAt(container, "ports")) port["hostPort"] ??= port["containerPort"];
  }
}

/** core/v1 `DefaultClientIPServiceAffinitySeconds`. */
const AFFINITY_SECONDS = 10_800;

function completeService(spec: JsonObject): void {
  const { type } = spec;
  if (spec["sessionAffinity"] === "None") delete spec["sessionAffinityConfig"];
  else if (spec["sessionAffinity"] === "ClientIP" && objectAt(spec, "sessionAffinityConfig", "clientIP")["timeoutSeconds"] === undefined)
    spec["sessionAffinityConfig"] = { clientIP: { timeoutSeconds: AFFINITY_SECONDS } };
  for (const port of listAt(spec, "ports")) if (port["targetPort"] === 0 || port["targetPort"] === "") port["targetPort"] = port["port"];
  const isExternal = type === "LoadBalancer" || type === "NodePort" || (type === "ClusterIP" && Array.isArray(spec["externalIPs"]));
  if (isExternal) spec["externalTrafficPolicy"] ??= "Cluster";
  if (type !== "ExternalName") spec["internalTrafficPolicy"] ??= "Cluster";
  if (type === "LoadBalancer") spec["allocateLoadBalancerNodePorts"] ??= true;
}

function completeAddresses({ spec, status }: JsonObject): void {
  if (!isObject(spec) || spec["type"] !== "LoadBalancer" || !isObject(status)) return;
  for (const ingress of listAt(status, "loadBalancer", "ingress")) if (ingress["ip"] !== undefined) ingress["ipMode"] ??= "VIP";
}

function completeLimits(item: JsonObject): void {
  if (item["type"] !== "Container") return;
  const limits = { ...objectAt(item, "max"), ...objectAt(item, "default") };
  const requests = { ...objectAt(item, "min"), ...limits, ...objectAt(item, "defaultRequest") };
  if (Object.keys(limits).length > 0) item["default"] = limits;
  if (Object.keys(requests).length > 0) item["defaultRequest"] = requests;
}

function completeReplicationController(controller: JsonObject): void {
  const spec = objectAt(controller, "spec");
  const { labels } = objectAt(spec, "template", "metadata");
  if (!isObject(labels)) return;
  spec["selector"] ??= cloneJson(labels);
  objectAt(controller, "metadata")["labels"] ??= cloneJson(labels);
}

function completeJob(job: JsonObject): void {
  const spec = objectAt(job, "spec");
  if (spec["parallelism"] === undefined) spec["completions"] ??= 1;
  spec["parallelism"] ??= 1;
  spec["backoffLimit"] ??= spec["backoffLimitPerIndex"] === undefined ? 6 : 2 ** 31 - 1;
  spec["completionMode"] ??= "NonIndexed";
  spec["suspend"] ??= false;
  spec["podReplacementPolicy"] ??= spec["podFailurePolicy"] === undefined ? "TerminatingOrFailed" : "Failed";
  spec["manualSelector"] ??= false;
  const { labels } = objectAt(spec, "template", "metadata");
  if (isObject(labels)) objectAt(job, "metadata")["labels"] ??= cloneJson(labels);
}

const SCALE_UP: JsonObject = {
  stabilizationWindowSeconds: 0,
  selectPolicy: "Max",
  policies: [
    { type: "Pods", value: 4, periodSeconds: 15 },
    { type: "Percent", value: 100, periodSeconds: 15 },
  ],
};
const SCALE_DOWN: JsonObject = { selectPolicy: "Max", policies: [{ type: "Percent", value: 100, periodSeconds: 15 }] };
const CPU_TARGET: JsonObject = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } };

function completeAutoscaler(spec: JsonObject): void {
  if (listAt(spec, "metrics").length === 0) spec["metrics"] = [cloneJson(CPU_TARGET)];
  const { behavior } = spec;
  if (!isObject(behavior)) return;
  behavior["scaleUp"] = { ...cloneJson(SCALE_UP), ...objectAt(behavior, "scaleUp") };
  behavior["scaleDown"] = { ...cloneJson(SCALE_DOWN), ...objectAt(behavior, "scaleDown") };
}
