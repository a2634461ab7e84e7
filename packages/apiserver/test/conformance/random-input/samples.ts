/** Valid objects from which random input is made: a custom kind and several built-in ones. */
import type { Json } from "../session.ts";

export interface Sample {
  readonly name: string;
  readonly isCustom: boolean;
  /** Path of the collection; `NS` is replaced by the namespace. */
  readonly collection: string;
  /** Object without metadata. */
  readonly object: Json;
  readonly subresources: readonly string[];
}

const pod = {
  containers: [
    {
      name: "a",
      image: "b",
      ports: [{ containerPort: 80, protocol: "TCP", name: "web" }],
      env: [{ name: "A", value: "b" }],
      resources: { limits: { cpu: "1" } },
    },
  ],
  terminationGracePeriodSeconds: 5,
  securityContext: { runAsUser: 1, runAsNonRoot: true },
  tolerations: [{ key: "a", operator: "Exists" }],
};

export const SAMPLES: readonly Sample[] = [
  {
    name: "gadget",
    isCustom: true,
    collection: "/apis/conformance.treadle.dev/v1/namespaces/NS/gadgets",
    object: {
      apiVersion: "conformance.treadle.dev/v1",
      kind: "Gadget",
      spec: {
        size: 3,
        ratio: 1.5,
        isOn: true,
        tags: ["a", "b"],
        ports: [{ name: "a", port: 1 }],
        settings: { a: "b" },
        template: { image: "c", args: ["d"] },
      },
    },
    subresources: ["status"],
  },
  {
    name: "config map",
    isCustom: false,
    collection: "/api/v1/namespaces/NS/configmaps",
    object: { apiVersion: "v1", kind: "ConfigMap", data: { a: "b", c: "d" }, binaryData: { e: "Zg==" }, immutable: false },
    subresources: [],
  },
  {
    name: "deployment",
    isCustom: false,
    collection: "/apis/apps/v1/namespaces/NS/deployments",
    object: {
      apiVersion: "apps/v1",
      kind: "Deployment",
      spec: {
        replicas: 2,
        paused: false,
        selector: { matchLabels: { app: "a" } },
        template: { metadata: { labels: { app: "a" } }, spec: pod },
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: "25%" } },
      },
    },
    subresources: ["status", "scale"],
  },
  {
    name: "service",
    isCustom: false,
    collection: "/api/v1/namespaces/NS/services",
    object: {
      apiVersion: "v1",
      kind: "Service",
      spec: { ports: [{ port: 80, targetPort: "web", protocol: "TCP" }], selector: { app: "a" }, clusterIP: "None" },
    },
    subresources: ["status"],
  },
  {
    name: "lease",
    isCustom: false,
    collection: "/apis/coordination.k8s.io/v1/namespaces/NS/leases",
    object: {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      spec: { holderIdentity: "a", leaseDurationSeconds: 15, renewTime: "2026-01-02T03:04:05.000000Z" },
    },
    subresources: [],
  },
  {
    name: "cluster role",
    isCustom: false,
    collection: "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    object: {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
    },
    subresources: [],
  },
];

/** Returns the sample with a name. */
export function objectOf({ object }: Sample, name: string): Json {
  return { ...object, metadata: { name, labels: { of: "random-input", only: name }, annotations: { "a.b/c": "d" } } };
}

export function collectionOf({ collection }: Sample, namespace: string): string {
  return collection.replace("NS", namespace);
}
