/** Refusals by ResourceQuotas, and what admission adds to their status. The scenarios write the limits as the controller would. */
import type { Json, Scenario, Session } from "../session.ts";

const MERGE = { "content-type": "application/merge-patch+json" };
const ATTEMPTS = 1000;

interface Limits {
  readonly hard: Json;
  readonly spec?: Json;
  /** Body of a POST that uses something of the quota, and its collection. */
  readonly probe: readonly [collection: string, object: Json];
}

/** Creates a quota with its status. The server's cache of quotas needs a moment: a probe is refused, and then it is not. */
async function limit({ namespace, quietly }: Session, { hard, spec = {}, probe: [collection, object] }: Limits): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/resourcequotas`;
  await quietly("POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, { body: { metadata: { name: "default" } } });
  const status = async (used: Json, isRefused: boolean): Promise<void> => {
    await quietly("PATCH", `${path}/q/status`, { headers: MERGE, body: { status: { hard, used } } });
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { code } = await quietly("POST", collection, { query: "dryRun=All", body: object });
      if ((code === 403) === isRefused) return;
    }
  };
  await quietly("POST", path, { body: { metadata: { name: "q" }, spec: { hard, ...spec } } });
  await status(hard, true);
  await status(Object.fromEntries(Object.keys(hard).map((name) => [name, "0"])), false);
  return `${path}/q`;
}

function pod(name: string, { resources = {}, ...spec }: Json = {}): Json {
  return {
    metadata: { name },
    spec: { automountServiceAccountToken: false, containers: [{ name: "main", image: "app", resources }], ...spec },
  };
}

const small = { requests: { cpu: "100m", memory: "100Mi" }, limits: { cpu: "500m" } };

export const quotas: readonly Scenario[] = [
  {
    name: "quotas of pods",
    run: async (session) => {
      const { namespace, send, quietly } = session;
      const pods = `/api/v1/namespaces/${namespace}/pods`;
      const hard = { pods: "3", cpu: "1", "requests.memory": "1Gi", "limits.cpu": "2", "count/pods": "4", "requests.example.com/gpu": "1" };
      const quota = await limit(session, { hard, probe: [pods, pod("probe", { resources: small })] });
      await send("without requests", "POST", pods, { body: pod("none") });
      const init = {
        initContainers: [
          { name: "first", image: "app" },
          { name: "b", image: "app", resources: small },
        ],
      };
      await send("without requests of an init container", "POST", pods, { body: pod("none", { resources: small, ...init }) });
      await send("a small one", "POST", pods, { body: pod("small", { resources: small }) });
      await send("used", "GET", quota);
      const big = { requests: { cpu: "901m", memory: "2Gi" }, limits: { cpu: "1500m" } };
      await send("a big one", "POST", pods, { body: pod("big", { resources: big }) });
      await send("a big one in a dry run", "POST", pods, { query: "dryRun=All", body: pod("big", { resources: big }) });
      await send("a big one without a name", "POST", pods, {
        body: { ...pod("big", { resources: big }), metadata: { name: "without", generateName: "big-" } },
      });
      await send("in a dry run", "POST", pods, { query: "dryRun=All", body: pod("dry", { resources: small }) });
      const gpus = { "example.com/gpu": "2" };
      await send("with devices", "POST", pods, {
        body: pod("gpu", { resources: { requests: { ...small.requests, ...gpus }, limits: { ...small.limits, ...gpus } } }),
      });
      const starts = [
        { name: "helper", image: "app", restartPolicy: "Always", resources: small },
        { name: "first", image: "app", resources: { requests: { cpu: "300m", memory: "300Mi" }, limits: { cpu: "300m" } } },
      ];
      await send("with init containers", "POST", pods, { body: pod("init", { resources: small, initContainers: starts }) });
      await send("used after init containers", "GET", quota);
      const ofPod = { requests: { cpu: "200m", memory: "1Mi" }, limits: { cpu: "300m" } };
      await send("with resources of the pod", "POST", pods, {
        body: { metadata: { name: "whole" }, spec: { ...pod("whole")["spec"], resources: ofPod } },
      });
      await send("too many", "POST", pods, { body: pod("fourth", { resources: small }) });
      await quietly("DELETE", `${pods}/small`);
      await send("used after a deletion", "GET", quota);
    },
  },
  {
    name: "quotas of other kinds",
    run: async (session) => {
      const { namespace, gadgets, send, quietly } = session;
      const root = `/api/v1/namespaces/${namespace}`;
      const hard = {
        configmaps: "1",
        "count/secrets": "1",
        services: "3",
        "services.nodeports": "2",
        "services.loadbalancers": "1",
        "count/deployments.apps": "0",
        "count/gadgets.conformance.treadle.dev": "1",
        persistentvolumeclaims: "3",
        "requests.storage": "3Gi",
        "gold.storageclass.storage.k8s.io/requests.storage": "1Gi",
        "gold.storageclass.storage.k8s.io/persistentvolumeclaims": "1",
      };
      const quota = await limit(session, { hard, probe: [`${root}/configmaps`, { metadata: { name: "probe" } }] });
      for (const name of ["a", "b"]) await send(`ConfigMap ${name}`, "POST", `${root}/configmaps`, { body: { metadata: { name } } });
      for (const name of ["a", "b"]) await send(`Secret ${name}`, "POST", `${root}/secrets`, { body: { metadata: { name } } });
      const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "main", image: "app" }] } };
      await send("a Deployment", "POST", `/apis/apps/v1/namespaces/${namespace}/deployments`, {
        body: { metadata: { name: "a" }, spec: { selector: { matchLabels: { a: "b" } }, template } },
      });
      const applied = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "a" } };
      await send("an applied Deployment", "PATCH", `/apis/apps/v1/namespaces/${namespace}/deployments/a`, {
        query: "fieldManager=me",
        headers: { "content-type": "application/apply-patch+yaml" },
        body: { ...applied, spec: { selector: { matchLabels: { a: "b" } }, template } },
      });
      const gadget = (name: string): Json => ({ apiVersion: "conformance.treadle.dev/v1", kind: "Gadget", metadata: { name }, spec: {} });
      for (const name of ["a", "b"]) await send(`gadget ${name}`, "POST", gadgets, { body: gadget(name) });
      const service = (name: string, spec: Json, ports = 1): Json => ({
        metadata: { name },
        spec: { ports: Array.from({ length: ports }, (_, index) => ({ name: `p${index}`, port: 80 + index })), ...spec },
      });
      const services = `${root}/services`;
      await send("a service", "POST", services, { body: service("a", {}) });
      await send("a service with ports", "POST", services, { body: service("b", { type: "NodePort" }, 3) });
      await send("a balanced service", "POST", services, { body: service("b", { type: "LoadBalancer" }) });
      await send("another balanced service", "POST", services, {
        body: service("c", { type: "LoadBalancer", allocateLoadBalancerNodePorts: false }),
      });
      await send("a service that gets ports", "PATCH", `${services}/a`, { headers: MERGE, body: { spec: { type: "NodePort" } } });
      await send("a service that gets more ports", "PATCH", `${services}/a`, {
        headers: MERGE,
        body: {
          spec: {
            ports: [
              { name: "p0", port: 80 },
              { name: "p1", port: 81 },
              { name: "p2", port: 82 },
            ],
          },
        },
      });
      const claim = (name: string, storage: string, storageClassName?: string): Json => ({
        metadata: { name },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } }, storageClassName },
      });
      const claims = `${root}/persistentvolumeclaims`;
      await quietly("POST", claims, { body: claim("a", "1.5Gi") });
      await send("a big claim", "POST", claims, { body: claim("b", "2Gi") });
      await send("a claim of a class", "POST", claims, { body: claim("b", "2Gi", "gold") });
      await quietly("POST", claims, { body: claim("b", "1Gi", "gold") });
      await send("another claim of a class", "POST", claims, { body: claim("c", "1", "gold") });
      await send("events are not counted", "GET", quota);
      await quietly("DELETE", `${root}/configmaps/a`);
      await send("again", "POST", `${root}/configmaps`, { body: { metadata: { name: "a" } } });
    },
  },
  {
    name: "quotas of scopes",
    run: async (session) => {
      const { namespace, send } = session;
      const pods = `/api/v1/namespaces/${namespace}/pods`;
      const scopes = ["NotTerminating", "NotBestEffort"];
      const burst = { resources: small };
      const quota = await limit(session, { hard: { pods: "1" }, spec: { scopes }, probe: [pods, pod("probe", burst)] });
      await send("best effort", "POST", pods, { body: pod("a") });
      await send("terminating", "POST", pods, { body: pod("b", { ...burst, activeDeadlineSeconds: 60 }) });
      await send("neither", "POST", pods, { body: pod("c", burst) });
      await send("neither, again", "POST", pods, { body: pod("d", burst) });
      await send("one ends", "PATCH", `${pods}/c`, { headers: MERGE, body: { spec: { activeDeadlineSeconds: 60 } } });
      await send("used", "GET", quota);
    },
  },
  {
    name: "quotas of terminating pods",
    run: async (session) => {
      const { namespace, send } = session;
      const pods = `/api/v1/namespaces/${namespace}/pods`;
      const quota = await limit(session, {
        hard: { pods: "1" },
        spec: { scopes: ["Terminating"] },
        probe: [pods, pod("probe", { activeDeadlineSeconds: 60 })],
      });
      await send("first", "POST", pods, { body: pod("a") });
      await send("second", "POST", pods, { body: pod("b") });
      await send("one ends", "PATCH", `${pods}/a`, { headers: MERGE, body: { spec: { activeDeadlineSeconds: 60 } } });
      await send("the other may not", "PATCH", `${pods}/b`, { headers: MERGE, body: { spec: { activeDeadlineSeconds: 60 } } });
      await send("used", "GET", quota);
    },
  },
  {
    name: "quotas of priority classes",
    run: async (session) => {
      const { namespace, quietly, send } = session;
      const pods = `/api/v1/namespaces/${namespace}/pods`;
      const names = ["low", "high"].map((name) => `${namespace}-${name}`);
      const [low = "", high = ""] = names;
      for (const [index, name] of names.entries())
        await quietly("POST", "/apis/scheduling.k8s.io/v1/priorityclasses", { body: { metadata: { name }, value: 1000 + index } });
      const matchExpressions = [{ scopeName: "PriorityClass", operator: "In", values: [high] }];
      const quota = await limit(session, {
        hard: { pods: "1", "requests.cpu": "1" },
        spec: { scopeSelector: { matchExpressions } },
        probe: [pods, pod("probe", { priorityClassName: high, resources: small })],
      });
      await send("without a class", "POST", pods, { body: pod("a") });
      await send("of another class", "POST", pods, { body: pod("b", { priorityClassName: low }) });
      await send("without requests", "POST", pods, { body: pod("c", { priorityClassName: high }) });
      await send("of the class", "POST", pods, { body: pod("c", { priorityClassName: high, resources: small }) });
      await send("another of the class", "POST", pods, { body: pod("d", { priorityClassName: high, resources: small }) });
      await send("used", "GET", quota);
      for (const name of names) await quietly("DELETE", `/apis/scheduling.k8s.io/v1/priorityclasses/${name}`);
    },
  },
  {
    name: "quotas with an unknown use",
    run: async (session) => {
      const { namespace, quietly, send } = session;
      const maps = `/api/v1/namespaces/${namespace}/configmaps`;
      const quota = await limit(session, { hard: { configmaps: "1" }, probe: [maps, { metadata: { name: "probe" } }] });
      await quietly("PATCH", `${quota}/status`, { headers: MERGE, body: { status: { used: null } } });
      for (let attempt = 0; attempt < ATTEMPTS; attempt++)
        if ((await quietly("POST", maps, { query: "dryRun=All", body: { metadata: { name: "probe" } } }))["code"] === 403) break;
      await send("refused", "POST", maps, { body: { metadata: { name: "a" } } });
      await send("another kind", "POST", `/api/v1/namespaces/${namespace}/secrets`, { body: { metadata: { name: "a" } } });
    },
  },
];
