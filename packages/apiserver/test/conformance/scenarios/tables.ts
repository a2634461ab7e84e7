/** Tables of custom and built-in kinds. Ages of the objects themselves are not compared. */
import { gadget } from "../gadget.ts";
import type { Json, Scenario, Session } from "../session.ts";

const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
const LONG_AGO = "2001-02-03T04:05:06Z";
const template = (more: Json = {}): Json => ({
  metadata: { labels: { app: "web", tier: "front" } },
  spec: {
    containers: [
      { name: "a", image: "example.com/a:1" },
      { name: "b", image: "b" },
    ],
    ...more,
  },
});
const selector = {
  matchLabels: { tier: "front", app: "web" },
  matchExpressions: [
    { key: "zone", operator: "In", values: ["b", "a"] },
    { key: "old", operator: "DoesNotExist" },
  ],
};
const labels = { matchLabels: { app: "web" } };
const status = (name: string, state: object, more: object = {}): Json => ({
  name,
  image: "i",
  imageID: "",
  ready: false,
  restartCount: 0,
  state,
  ...more,
});
const ended = (exitCode: number, more: object = {}): object => ({
  terminated: { exitCode, finishedAt: LONG_AGO, startedAt: LONG_AGO, ...more },
});
const running = { running: { startedAt: LONG_AGO } };

/** Pods by their expected status. */
const PODS: Readonly<Record<string, { readonly spec?: Json; readonly status: Json }>> = {
  running: {
    status: {
      phase: "Running",
      podIPs: [{ ip: "10.0.0.1" }],
      podIP: "10.0.0.1",
      conditions: [{ type: "Ready", status: "True" }],
      containerStatuses: [
        status("a", running, { ready: true, restartCount: 2, lastState: ended(1) }),
        status("b", running, { ready: true }),
      ],
    },
  },
  crashing: {
    status: { phase: "Running", containerStatuses: [status("a", { waiting: { reason: "CrashLoopBackOff" } }, { restartCount: 7 })] },
  },
  succeeded: { status: { phase: "Succeeded", containerStatuses: [status("a", ended(0, { reason: "Completed" }))] } },
  failed: { status: { phase: "Failed", containerStatuses: [status("a", ended(3))] } },
  signalled: { status: { phase: "Failed", containerStatuses: [status("a", ended(137, { signal: 9 }))] } },
  evicted: { status: { phase: "Failed", reason: "Evicted" } },
  half: {
    status: {
      phase: "Running",
      containerStatuses: [status("a", running, { ready: true }), status("b", ended(0, { reason: "Completed" }))],
    },
  },
  initializing: {
    spec: { initContainers: [{ name: "i", image: "i" }] },
    status: { phase: "Pending", initContainerStatuses: [status("i", { waiting: { reason: "ImagePullBackOff" } })] },
  },
  "init-waits": {
    spec: {
      initContainers: [
        { name: "i", image: "i" },
        { name: "j", image: "i" },
      ],
    },
    status: { phase: "Pending", initContainerStatuses: [status("i", ended(0)), status("j", { waiting: { reason: "PodInitializing" } })] },
  },
  sidecar: {
    spec: { initContainers: [{ name: "i", image: "i", restartPolicy: "Always" }] },
    status: {
      phase: "Running",
      initContainerStatuses: [status("i", running, { ready: true, started: true, restartCount: 1 })],
      containerStatuses: [status("a", running, { ready: true, restartCount: 1 })],
    },
  },
  gated: {
    spec: { schedulingGates: [{ name: "example.com/gate" }] },
    status: { phase: "Pending", conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }] },
  },
  gates: {
    spec: { readinessGates: [{ conditionType: "example.com/a" }, { conditionType: "example.com/b" }] },
    status: { phase: "Pending", conditions: [{ type: "example.com/a", status: "True" }] },
  },
};

interface Sample {
  readonly path: string;
  readonly object: Json;
  readonly status?: Json;
}

const core = (namespace: string, plural: string): string => `/api/v1/namespaces/${namespace}/${plural}`;
const of = (group: string, namespace: string, plural: string): string => `/apis/${group}/namespaces/${namespace}/${plural}`;

