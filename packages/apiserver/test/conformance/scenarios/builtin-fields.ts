/** Fields of built-in kinds: owners by list item, unknown and duplicate fields, values of a wrong type. */
import type { Json, Scenario } from "../session.ts";

const merge = { "content-type": "application/merge-patch+json" };
const labels = { app: "a" };
const container = (name: string, more: Json = {}): Json => ({ name, image: "i:1", ...more });

function deployment(name: string, containers: unknown, more: Json = {}): Json {
  const template = { metadata: { labels }, spec: { containers } };
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name }, spec: { selector: { matchLabels: labels }, template, ...more } };
}

export const builtInFields: readonly Scenario[] = [
  {
    name: "owners of a deployment",
    async run({ namespace, send, quietly }) {
      const all = `/apis/apps/v1/namespaces/${namespace}/deployments`;
      await send("created", "POST", all, {
        query: "fieldManager=one",
        body: deployment("d", [container("a", { ports: [{ containerPort: 80 }], env: [{ name: "X", value: "1" }] }), container("b")]),
      });
      const patch = (step: string, manager: string, body: unknown): Promise<unknown> =>
        send(step, "PATCH", `${all}/d`, { query: `fieldManager=${manager}`, body, headers: merge });
      const containers = (list: unknown): Json => ({ spec: { template: { spec: { containers: list } } } });
      await patch("replicas by another", "two", { spec: { replicas: 3 } });
      await patch("an image by another", "two", containers([container("a", { image: "i:2" }), container("b")]));
      await patch("one item less", "three", containers([container("b")]));
      await patch("a toleration", "three", { spec: { template: { spec: { tolerations: [{ operator: "Exists" }] } } } });
      await patch("the strategy", "two", { spec: { strategy: { rollingUpdate: { maxSurge: 1 } } } });
      await patch("a default removed", "two", { spec: { revisionHistoryLimit: null } });
      const condition = { type: "Available", status: "True", reason: "R", message: "m" };
      await send("a status", "PATCH", `${all}/d/status`, {
        query: "fieldManager=controller",
        body: { status: { replicas: 1, observedGeneration: 1, conditions: [condition] } },
        headers: merge,
      });
      await send("a status with an unknown field", "PATCH", `${all}/d/status`, {
        body: { status: { nonsense: 1 } },
        headers: merge,
      });
      const live = await quietly("GET", `${all}/d`);
      await send("replaced", "PUT", `${all}/d`, { query: "fieldManager=four", body: { ...live, spec: { ...live["spec"], replicas: 5 } } });
    },
  },
  {
    name: "owners of a service",
    async run({ namespace, send }) {
      const all = `/api/v1/namespaces/${namespace}/services`;
      const port = (number: number): Json => ({ name: `p${number}`, port: number });
      await send("created", "POST", all, {
        query: "fieldManager=one",
        body: { apiVersion: "v1", kind: "Service", metadata: { name: "s" }, spec: { selector: labels, ports: [port(80), port(81)] } },
      });
      const patch = (step: string, manager: string, body: unknown): Promise<unknown> =>
        send(step, "PATCH", `${all}/s`, { query: `fieldManager=${manager}`, body, headers: merge });
      await patch("a port more", "two", { spec: { ports: [port(80), port(81), { name: "u", port: 80, protocol: "UDP" }] } });
      await patch("a port less", "three", { spec: { ports: [port(80)] } });
      await patch("a selector", "two", { spec: { selector: { b: "c" } } });
      await patch("to a node port", "two", { spec: { type: "NodePort" } });
      await patch("and back", "two", { spec: { type: "ClusterIP" } });
      await patch("to a load balancer", "two", { spec: { type: "LoadBalancer" } });
      await send("a status", "PATCH", `${all}/s/status`, {
        query: "fieldManager=lb",
        body: { status: { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } } },
        headers: merge,
      });
    },
  },
  {
    name: "contents and immutable fields of built-in kinds",
    async run({ namespace, send, quietly }) {
      const core = `/api/v1/namespaces/${namespace}`;
      const change = async (step: string, path: string, body: Json, patch: Json): Promise<void> => {
        await quietly("POST", path, { body: { ...body, metadata: { name: step.replaceAll(" ", "-") } } });
        await send(step, "PATCH", `${path}/${step.replaceAll(" ", "-")}`, { body: patch, headers: merge });
      };
      const maps = `${core}/configmaps`;
      const frozen = { data: { a: "b" }, immutable: true };
      await change("data of an immutable one", maps, frozen, { data: { a: "c" } });
      await change("thawed", maps, frozen, { immutable: false });
      await change("binary data added", maps, frozen, { binaryData: { b: "Zg==" } });
      await change("labels of an immutable one", maps, frozen, { metadata: { labels: { a: "b" } } });
      await send("a key of two bags", "POST", maps, { body: { metadata: { name: "k" }, data: { a: "b" }, binaryData: { a: "Zg==" } } });
      await send("a key with dots", "POST", maps, { body: { metadata: { name: "k" }, data: { "..a": "b" } } });
      await send("a long key", "POST", maps, { body: { metadata: { name: "k" }, data: { ["a".repeat(254)]: "b" } } });
      await send("too much", "POST", maps, { body: { metadata: { name: "k" }, data: { a: "b".repeat(2 ** 20 + 1) } } });
      const secrets = `${core}/secrets`;
      await change("type of a secret", secrets, {}, { type: "other" });
      await change("an immutable secret", secrets, { data: { a: "Zg==" }, immutable: true }, { data: { a: "Zw==" } });
      for (const type of ["tls", "basic-auth", "ssh-auth", "dockerconfigjson", "dockercfg"])
        await send(`an empty secret: ${type}`, "POST", secrets, { body: { metadata: { name: type }, type: `kubernetes.io/${type}` } });
      const role = { roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" } };
      const bindings = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`;
      await change("another role", bindings, role, { roleRef: { name: "s" } });
      const apps = `/apis/apps/v1/namespaces/${namespace}`;
      const { spec } = deployment("x", [container("a")]);
      const template = { metadata: { labels: { app: "a", b: "c" } } };
      for (const plural of ["deployments", "daemonsets", "replicasets"])
        await change(`selector of ${plural}`, `${apps}/${plural}`, { spec }, { spec: { selector: { matchLabels: { b: "c" } }, template } });
      await change("service of a set", `${apps}/statefulsets`, { spec: { ...spec, serviceName: "s" } }, { spec: { serviceName: "t" } });
      await change("image of a set", `${apps}/statefulsets`, { spec }, { spec: { template: { spec: { containers: [container("b")] } } } });
    },
  },
  {
    name: "events in two groups",
    async run({ namespace, send }) {
      const core = `/api/v1/namespaces/${namespace}/events`;
      const events = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
      const about = { apiVersion: "v1", kind: "ConfigMap", name: "c", namespace };
      await send("created, minimal", "POST", core, { body: { metadata: { name: "a" }, involvedObject: about } });
      const time = "2026-01-01T00:00:00Z";
      await send("created", "POST", core, {
        body: {
          metadata: { name: "b" },
          involvedObject: about,
          type: "Warning",
          reason: "R",
          message: "m",
          count: 2,
          firstTimestamp: time,
        },
      });
      await send("read in the other group", "GET", `${events}/a`);
      await send("read whole in the other group", "GET", `${events}/b`);
      await send("created in the other group", "POST", events, {
        body: {
          metadata: { name: "c" },
          regarding: about,
          type: "Normal",
          reason: "R",
          action: "A",
          note: "n",
          eventTime: "2026-01-01T00:00:00.000000Z",
          reportingController: "example.com/c",
          reportingInstance: "c-1",
        },
      });
      await send("read in the first group", "GET", `${core}/c`);
      await send("a series", "PATCH", `${events}/c`, {
        query: "fieldManager=two",
        body: { series: { count: 2, lastObservedTime: "2026-01-01T00:00:01.000000Z" } },
        headers: merge,
      });
    },
  },
  {
    name: "unknown fields of built-in kinds",
    async run({ namespace, send }) {
      const all = `/apis/apps/v1/namespaces/${namespace}/deployments`;
      const maps = `/api/v1/namespaces/${namespace}/configmaps`;
      const odd = (name: string): Json => deployment(name, [container("a", { imag: "x" })], { replica: 1 });
      for (const validation of ["Strict", "Warn", "Ignore", ""]) {
        const name = `d-${validation.toLowerCase() || "default"}`;
        const query = validation === "" ? "" : `fieldValidation=${validation}`;
        await send(`created: ${validation}`, "POST", all, { query, body: odd(name) });
        await send(`patched: ${validation}`, "PATCH", `${all}/d-ignore`, {
          query,
          body: { spec: { a: 1, template: { b: 2 } } },
          headers: merge,
        });
        const body = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"},"data":{"a":"1","a":"2"},"dato":{}}`;
        await send(`twice and unknown: ${validation}`, "POST", maps, { query, body });
        const mixed = JSON.stringify(odd(`x-${name}`)).replace('"replica":1', '"replica":1,"paused":true,"colour":2,"paused":false');
        await send(`unknown and repeated: ${validation}`, "POST", all, { query, body: mixed });
        await send(`in the metadata: ${validation}`, "POST", maps, { query, body: { metadata: { name: `m-${name}`, nonsense: 1 } } });
      }
    },
  },
  {
    name: "values of a wrong type in built-in kinds",
    async run({ namespace, send }) {
      const root = `/namespaces/${namespace}`;
      const cases: readonly (readonly [string, string, unknown])[] = [
        ["replicas of text", `/apis/apps/v1${root}/deployments`, deployment("d", [container("a")], { replicas: "3" })],
        ["replicas with a fraction", `/apis/apps/v1${root}/deployments`, deployment("d", [container("a")], { replicas: 1.5 })],
        ["replicas beyond 32 bits", `/apis/apps/v1${root}/deployments`, deployment("d", [container("a")], { replicas: 2 ** 40 })],
        ["a spec of text", `/apis/apps/v1${root}/deployments`, { ...deployment("d", []), spec: "x" }],
        ["containers that are none", `/apis/apps/v1${root}/deployments`, deployment("d", {})],
        ["a container of text", `/apis/apps/v1${root}/deployments`, deployment("d", ["x"])],
        ["an image of a number", `/apis/apps/v1${root}/deployments`, deployment("d", [container("a", { image: 5 })])],
        ["a pull policy of a number", `/apis/apps/v1${root}/deployments`, deployment("d", [container("a", { imagePullPolicy: 5 })])],
        ["a flag of text", `/apis/apps/v1${root}/deployments`, deployment("d", [container("a", { stdin: "yes" })])],
        [
          "a bad quantity",
          `/apis/apps/v1${root}/deployments`,
          deployment("d", [container("a", { resources: { limits: { cpu: "lots" } } })]),
        ],
        ["a bad unit", `/apis/apps/v1${root}/deployments`, deployment("d", [container("a", { resources: { limits: { cpu: "5x" } } })])],
        [
          "an empty quantity",
          `/apis/apps/v1${root}/deployments`,
          deployment("d", [container("a", { resources: { limits: { cpu: "" } } })]),
        ],
        [
          "a quantity of a list",
          `/apis/apps/v1${root}/deployments`,
          deployment("d", [container("a", { resources: { limits: { cpu: [] } } })]),
        ],
        ["labels of a template", `/apis/apps/v1${root}/deployments`, deployment("d", [], { template: { metadata: { labels: { a: 1 } } } })],
        ["data of a number", `/api/v1${root}/configmaps`, { metadata: { name: "c" }, data: { a: 1 } }],
        ["data of text", `/api/v1${root}/configmaps`, { metadata: { name: "c" }, data: "x" }],
        ["data that is not base64", `/api/v1${root}/secrets`, { metadata: { name: "s" }, data: { a: "b*" } }],
        ["base64 cut short", `/api/v1${root}/secrets`, { metadata: { name: "s" }, data: { a: "Yg=" } }],
        ["data of bytes as a number", `/api/v1${root}/secrets`, { metadata: { name: "s" }, data: { a: 5 } }],
        [
          "a target port of a list",
          `/api/v1${root}/services`,
          { metadata: { name: "s" }, spec: { ports: [{ port: 80, targetPort: [] }] } },
        ],
        [
          "a target port with a fraction",
          `/api/v1${root}/services`,
          { metadata: { name: "s" }, spec: { ports: [{ port: 80, targetPort: 1.5 }] } },
        ],
        ["rules of text", `/apis/rbac.authorization.k8s.io/v1${root}/roles`, { metadata: { name: "r" }, rules: "x" }],
        [
          "a time that is none",
          `/apis/coordination.k8s.io/v1${root}/leases`,
          { metadata: { name: "l" }, spec: { renewTime: "yesterday" } },
        ],
        [
          "a time without micros",
          `/apis/coordination.k8s.io/v1${root}/leases`,
          { metadata: { name: "l" }, spec: { renewTime: "2026-01-01T00:00:00Z" } },
        ],
        ["a time of a number", `/apis/coordination.k8s.io/v1${root}/leases`, { metadata: { name: "l" }, spec: { renewTime: 5 } }],
      ];
      for (const [step, path, body] of cases) await send(step, "POST", path, { body });
      await send("to patch", "POST", `/api/v1${root}/configmaps`, { body: { metadata: { name: "c" }, data: { a: "1" } } });
      await send("a patch to a number", "PATCH", `/api/v1${root}/configmaps/c`, { body: { data: { a: 1 } }, headers: merge });
      await send("a patch with null", "PATCH", `/api/v1${root}/configmaps/c`, { body: { data: { a: null } }, headers: merge });
    },
  },
];
