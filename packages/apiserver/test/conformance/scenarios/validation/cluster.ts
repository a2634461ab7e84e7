/** Rights, limits, and kinds about the cluster itself. */
import type { Table } from "./table.ts";

const webhook = {
  name: "a.example.com",
  clientConfig: { service: { namespace: "default", name: "s" } },
  rules: [{ apiGroups: ["none.example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["things"] }],
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
};

const webhookLines = `
  metadata.name = "A"
  webhooks[0].name = "a"
  webhooks[0].name = "A.b.c"
  webhooks[0].name = ""
  webhooks[+] = ${JSON.stringify(webhook)}
  webhooks[0].clientConfig = {}
  webhooks[0].clientConfig = {"url": "http://a"}
  webhooks[0].clientConfig = {"url": "https://a"}
  webhooks[0].clientConfig = {"url": "https://a?b=c"}
  webhooks[0].clientConfig = {"url": "https://u:p@a"}
  webhooks[0].clientConfig = {"url": "x"}
  webhooks[0].clientConfig.url = "https://a"
  webhooks[0].clientConfig.service = {"namespace": "", "name": ""}
  webhooks[0].clientConfig.service.port = 0
  webhooks[0].clientConfig.service.port = 70000
  webhooks[0].clientConfig.service.path = "x"
  webhooks[0].clientConfig.service.path = "/a//b"
  webhooks[0].clientConfig.service.path = "/a"
  webhooks[0].clientConfig.caBundle = "eA=="
  webhooks[0].rules[0].operations = []
  webhooks[0].rules[0].operations = ["ODD"]
  webhooks[0].rules[0].operations = ["*", "CREATE"]
  webhooks[0].rules[0].apiGroups = []
  webhooks[0].rules[0].apiGroups = ["*", "a"]
  webhooks[0].rules[0].apiVersions = []
  webhooks[0].rules[0].apiVersions = [""]
  webhooks[0].rules[0].resources = []
  webhooks[0].rules[0].resources = ["*", "a"]
  webhooks[0].rules[0].resources = [""]
  webhooks[0].rules[0].resources = ["*/*", "a/b"]
  webhooks[0].rules[0].scope = "Odd"
  webhooks[0].failurePolicy = "Odd"
  webhooks[0].matchPolicy = "Odd"
  webhooks[0].sideEffects = "Some"
  webhooks[0].sideEffects -
  webhooks[0].timeoutSeconds = 0
  webhooks[0].timeoutSeconds = 31
  webhooks[0].admissionReviewVersions = []
  webhooks[0].admissionReviewVersions = ["v2"]
  webhooks[0].admissionReviewVersions = ["v1", "v1"]
  webhooks[0].admissionReviewVersions = ["A b"]
  webhooks[0].namespaceSelector = {"matchLabels": {"a b": "c"}}
  webhooks[0].objectSelector = {"matchExpressions": [{"key": "a", "operator": "Odd"}]}
  webhooks[0].matchConditions = [{"name": "", "expression": ""}]
  webhooks[0].matchConditions = [{"name": "a", "expression": "true"}, {"name": "a", "expression": "true"}]
`;

const roleLines = `
  metadata.name = "a:b"
  metadata.name = "a/b"
  metadata.labels = {"a b": "c"}
  rules = [{"verbs": []}]
  rules = [{"verbs": ["get"], "apiGroups": [""], "resources": []}]
  rules = [{"verbs": ["get"], "apiGroups": [], "resources": ["pods"]}]
  rules = [{"verbs": ["get"], "apiGroups": [""], "resources": ["pods"], "resourceNames": ["a"]}]
  rules = [{"verbs": ["get"], "nonResourceURLs": ["/x"]}]
  rules = [{"verbs": ["get"], "nonResourceURLs": ["/x"], "apiGroups": [""], "resources": ["pods"]}]
  rules = [{"apiGroups": [""], "resources": ["pods"]}]
`;
const bindingLines = `
  metadata.name = "a:b"
  roleRef -
  roleRef.name = ""
  roleRef.name = "a/b"
  roleRef.kind = "Odd"
  roleRef.kind = ""
  roleRef.apiGroup = "x"
  subjects = [{"kind": "Odd", "name": "a"}]
  subjects = [{"kind": "User", "name": ""}]
  subjects = [{"kind": "User", "name": "u", "apiGroup": "x"}]
  subjects = [{"kind": "ServiceAccount", "name": "a"}]
  subjects = [{"kind": "ServiceAccount", "name": "A_", "namespace": "b"}]
  subjects = [{"kind": "ServiceAccount", "name": "a", "namespace": "b", "apiGroup": "x"}]
  subjects = [{"kind": "Group", "name": ""}]
  subjects = [{"kind": "", "name": "a"}]
  subjects = []
`;
const bindingChanges = `
  roleRef.name = "other"
  roleRef.kind = "Odd"
  subjects = []
  subjects = [{"kind": "Odd", "name": "a"}]
  metadata.labels = {"a b": "c"}
`;

/** Made by openssl; its key no longer exists. */
const CERTIFICATE_REQUEST =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlJQ1VUQ0NBVGtDQVFBd0RERUtNQWdHQTFVRUF3d0JlRENDQVNJd0RRWUpLb1pJaHZjTkFRRUJCUUFEZ2dFUApBRENDQVFvQ2dnRUJBSjdkMDFvMjliNnUvT3ZLV3A2NUUveGF4VUs2cFZuZ2xRZnhTd2RFTDJHRUxGNUpvWDg0ClpoUGFFS1psUnpwVGZEMWhtcG9uMXpySFJKaGxlaWxKMkFFV3dQUEhkcno2K2h1dEU0WmE1RVlPbFQ4a0tYR0oKTW44QkJlcjJBK2NzUW1hQXEvOXVXRTlyRFRnNUl3dzUvamxsWU9EWC9qODVySDUyT01xQk10WU1xOUNNT0NHMQpBME5qa0hWdXQxeU1lc0JieG1JZmk0eS9CQlpTeXk0MHhvZTBRK0NOcWZ3ekRSTHFzNzk3SjA0a3ZZV2JrTUg3Ck1RYUtPeHhNTnNtTE5HUnlDS3hPdU1vQmJTWWg0dzhWZGxKZTdVNk9zekU5eE9kNVlib2F5QzROQjJlZEh2SisKaEEvZHFHcU1IVVUwWmFXSXVIM3I0R0dxUFh1SVZ1WXVjajBDQXdFQUFhQUFNQTBHQ1NxR1NJYjNEUUVCQ3dVQQpBNElCQVFBckc3UDZCNXY3QnRNdmFrVC9MT0pBejQ5QTlVczJJSC9PNUpPTUxzSG15NGprRVhVU24zL3hra2p2Cjk2VnJEejVyZnRNNWFxZlJ4c0FPRnBWejlmbU5waXJHSWpabDRnNG91UlJaSDZybzRmVWJRWm5PYUpMckVWdXUKMnJoRFNrNS8rVE8yODRwaUgzK1lpeS9iaDc5eUUyejNxblFtUUNDd0lKY3ZZU2ZpYncvbG8rZWF3RkliNW5aRwpDODZvc1R2SlJIMVVKZ0Z2Y2p5bjMzZG9QeEpYZXFucit5NHd2Y04xaHdacnZ1NHhKU3hEVTh0QlAyL0ZKOHE2Cm1ET0ZKM3hhT1Z0ZkxrQnFvTEpVY3ZMczQzdjFxeTN5NWY3M0Nod1Z5U1R1ZW9yUFYyUG4xT0ZkN1RNdTFVRW0Kc1B6emtvM2ZaYkQyYkw2L1FBR0hRVkRFS3p2QQotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K";

export const clusterTables: readonly Table[] = [
  {
    apiVersion: "v1",
    kind: "Namespace",
    plural: "namespaces",
    isClusterWide: true,
    base: { metadata: { name: "tried-namespace" } },
    created: `
      metadata.name = "A"
      metadata.name = "a.b"
      metadata.name = long(64)
      metadata.labels = {"a b": "c"}
      metadata.finalizers = ["x"]
      spec = {"finalizers": ["x"]}
      spec = {"finalizers": ["example.com/x"]}
      spec = {"finalizers": ["a b"]}
    `,
  },
  {
    apiVersion: "v1",
    kind: "ServiceAccount",
    plural: "serviceaccounts",
    base: {},
    created: `
      metadata.name = "A"
      metadata.labels = {"a b": "c"}
      secrets = [{"name": "A"}]
      imagePullSecrets = [{"name": ""}]
    `,
    updated: `
      metadata.labels = {"a b": "c"}
      secrets = [{"name": "x"}]
    `,
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    plural: "roles",
    base: { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] },
    created: roleLines,
    updated: roleLines.replaceAll(/.*metadata.name.*\n/g, ""),
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    plural: "clusterroles",
    isClusterWide: true,
    base: { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] },
    created: `${roleLines}
      rules = [{"verbs": ["get"], "nonResourceURLs": ["x"]}]
      aggregationRule = {}
      aggregationRule = {"clusterRoleSelectors": []}
      aggregationRule = {"clusterRoleSelectors": [{"matchLabels": {"a b": "c"}}]}
    `,
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    plural: "rolebindings",
    base: { roleRef: { kind: "Role", name: "r" }, subjects: [{ kind: "User", name: "u" }] },
    created: bindingLines,
    updated: bindingChanges,
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    plural: "clusterrolebindings",
    isClusterWide: true,
    base: { roleRef: { kind: "ClusterRole", name: "r" }, subjects: [{ kind: "User", name: "u" }] },
    created: `${bindingLines}\n roleRef.kind = "Role"\n`,
    updated: bindingChanges,
  },
  {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    plural: "horizontalpodautoscalers",
    base: { spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" } } },
    created: `
      metadata.name = "A"
      spec -
      spec.maxReplicas = 0
      spec.maxReplicas -
      spec.minReplicas = 0
      spec.minReplicas = 5
      spec.minReplicas = -1
      spec.scaleTargetRef = {}
      spec.scaleTargetRef = {"kind": "a/b", "name": "c%d"}
      spec.scaleTargetRef.apiVersion = "a/b/c"
      spec.metrics = [{"type": ""}]
      spec.metrics = [{"type": "Odd"}]
      spec.metrics = [{"type": "Resource"}]
      spec.metrics = [{"type": "Resource", "resource": {"name": "", "target": {"type": "Utilization"}}}]
      spec.metrics = [{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Odd"}}}]
      spec.metrics = [{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 0}}}]
      spec.metrics = [{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50, "averageValue": "1"}}}]
      spec.metrics = [{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Value", "value": "1"}}}]
      spec.metrics = [{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "AverageValue", "averageValue": "-1"}}}]
      spec.metrics = [{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "AverageValue", "averageValue": "1"}}, "pods": {"metric": {"name": "x"}, "target": {"type": "AverageValue", "averageValue": "1"}}}]
      spec.metrics = [{"type": "Pods", "pods": {"metric": {"name": ""}, "target": {"type": "Value", "value": "1"}}}]
      spec.metrics = [{"type": "Pods", "pods": {"metric": {"name": "x"}, "target": {"type": "AverageValue", "averageValue": "1"}}}]
      spec.metrics = [{"type": "Object", "object": {"describedObject": {"kind": "", "name": ""}, "metric": {"name": "x"}, "target": {"type": "Value"}}}]
      spec.metrics = [{"type": "External", "external": {"metric": {"name": "x"}, "target": {"type": "Value"}}}]
      spec.metrics = [{"type": "ContainerResource", "containerResource": {"name": "cpu", "container": "", "target": {"type": "Utilization"}}}]
      spec.behavior = {"scaleDown": {"stabilizationWindowSeconds": -1}}
      spec.behavior = {"scaleDown": {"stabilizationWindowSeconds": 5000}}
      spec.behavior = {"scaleUp": {"selectPolicy": "Odd"}}
      spec.behavior = {"scaleUp": {"policies": [{"type": "Odd", "value": 0, "periodSeconds": 0}]}}
      spec.behavior = {"scaleUp": {"policies": [{"type": "Pods", "value": 1, "periodSeconds": 5000}]}}
    `,
    updated: `
      spec.maxReplicas = 0
      spec.maxReplicas = 5
      metadata.labels = {"a b": "c"}
    `,
  },
  {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    plural: "poddisruptionbudgets",
    base: { spec: { minAvailable: 1, selector: { matchLabels: { a: "b" } } } },
    created: `
      metadata.name = "A"
      spec -
      spec.minAvailable = -1
      spec.minAvailable = "x"
      spec.minAvailable = "150%"
      spec.minAvailable = "50%"
      spec.minAvailable -
      spec.maxUnavailable = 1
      spec.minAvailable - ; spec.maxUnavailable = "-5%"
      spec.selector = {"matchLabels": {"a b": "c"}}
      spec.selector -
      spec.selector = {}
      spec.unhealthyPodEvictionPolicy = "Odd"
      spec.unhealthyPodEvictionPolicy = "AlwaysAllow"
    `,
    updated: `
      spec.minAvailable = -1
      spec.minAvailable = 2
      spec.selector = {"matchLabels": {"a": "c"}}
    `,
  },
  {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    plural: "priorityclasses",
    isClusterWide: true,
    base: { value: 5 },
    created: `
      metadata.name = "A"
      metadata.name = "system-x"
      value = 2000000000
      value -
      preemptionPolicy = "Odd"
      preemptionPolicy = "Never"
    `,
    updated: `
      value = 6
      description = "x"
      preemptionPolicy = "Never"
      globalDefault = false
    `,
  },
  {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    plural: "leases",
    base: { spec: { holderIdentity: "me", leaseDurationSeconds: 15, leaseTransitions: 0 } },
    created: `
      metadata.name = "A"
      spec.leaseDurationSeconds = 0
      spec.leaseDurationSeconds = -1
      spec.leaseTransitions = -1
      spec.holderIdentity = ""
      spec.strategy = "Odd"
      spec.preferredHolder = "x"
    `,
    updated: `
      spec.leaseDurationSeconds = 0
      spec.leaseTransitions = -1
      metadata.labels = {"a b": "c"}
    `,
  },
  {
    apiVersion: "v1",
    kind: "ResourceQuota",
    plural: "resourcequotas",
    base: { spec: { hard: { pods: "5" } } },
    created: `
      metadata.name = "A"
      spec.hard = {"pods": "-1"}
      spec.hard = {"pods": "1.5"}
      spec.hard = {"odd": "1"}
      spec.hard = {"a b": "1"}
      spec.hard = {"requests.cpu": "1", "limits.memory": "1Gi", "count/deployments.apps": "5"}
      spec.scopes = ["Odd"]
      spec.scopes = ["BestEffort"]
      spec.scopes = ["BestEffort", "NotBestEffort"]
      spec.scopes = ["BestEffort"] ; spec.hard = {"requests.cpu": "1"}
      spec.scopeSelector = {"matchExpressions": [{"scopeName": "Odd", "operator": "In"}]}
      spec.scopeSelector = {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "In", "values": ["a"]}]}
      spec.scopeSelector = {"matchExpressions": [{"scopeName": "BestEffort", "operator": "In", "values": ["a"]}]}
    `,
    updated: `
      spec.hard = {"pods": "6"}
      spec.hard = {"odd": "1"}
      spec.scopes = ["BestEffort"]
    `,
  },
  {
    apiVersion: "v1",
    kind: "LimitRange",
    plural: "limitranges",
    base: { spec: { limits: [{ type: "Container", max: { cpu: "2" } }] } },
    created: `
      metadata.name = "A"
      spec.limits[0].type = ""
      spec.limits[0].type = "Odd"
      spec.limits[0].type = "example.com/x"
      spec.limits[+] = {"type": "Container"}
      spec.limits[0].min = {"cpu": "3"}
      spec.limits[0].default = {"cpu": "3"}
      spec.limits[0].defaultRequest = {"cpu": "3"}
      spec.limits[0].default = {"cpu": "1"} ; spec.limits[0].defaultRequest = {"cpu": "2"}
      spec.limits[0].max = {"odd": "1"}
      spec.limits[0].max = {"storage": "1"}
      spec.limits[0].maxLimitRequestRatio = {"cpu": "0.5"}
      spec.limits[0].maxLimitRequestRatio = {"cpu": "5"}
      spec.limits[0].type = "Pod" ; spec.limits[0].default = {"cpu": "1"}
      spec.limits[0] = {"type": "PersistentVolumeClaim"}
      spec.limits[0] = {"type": "PersistentVolumeClaim", "max": {"storage": "1Gi"}}
    `,
  },
  {
    apiVersion: "v1",
    kind: "Node",
    plural: "nodes",
    isClusterWide: true,
    base: { spec: { podCIDR: "10.0.0.0/24" } },
    created: `
      metadata.name = "A"
      metadata.labels = {"a b": "c"}
      spec.taints = [{"key": "a b", "effect": "NoSchedule"}]
      spec.taints = [{"key": "a", "effect": "Odd"}]
      spec.taints = [{"key": "a", "value": "b c", "effect": "NoSchedule"}]
      spec.taints = [{"key": "a", "effect": "NoSchedule"}, {"key": "a", "effect": "NoSchedule"}]
      spec.podCIDR = "x"
      spec.unschedulable = true
    `,
    updated: `
      spec.podCIDR = "10.0.1.0/24" ; spec.podCIDRs = ["10.0.1.0/24"]
      spec.providerID = "x"
      spec.taints = [{"key": "a", "effect": "Odd"}]
      spec.unschedulable = true
      metadata.labels = {"a b": "c"}
    `,
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    plural: "validatingwebhookconfigurations",
    isClusterWide: true,
    base: { webhooks: [webhook] },
    created: webhookLines,
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    plural: "mutatingwebhookconfigurations",
    isClusterWide: true,
    base: { webhooks: [webhook] },
    created: `
      webhooks[0].name = "a"
      webhooks[0].reinvocationPolicy = "Odd"
      webhooks[0].clientConfig = {}
      webhooks[0].sideEffects = "Some"
    `,
  },
  {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    plural: "apiservices",
    isClusterWide: true,
    base: {
      metadata: { name: "v1.tried.example.com" },
      spec: {
        group: "tried.example.com",
        version: "v1",
        groupPriorityMinimum: 100,
        versionPriority: 10,
        insecureSkipTLSVerify: true,
        service: { namespace: "default", name: "s" },
      },
    },
    created: `
      metadata.name = "x"
      spec.group = "A"
      spec.version = ""
      spec.groupPriorityMinimum = 0
      spec.groupPriorityMinimum = 30000
      spec.versionPriority = 0
      spec.versionPriority = 2000
      spec.service.name = ""
      spec.service.namespace = ""
      spec.service.port = 70000
      spec.caBundle = "eA=="
      spec.service -
    `,
  },
  {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    plural: "certificatesigningrequests",
    isClusterWide: true,
    base: { spec: { request: CERTIFICATE_REQUEST, signerName: "example.com/signer", usages: ["client auth"] } },
    created: `
      metadata.name = "A"
      spec.signerName -
      spec.signerName = "signer"
      spec.signerName = "nodots/signer"
      spec.signerName = "example.com/"
      spec.signerName = "example.com/a.b"
      spec.signerName = "Example.com/A"
      spec.signerName = "example.com/a/b"
      spec.signerName = "kubernetes.io/legacy-unknown"
      spec.usages -
      spec.usages = []
      spec.usages = ["client auth", "server auth", "client auth", "odd"]
      spec.request -
      spec.request = "eA=="
      spec.expirationSeconds = 599
      spec.expirationSeconds = 600
      spec.request = "eA==" ; spec.usages = [] ; spec.signerName = "x"
    `,
    updated: `
      spec.signerName = "example.com/another"
      spec.usages = ["odd"]
      spec.request = "eA=="
      metadata.labels = {"a": "b"}
      metadata.labels = {"a b": "c"}
    `,
  },
];
