/** The Deployment, and what keeps its pods available. Pure. */
import { certificateVolume } from "./certificates.ts";
import type { Operator } from "../operator.ts";
import { type Commented, plain } from "../manifest.ts";

/** The Deployment. Its pods fulfil the Pod Security Standard "restricted". */
export function deploymentOf(operator: Operator): readonly Commented[] {
  const { name, namespace, labels, replicas, isElected, graceSeconds } = operator;
  const certificates = certificateVolume(operator);
  return plain([
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name, namespace, labels },
      spec: {
        replicas,
        // Without an election two pods would work at the same time during a rollout.
        strategy: isElected ? { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } : { type: "Recreate" },
        selector: { matchLabels: labels },
        template: {
          metadata: { labels, annotations: { "kubectl.kubernetes.io/default-container": CONTAINER } },
          spec: {
            serviceAccountName: name,
            // The variables of Services are not needed, and may have names of settings.
            enableServiceLinks: false,
            terminationGracePeriodSeconds: graceSeconds,
            securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
            ...(isElected ? { topologySpreadConstraints: [spread(labels)] } : {}),
            containers: [containerOf(operator)],
            volumes: [{ name: "tmp", emptyDir: { sizeLimit: "128Mi" } }, ...(certificates === undefined ? [] : [certificates.volume])],
          },
        },
      },
    },
  ]);
}

/** The resources of the container, which overlays and values change. */
export const RESOURCES = { requests: { cpu: "50m", memory: "128Mi" }, limits: { memory: "256Mi" } } as const;

/** The name of the operator's container, which overlays name. */
export const CONTAINER = "operator";

/** Pods on different nodes, as far as there are some. */
function spread(labels: Operator["labels"]): object {
  return {
    maxSkew: 1,
    topologyKey: "kubernetes.io/hostname",
    whenUnsatisfiable: "ScheduleAnyway",
    labelSelector: { matchLabels: labels },
  };
}

function containerOf(operator: Operator): object {
  const { image, namespaces, probesPort, metrics, webhooks } = operator;
  const certificates = certificateVolume(operator);
  const ports = [
    ...(probesPort === undefined ? [] : [{ name: "probes", containerPort: probesPort, protocol: "TCP" }]),
    ...(metrics === undefined ? [] : [{ name: "metrics", containerPort: metrics.port, protocol: "TCP" }]),
    ...(webhooks?.service === undefined ? [] : [{ name: "webhooks", containerPort: webhooks.port, protocol: "TCP" }]),
  ];
  return {
    name: CONTAINER,
    image,
    env: [
      { name: "POD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
      ...(namespaces === undefined ? [] : [{ name: "TREADLE_NAMESPACES", value: namespaces.join(",") }]),
    ],
    ...(ports.length === 0 ? {} : { ports }),
    ...(probesPort === undefined ? {} : probes()),
    // The heap of Node follows the limit. A limit of CPU would delay the renewal of a lease.
    resources: RESOURCES,
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } },
    volumeMounts: [{ name: "tmp", mountPath: "/tmp" }, ...(certificates === undefined ? [] : [certificates.mount])],
  };
}

/** `/healthz` is served as soon as the process runs, so a slow first list does not restart it. */
function probes(): object {
  const probe = (path: string, more: object): object => ({ httpGet: { path, port: "probes", scheme: "HTTP" }, ...more });
  return {
    startupProbe: probe("/healthz", { periodSeconds: 2, failureThreshold: 30, timeoutSeconds: 5 }),
    livenessProbe: probe("/healthz", { periodSeconds: 20, failureThreshold: 3, timeoutSeconds: 5 }),
    readinessProbe: probe("/readyz", { periodSeconds: 10, failureThreshold: 3, timeoutSeconds: 5 }),
  };
}

/** A budget for several pods. For a single one, it would either stop every drain of a node, or do nothing. */
export function budgetOf({ name, namespace, labels, replicas }: Operator): readonly Commented[] {
  if (replicas < 2) return [];
  return plain([
    {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name, namespace, labels },
      spec: { maxUnavailable: 1, selector: { matchLabels: labels }, unhealthyPodEvictionPolicy: "AlwaysAllow" },
    },
  ]);
}