function samples(namespace: string): readonly Sample[] {
  const at = { name: "one" };
  return [
    { path: core(namespace, "configmaps"), object: { metadata: at, data: { a: "1", b: "2" }, binaryData: { c: "AA==" } } },
    { path: core(namespace, "secrets"), object: { metadata: at, stringData: { a: "1" } } },
    { path: core(namespace, "serviceaccounts"), object: { metadata: at } },
    {
      path: core(namespace, "services"),
      object: {
        metadata: at,
        spec: {
          clusterIP: "None",
          selector: { b: "2", a: "1" },
          ports: [
            { name: "x", port: 80 },
            { name: "y", port: 53, protocol: "UDP" },
          ],
        },
      },
    },
    {
      path: core(namespace, "services"),
      object: { metadata: { name: "elsewhere" }, spec: { type: "ExternalName", externalName: "example.com" } },
    },
    { path: core(namespace, "limitranges"), object: { metadata: at, spec: { limits: [] } } },
    { path: core(namespace, "podtemplates"), object: { metadata: at, template: template() } },
    {
      path: core(namespace, "resourcequotas"),
      object: { metadata: at, spec: { hard: { pods: "4", "limits.cpu": "2" } } },
      status: { hard: { pods: "4", "limits.cpu": "2", "requests.cpu": "1" }, used: { pods: "1", "limits.cpu": "500m" } },
    },
    {
      path: core(namespace, "persistentvolumeclaims"),
      object: {
        metadata: at,
        spec: { accessModes: ["ReadWriteOnce"], storageClassName: "fast", resources: { requests: { storage: "1Gi" } } },
      },
    },
    {
      path: core(namespace, "replicationcontrollers"),
      object: { metadata: at, spec: { replicas: 2, selector: { app: "web", tier: "front" }, template: template() } },
    },
    {
      path: core(namespace, "events"),
      object: {
        metadata: at,
        involvedObject: { kind: "Gadget", name: "a", namespace, fieldPath: "spec.size" },
        reason: "Made",
        message: " it was made \n",
        type: "Normal",
        count: 3,
        firstTimestamp: LONG_AGO,
        lastTimestamp: "2011-02-03T04:05:06Z",
        source: { component: "maker", host: "here" },
      },
    },
    {
      path: core(namespace, "events"),
      object: { metadata: { name: "two" }, involvedObject: { kind: "Gadget", namespace }, reason: "Old", type: "Warning" },
    },
    {
      path: core(namespace, "endpoints"),
      object: {
        metadata: { name: "apart" },
        subsets: [
          {
            addresses: [{ ip: "10.0.0.1" }, { ip: "10.0.0.2" }],
            ports: [
              { name: "a", port: 80 },
              { name: "b", port: 81 },
            ],
          },
        ],
      },
    },
    {
      path: of("apps/v1", namespace, "deployments"),
      object: { metadata: at, spec: { replicas: 3, selector: labels, template: template() } },
      status: { replicas: 3, readyReplicas: 2, updatedReplicas: 3, availableReplicas: 1 },
    },
    { path: of("apps/v1", namespace, "replicasets"), object: { metadata: at, spec: { selector: labels, template: template() } } },
    {
      path: of("apps/v1", namespace, "statefulsets"),
      object: { metadata: at, spec: { serviceName: "s", selector: labels, template: template() } },
    },
    {
      path: of("apps/v1", namespace, "daemonsets"),
      object: { metadata: at, spec: { selector: labels, template: template({ nodeSelector: { a: "b" } }) } },
    },
    { path: of("apps/v1", namespace, "controllerrevisions"), object: { metadata: at, revision: 4, data: {} } },
    {
      path: of("batch/v1", namespace, "jobs"),
      object: { metadata: at, spec: { parallelism: 3, template: template({ restartPolicy: "Never" }) } },
    },
    {
      path: of("batch/v1", namespace, "cronjobs"),
      object: {
        metadata: at,
        spec: { schedule: "0 * * * *", timeZone: "Etc/UTC", jobTemplate: { spec: { template: template({ restartPolicy: "Never" }) } } },
      },
      status: { lastScheduleTime: LONG_AGO },
    },
    {
      path: of("rbac.authorization.k8s.io/v1", namespace, "rolebindings"),
      object: {
        metadata: at,
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" },
        subjects: [
          { kind: "User", name: "u", apiGroup: "rbac.authorization.k8s.io" },
          { kind: "Group", name: "g", apiGroup: "rbac.authorization.k8s.io" },
          { kind: "ServiceAccount", name: "s", namespace: "n" },
          { kind: "ServiceAccount", name: "t", namespace: "n" },
        ],
      },
    },
    { path: of("rbac.authorization.k8s.io/v1", namespace, "roles"), object: { metadata: at, rules: [] } },
    { path: of("coordination.k8s.io/v1", namespace, "leases"), object: { metadata: at, spec: { holderIdentity: "me" } } },
    {
      path: of("discovery.k8s.io/v1", namespace, "endpointslices"),
      object: {
        metadata: at,
        addressType: "IPv4",
        endpoints: ["1", "2", "3", "4"].map((n) => ({ addresses: [`10.0.0.${n}`] })),
        ports: [{ name: "a", port: 80 }, { name: "b" }],
      },
    },
    {
      path: of("networking.k8s.io/v1", namespace, "ingresses"),
      object: {
        metadata: at,
        spec: {
          ingressClassName: "nginx",
          tls: [{}],
          rules: ["a", "b", "c", "d", "e"].map((host) => ({ host: `${host}.example.com` })),
        },
      },
      status: { loadBalancer: { ingress: [{ ip: "10.0.0.2" }, { hostname: "a-very-long-name.example.com" }] } },
    },
    {
      path: of("networking.k8s.io/v1", namespace, "networkpolicies"),
      object: { metadata: at, spec: { podSelector: selector, policyTypes: ["Ingress"] } },
    },
    { path: of("policy/v1", namespace, "poddisruptionbudgets"), object: { metadata: at, spec: { minAvailable: "50%", selector: labels } } },
    {
      path: of("autoscaling/v2", namespace, "horizontalpodautoscalers"),
      object: {
        metadata: at,
        spec: {
          scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
          maxReplicas: 5,
          metrics: [
            { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
            { type: "Pods", pods: { metric: { name: "x" }, target: { type: "AverageValue", averageValue: "1k" } } },
            { type: "External", external: { metric: { name: "x" }, target: { type: "Value", value: "10" } } },
          ],
        },
      },
    },
  ];
}

/** Creates an object, writes its status, and reads its table at this version, before controllers change it. */
async function show({ send, quietly }: Session, step: string, { path, object, status: state }: Sample): Promise<void> {
  let { metadata } = await quietly("POST", path, { body: object });
  if (state !== undefined) {
    const headers = { "content-type": "application/merge-patch+json" };
    ({ metadata } = await quietly("PATCH", `${path}/${object["metadata"].name}/status`, { body: { status: state }, headers }));
  }
  const of = `fieldSelector=metadata.name%3D${object["metadata"].name}&includeObject=None`;
  const query = `${of}&resourceVersionMatch=Exact&resourceVersion=${metadata?.resourceVersion}`;
  await send(step, "GET", path, { headers: { accept: TABLE }, query });
}

function podSample(namespace: string, name: string): Sample {
  const pod = PODS[name];
  // No scheduler may assign it, whatever runs with the server.
  const spec = { ...template()["spec"], schedulerName: "nobody", ...pod?.spec };
  const object = { apiVersion: "v1", kind: "Pod", metadata: { name }, spec };
  return { path: core(namespace, "pods"), object, ...(pod === undefined ? {} : { status: pod.status }) };
}

const column = (name: string, type: string, jsonPath: string, more: object = {}): object => ({ name, type, jsonPath, ...more });
const COLUMNS = [
  column("Text", "string", ".spec.text"),
  column("Count", "integer", ".spec.count", { priority: 1, description: "how many" }),
  column("Ratio", "number", ".spec.ratio"),
  column("On", "boolean", ".spec.on"),
  column("When", "date", ".spec.when", { format: "date-time" }),
  column("Ready", "string", '.status.conditions[?(@.type=="Ready")].status'),
  column("Since", "date", ".status.conditions[?(@.type=='Ready')].lastTransitionTime"),
  column("First", "string", ".spec.items[0].name"),
  column("Last", "string", ".spec.items[-1].name"),
  column("Each", "string", ".spec.items[*].name"),
  column("List", "string", ".spec.items"),
  column("Map", "string", ".spec.labels"),
  column("Quoted", "string", ".spec.labels['a.b/c']"),
  column("Escaped", "string", ".spec.labels.a\\.b/c"),
  column("Number", "string", ".spec.ratio"),
  column("Wrong", "integer", ".spec.text"),
  column("Beyond", "string", ".spec.items[7].name"),
];
const things = "/apis/tables.treadle.dev/v1";

export const tables: readonly Scenario[] = [
  {
    name: "tables of custom resources",
    async run({ send, quietly, watch, namespace, gadgets }) {
      const headers = { accept: TABLE };
      await quietly("POST", gadgets, { body: gadget("a", { size: 3 }) });
      await quietly("POST", gadgets, { body: gadget("b") });
      await send("a list", "GET", gadgets, { headers });
      await send("an object", "GET", `${gadgets}/a`, { headers });
      await send("with objects", "GET", gadgets, { headers, query: "includeObject=Object" });
      await send("without objects", "GET", gadgets, { headers, query: "includeObject=None" });
      await send("with something else", "GET", gadgets, { headers, query: "includeObject=Some" });
      await send("a page", "GET", gadgets, { headers, query: "limit=1" });
      await send("in the older version", "GET", gadgets, { headers: { accept: TABLE.replace("v=v1", "v=v1beta1") } });
      await send("in a version that is none", "GET", gadgets, { headers: { accept: TABLE.replace("v=v1", "v=v7") } });
      await send("in a group that is none", "GET", gadgets, { headers: { accept: TABLE.replace("meta.k8s.io", "example.com") } });
      await send("one of several forms", "GET", gadgets, {
        headers: { accept: `${TABLE.replace("v=v1", "v=v7")},${TABLE},application/json` },
      });
      await send("as YAML", "GET", `${gadgets}/a`, { headers: { accept: TABLE.replace("json", "yaml") } });
      await send("absent", "GET", `${gadgets}/absent`, { headers });
      await send("created", "POST", gadgets, { headers, body: gadget("c") });
      await send("deleted", "DELETE", `${gadgets}/c`, { headers });
      await quietly("DELETE", `${gadgets}/b`);
      await watch("watched", { path: `${gadgets}?watch=true`, headers }, 2, () => quietly("POST", gadgets, { body: gadget("d") }));
      const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
      const version = { name: "v1", served: true, storage: true, schema, additionalPrinterColumns: COLUMNS };
      await quietly("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
        body: {
          apiVersion: "apiextensions.k8s.io/v1",
          kind: "CustomResourceDefinition",
          metadata: { name: "things.tables.treadle.dev" },
          spec: { group: "tables.treadle.dev", scope: "Namespaced", names: { kind: "Thing", plural: "things" }, versions: [version] },
        },
      });
      const path = `${things}/namespaces/${namespace}/things`;
      const spec = {
        text: "t",
        count: 3,
        ratio: 1.5,
        on: true,
        when: LONG_AGO,
        items: [{ name: "x" }, { name: "y" }],
        labels: { "a.b/c": "d", z: null },
      };
      const conditions = [{ type: "Ready", status: "True", lastTransitionTime: LONG_AGO }];
      for (let tries = 0; tries < 50 && (await quietly("GET", path))["kind"] !== "ThingList"; tries++)
        await new Promise((resolve) => void setTimeout(resolve, 100));
      const thing = (name: string, fields: object): Json => ({
        apiVersion: "tables.treadle.dev/v1",
        kind: "Thing",
        metadata: { name },
        ...fields,
      });
      await quietly("POST", path, { body: thing("full", { spec, status: { conditions } }) });
      await quietly("POST", path, { body: thing("empty", {}) });
      await quietly("POST", path, {
        body: thing("wrong", { spec: { text: 5, count: "x", ratio: 2, on: "yes", when: "never", items: "no" } }),
      });
      await quietly("POST", path, { body: thing("null", { spec: { text: null, items: [], when: null } }) });
      await send("columns of every type", "GET", path, { headers });
    },
  },
  {
    name: "tables of built-in kinds",
    async run(session) {
      const { send, quietly, namespace, watch } = session;
      const headers = { accept: TABLE };
      const query = "includeObject=None";
      // The real server needs the account for pods. Its controllers may have created it.
      await quietly("POST", core(namespace, "serviceaccounts"), { body: { metadata: { name: "default" } } });
      // Before the quota, which would refuse the pods.
      for (const name of Object.keys(PODS)) await show(session, `pod ${name}`, podSample(namespace, name));
      for (const sample of samples(namespace))
        await show(session, `${sample.path.split("/").at(-1)} ${sample.object["metadata"].name}`, sample);
      await send("events of their group", "GET", `${of("events.k8s.io/v1", namespace, "events")}`, {
        headers,
        query: `${query}&fieldSelector=metadata.name%3Done`,
      });
      await send("an empty list", "GET", of("batch/v1", namespace, "jobs"), { headers, query: "labelSelector=no%3Dsuch" });
      await send("namespace", "GET", `/api/v1/namespaces/${namespace}`, { headers });
      await send("definition", "GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gadgets.conformance.treadle.dev", {
        headers,
        query: "includeObject=None",
      });
      const maps = core(namespace, "configmaps");
      await watch("watched", { path: `${maps}?watch=true&${query}&fieldSelector=metadata.name%3Done`, headers }, 1);
      const streaming = `watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&labelSelector=no=body`;
      for (const plural of ["configmaps", "pods", "services", "events"])
        await watch(`the bookmark of ${plural}`, { path: `/api/v1/namespaces/${namespace}/${plural}?${streaming}`, headers }, 1);
    },
  },
  {
    name: "tables of cluster-scoped kinds",
    async run({ send, quietly, namespace }) {
      const name = namespace;
      const made: readonly { readonly path: string; readonly object: Json; readonly status?: Json }[] = [
        {
          path: "/api/v1/nodes",
          object: {
            metadata: { name, labels: { "node-role.kubernetes.io/worker": "", "kubernetes.io/role": "extra" } },
            spec: { unschedulable: true },
          },
          status: {
            conditions: [{ type: "Ready", status: "False" }],
            addresses: [{ type: "InternalIP", address: "10.0.0.9" }],
            nodeInfo: {
              kubeletVersion: "v1.2.3",
              kernelVersion: "5",
              architecture: "amd64",
              osImage: "",
              containerRuntimeVersion: "c://1",
            },
          },
        },
        {
          path: "/api/v1/persistentvolumes",
          object: {
            metadata: { name },
            spec: {
              capacity: { storage: "1024Mi" },
              accessModes: ["ReadWriteMany", "ReadWriteOnce"],
              hostPath: { path: "/x" },
              storageClassName: "fast",
            },
          },
        },
        {
          path: "/apis/storage.k8s.io/v1/storageclasses",
          object: {
            metadata: { name, annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
            provisioner: "example.com/p",
          },
        },
        { path: "/apis/scheduling.k8s.io/v1/priorityclasses", object: { metadata: { name }, value: 7 } },
        {
          path: "/apis/networking.k8s.io/v1/ingressclasses",
          object: {
            metadata: { name },
            spec: { controller: "example.com/c", parameters: { apiGroup: "example.com", kind: "Thing", name: "t", scope: "Cluster" } },
          },
        },
        {
          path: "/apis/storage.k8s.io/v1/csidrivers",
          object: { metadata: { name }, spec: { tokenRequests: [{ audience: "a" }], volumeLifecycleModes: ["Ephemeral"] } },
        },
        {
          path: "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
          object: { metadata: { name }, roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "r" } },
        },
        { path: "/apis/rbac.authorization.k8s.io/v1/clusterroles", object: { metadata: { name }, rules: [] } },
        { path: "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", object: { metadata: { name }, webhooks: [] } },
      ];
      for (const { path, object, status: state } of made) {
        await quietly("POST", path, { body: object });
        const body = { status: state };
        if (state !== undefined)
          await quietly("PATCH", `${path}/${name}/status`, { body, headers: { "content-type": "application/merge-patch+json" } });
        await send(path.split("/").at(-1) ?? "", "GET", `${path}/${name}`, { headers: { accept: TABLE }, query: "includeObject=None" });
        await quietly("DELETE", `${path}/${name}`);
      }
    },
  },
];
