/** Objects of the built-in kinds: one with the required fields, one with many fields. */
import type { Json } from "../session.ts";
import { MACHINERY_SAMPLES } from "./machinery-objects.ts";

export interface Sample {
  readonly apiVersion: string;
  readonly plural: string;
  readonly isClusterWide?: true;
  readonly objects: Readonly<Record<string, Json>>;
}

const container = { name: "main", image: "registry.example.com/app" };
const labels = { app: "a" };
const template = { metadata: { labels }, spec: { containers: [container] } };
const selector = { matchLabels: labels };

const richPod: Json = {
  // Without a token, because its volume would get a random name.
  automountServiceAccountToken: false,
  hostNetwork: false,
  restartPolicy: "Never",
  serviceAccountName: "default",
  nodeSelector: { a: "b" },
  tolerations: [{ key: "a", operator: "Exists" }],
  imagePullSecrets: [{ name: "pull" }],
  securityContext: { runAsNonRoot: true, fsGroup: 0 },
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "zone", labelSelector: selector }] } },
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", labelSelector: selector }],
  initContainers: [{ name: "init", image: "busybox:1.36", command: ["true"], resources: { limits: { cpu: 0.5, memory: "1024Mi" } } }],
  containers: [
    {
      name: "main",
      image: "app:latest",
      args: [],
      env: [
        { name: "A", value: "" },
        { name: "B", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        { name: "C", valueFrom: { secretKeyRef: { name: "s", key: "k", optional: false } } },
        { name: "D", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } },
      ],
      envFrom: [{ configMapRef: { name: "c" } }],
      ports: [{ containerPort: 80 }, { name: "dns", containerPort: 53, protocol: "UDP" }],
      resources: { limits: { cpu: "1000m", memory: "1.5Gi" }, requests: { cpu: "100m", memory: "1000000k" } },
      livenessProbe: { httpGet: { port: "http" } },
      readinessProbe: { tcpSocket: { port: 80 }, initialDelaySeconds: 5 },
      startupProbe: { grpc: { port: 80 } },
      lifecycle: { preStop: { exec: { command: ["sleep", "1"] } } },
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
      volumeMounts: [{ name: "secret", mountPath: "/s", readOnly: true }],
    },
    { name: "side", image: "app@sha256:0123456789012345678901234567890123456789012345678901234567890123", stdin: false },
  ],
  volumes: [
    { name: "secret", secret: { secretName: "s" } },
    { name: "config", configMap: { name: "c", items: [{ key: "k", path: "p" }] } },
    { name: "empty", emptyDir: { sizeLimit: "1Gi" } },
    { name: "none" },
    { name: "host", hostPath: { path: "/x" } },
    { name: "projected", projected: { sources: [{ serviceAccountToken: { path: "t" } }, { downwardAPI: { items: [] } }] } },
    { name: "down", downwardAPI: { items: [{ path: "labels", fieldRef: { fieldPath: "metadata.labels" } }] } },
    {
      name: "claim",
      ephemeral: { volumeClaimTemplate: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } } },
    },
  ],
};
const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1024Mi" } } };
const rule = { apiGroups: [""], resources: ["pods"], verbs: ["get"] };
const webhook = {
  name: "a.example.com",
  clientConfig: { service: { namespace: "default", name: "s" } },
  rules: [{ apiGroups: ["none.example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["things"] }],
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
};

export const SAMPLES: Readonly<Record<string, Sample>> = {
  Pod: {
    apiVersion: "v1",
    plural: "pods",
    objects: {
      minimal: { spec: { automountServiceAccountToken: false, containers: [container] } },
      rich: { metadata: { labels }, spec: richPod },
    },
  },
  Deployment: {
    apiVersion: "apps/v1",
    plural: "deployments",
    objects: {
      minimal: { spec: { selector, template } },
      rich: {
        spec: {
          replicas: 0,
          paused: false,
          minReadySeconds: 0,
          selector,
          strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } },
          template: { metadata: { labels, annotations: {} }, spec: { ...richPod, restartPolicy: "Always" } },
        },
        status: { replicas: 3 },
      },
      recreated: { metadata: { labels }, spec: { selector, template, strategy: { type: "Recreate" }, progressDeadlineSeconds: 60 } },
    },
  },
  ReplicaSet: { apiVersion: "apps/v1", plural: "replicasets", objects: { minimal: { spec: { selector, template } } } },
  StatefulSet: {
    apiVersion: "apps/v1",
    plural: "statefulsets",
    objects: {
      minimal: { spec: { serviceName: "s", selector, template } },
      rich: {
        spec: {
          serviceName: "s",
          selector,
          template,
          updateStrategy: { type: "RollingUpdate", rollingUpdate: {} },
          persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete" },
          volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claim }],
        },
      },
      "on-delete": { spec: { serviceName: "s", selector, template, updateStrategy: { type: "OnDelete" } } },
    },
  },
  DaemonSet: {
    apiVersion: "apps/v1",
    plural: "daemonsets",
    objects: {
      minimal: { spec: { selector, template } },
      "on-delete": { spec: { selector, template, updateStrategy: { type: "OnDelete" } } },
    },
  },
  ControllerRevision: {
    apiVersion: "apps/v1",
    plural: "controllerrevisions",
    objects: { minimal: { revision: 1, data: { a: [1, null] } } },
  },
  Job: {
    apiVersion: "batch/v1",
    plural: "jobs",
    objects: {
      minimal: { spec: { template: { spec: { restartPolicy: "Never", containers: [container] } } } },
      rich: {
        spec: {
          parallelism: 2,
          backoffLimit: 0,
          suspend: true,
          template: { metadata: { labels }, spec: { restartPolicy: "OnFailure", containers: [container] } },
        },
      },
    },
  },
  CronJob: {
    apiVersion: "batch/v1",
    plural: "cronjobs",
    objects: {
      minimal: {
        spec: { schedule: "* * * * *", jobTemplate: { spec: { template: { spec: { restartPolicy: "Never", containers: [container] } } } } },
      },
    },
  },
  Service: {
    apiVersion: "v1",
    plural: "services",
    objects: {
      minimal: { spec: { ports: [{ port: 80 }] } },
      rich: {
        spec: {
          selector: labels,
          sessionAffinity: "ClientIP",
          ports: [
            { name: "http", port: 80, targetPort: "http" },
            { name: "dns", port: 53, protocol: "UDP", targetPort: 0 },
          ],
        },
      },
      headless: { spec: { clusterIP: "None", selector: labels, ports: [{ port: 80 }] } },
      "headless-without-selector": { spec: { clusterIP: "None" } },
      external: { spec: { type: "ExternalName", externalName: "example.com" } },
      "node-port": {
        spec: { type: "NodePort", ports: [{ port: 80 }, { name: "b", port: 81 }].map((port, i) => ({ name: `p${i}`, ...port })) },
      },
      "load-balancer": { spec: { type: "LoadBalancer", ports: [{ port: 80 }] } },
      local: { spec: { type: "LoadBalancer", externalTrafficPolicy: "Local", ports: [{ port: 80 }] } },
    },
  },
  PersistentVolumeClaim: {
    apiVersion: "v1",
    plural: "persistentvolumeclaims",
    objects: { minimal: { spec: claim }, rich: { spec: { ...claim, storageClassName: "", volumeMode: "Block", volumeName: "v" } } },
  },
  PersistentVolume: {
    apiVersion: "v1",
    plural: "persistentvolumes",
    isClusterWide: true,
    objects: { minimal: { spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" } } } },
  },
  ConfigMap: {
    apiVersion: "v1",
    plural: "configmaps",
    objects: { empty: {}, rich: { data: { a: "", b: null, c: "d" }, binaryData: { e: "Zg==" }, immutable: false } },
  },
  Secret: {
    apiVersion: "v1",
    plural: "secrets",
    objects: { empty: {}, rich: { type: "example.com/x", data: { a: "Yg==", n: null }, stringData: { c: "d" } } },
  },
  ServiceAccount: {
    apiVersion: "v1",
    plural: "serviceaccounts",
    objects: { minimal: {}, rich: { secrets: [{ name: "s" }], imagePullSecrets: [{ name: "p" }], automountServiceAccountToken: false } },
  },
  Endpoints: {
    apiVersion: "v1",
    plural: "endpoints",
    objects: { minimal: { subsets: [{ addresses: [{ ip: "192.0.2.1" }], ports: [{ port: 80 }] }] } },
  },
  LimitRange: {
    apiVersion: "v1",
    plural: "limitranges",
    objects: { minimal: { spec: { limits: [{ type: "Pod", max: { cpu: "2" } }] } } },
  },
  ResourceQuota: { apiVersion: "v1", plural: "resourcequotas", objects: { minimal: { spec: { hard: { pods: "100" } } } } },
  PodTemplate: { apiVersion: "v1", plural: "podtemplates", objects: { minimal: { template } } },
  ReplicationController: {
    apiVersion: "v1",
    plural: "replicationcontrollers",
    objects: { minimal: { spec: { template } } },
  },
  Role: { apiVersion: "rbac.authorization.k8s.io/v1", plural: "roles", objects: { empty: {}, minimal: { rules: [rule] } } },
  RoleBinding: {
    apiVersion: "rbac.authorization.k8s.io/v1",
    plural: "rolebindings",
    objects: {
      minimal: {
        roleRef: { kind: "Role", name: "r" },
        subjects: [
          { kind: "ServiceAccount", name: "a", namespace: "b" },
          { kind: "User", name: "u" },
        ],
      },
      empty: { roleRef: { kind: "Role", name: "r" } },
    },
  },
  ClusterRole: {
    apiVersion: "rbac.authorization.k8s.io/v1",
    plural: "clusterroles",
    isClusterWide: true,
    objects: { minimal: { rules: [rule] }, aggregated: { aggregationRule: { clusterRoleSelectors: [selector] } } },
  },
  ClusterRoleBinding: {
    apiVersion: "rbac.authorization.k8s.io/v1",
    plural: "clusterrolebindings",
    isClusterWide: true,
    objects: { minimal: { roleRef: { kind: "ClusterRole", name: "r" }, subjects: [{ kind: "Group", name: "g" }] } },
  },
  Ingress: {
    apiVersion: "networking.k8s.io/v1",
    plural: "ingresses",
    objects: {
      minimal: { spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } } } },
      rich: {
        spec: {
          ingressClassName: "c",
          tls: [{ hosts: ["a.example.com"], secretName: "t" }],
          rules: [
            {
              host: "a.example.com",
              http: { paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "s", port: { name: "p" } } } }] },
            },
          ],
        },
      },
    },
  },
  IngressClass: {
    apiVersion: "networking.k8s.io/v1",
    plural: "ingressclasses",
    isClusterWide: true,
    objects: { minimal: { spec: { controller: "example.com/c", parameters: { kind: "Params", name: "p" } } } },
  },
  NetworkPolicy: {
    apiVersion: "networking.k8s.io/v1",
    plural: "networkpolicies",
    objects: {
      minimal: { spec: { podSelector: {} } },
      rich: { spec: { podSelector: selector, ingress: [{ from: [{ podSelector: {} }], ports: [{ port: 80 }] }], egress: [{}] } },
    },
  },
  PodDisruptionBudget: {
    apiVersion: "policy/v1",
    plural: "poddisruptionbudgets",
    objects: { minimal: { spec: { minAvailable: 1, selector } }, percent: { spec: { maxUnavailable: "10%" } } },
  },
  HorizontalPodAutoscaler: {
    apiVersion: "autoscaling/v2",
    plural: "horizontalpodautoscalers",
    objects: {
      minimal: { spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" } } },
      rich: {
        spec: {
          minReplicas: 2,
          maxReplicas: 3,
          scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
          metrics: [{ type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "1024Mi" } } }],
          behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
        },
      },
    },
  },
  Lease: {
    apiVersion: "coordination.k8s.io/v1",
    plural: "leases",
    objects: {
      empty: {},
      rich: { spec: { holderIdentity: "me", leaseDurationSeconds: 15, renewTime: "2026-01-01T00:00:00.500000Z", leaseTransitions: 0 } },
    },
  },
  ValidatingAdmissionPolicy: {
    apiVersion: "admissionregistration.k8s.io/v1",
    plural: "validatingadmissionpolicies",
    isClusterWide: true,
    objects: {
      minimal: {
        spec: {
          matchConstraints: {
            resourceRules: [{ apiGroups: ["none.example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["x"] }],
          },
          validations: [{ expression: "true" }],
        },
      },
    },
  },
  EndpointSlice: {
    apiVersion: "discovery.k8s.io/v1",
    plural: "endpointslices",
    objects: { minimal: { addressType: "IPv4", endpoints: [{ addresses: ["192.0.2.1"] }], ports: [{ port: 80 }] } },
  },
  PriorityClass: {
    apiVersion: "scheduling.k8s.io/v1",
    plural: "priorityclasses",
    isClusterWide: true,
    objects: { minimal: { value: 5 } },
  },
  StorageClass: {
    apiVersion: "storage.k8s.io/v1",
    plural: "storageclasses",
    isClusterWide: true,
    objects: { minimal: { provisioner: "example.com/p" } },
  },
  CSIDriver: { apiVersion: "storage.k8s.io/v1", plural: "csidrivers", isClusterWide: true, objects: { minimal: { spec: {} } } },
  CSINode: { apiVersion: "storage.k8s.io/v1", plural: "csinodes", isClusterWide: true, objects: { minimal: { spec: { drivers: [] } } } },
  Node: { apiVersion: "v1", plural: "nodes", isClusterWide: true, objects: { minimal: {}, rich: { status: { capacity: { cpu: "1" } } } } },
  ValidatingWebhookConfiguration: {
    apiVersion: "admissionregistration.k8s.io/v1",
    plural: "validatingwebhookconfigurations",
    isClusterWide: true,
    objects: { minimal: { webhooks: [webhook] } },
  },
  MutatingWebhookConfiguration: {
    apiVersion: "admissionregistration.k8s.io/v1",
    plural: "mutatingwebhookconfigurations",
    isClusterWide: true,
    objects: { minimal: { webhooks: [webhook] } },
  },
  ValidatingAdmissionPolicyBinding: {
    apiVersion: "admissionregistration.k8s.io/v1",
    plural: "validatingadmissionpolicybindings",
    isClusterWide: true,
    objects: { minimal: { spec: { policyName: "none", validationActions: ["Deny"], matchResources: {} } } },
  },
  ...MACHINERY_SAMPLES,
};

/** Returns the body of a sample. */
export function sampleBody(kind: string, apiVersion: string, name: string, object: Json): Json {
  return { apiVersion, kind, ...object, metadata: { name, ...object["metadata"] } };
}
