/** Kinds that are not stored: bindings and ComponentStatuses. Logs and proxies of pods that do not run. Discovery documents. */
import type { Json, Scenario } from "../session.ts";

const TABLE = { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" };
const AGGREGATED = { accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" };

export const computedKinds: readonly Scenario[] = [
  {
    name: "component statuses",
    async run({ send }) {
      const path = "/api/v1/componentstatuses";
      const etcd = "fieldSelector=metadata.name%3Detcd-0";
      await send("list", "GET", path, { query: etcd });
      await send("list as a table", "GET", path, { query: etcd, headers: TABLE });
      await send("list as metadata", "GET", path, {
        query: etcd,
        headers: { accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1" },
      });
      for (const query of [
        `${etcd}&limit=1`,
        `${etcd}&resourceVersion=5`,
        "labelSelector=a%3Db",
        "labelSelector=(",
        "fieldSelector=spec.x%3D1",
        "limit=x",
        "watch=1",
      ])
        await send(`list with ${query}`, "GET", path, { query });
      for (const name of ["etcd-0", "scheduler", "controller-manager", "none"]) {
        await send(`get ${name}`, "GET", `${path}/${name}`);
        await send(`get ${name} as a table`, "GET", `${path}/${name}`, { headers: TABLE });
      }
      await send("watch by path", "GET", "/api/v1/watch/componentstatuses");
      await send("status", "GET", `${path}/etcd-0/status`);
      for (const method of ["POST", "PUT", "DELETE"] as const) {
        await send(`${method} of the list`, method, path, { body: {} });
        await send(`${method} of one`, method, `${path}/etcd-0`, { body: {} });
      }
    },
  },
  {
    name: "bindings to nodes",
    async run({ send, quietly, namespace }) {
      const at = `/api/v1/namespaces/${namespace}`;
      const pod = (name: string): Json => ({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name },
        spec: { containers: [{ name: "a", image: "b" }] },
      });
      for (const name of ["one", "two"]) await quietly("POST", `${at}/pods`, { body: pod(name) });
      const bodies: Readonly<Record<string, Json>> = {
        "in a dry run": { metadata: { name: "one" }, target: { name: "n1" } },
        right: { metadata: { name: "one", labels: { a: "b" }, annotations: { c: "d" } }, target: { kind: "Node", name: "n1" } },
        again: { metadata: { name: "one" }, target: { name: "n2" } },
        "of no pod": { metadata: { name: "none" }, target: { name: "n1" } },
        "without a name": { target: { name: "n1" } },
        "with a generated name": { metadata: { generateName: "t" }, target: { name: "n1" } },
        "without a target": { metadata: { name: "two" } },
        "to another kind": { metadata: { name: "two" }, target: { kind: "Pod", name: "x" } },
        "of another namespace": { metadata: { name: "two", namespace: "other" }, target: { name: "n1" } },
        "of another kind": { kind: "Pod", apiVersion: "v1", metadata: { name: "two" } },
        "of another pod": { metadata: { name: "two", uid: "other" }, target: { name: "n1" } },
      };
      for (const [what, body] of Object.entries(bodies))
        await send(`binding ${what}`, "POST", `${at}/bindings`, { body, ...(what === "in a dry run" ? { query: "dryRun=All" } : {}) });
      for (const name of ["one", "two"]) await send(`pod ${name}`, "GET", `${at}/pods/${name}`);
      for (const method of ["GET", "PUT", "DELETE"] as const) {
        await send(`${method} of all`, method, `${at}/bindings`);
        await send(`${method} of one`, method, `${at}/bindings/one`);
      }
      await send("of no namespace", "POST", "/api/v1/bindings", { body: bodies["right"] ?? {} });
      await send("list of all namespaces", "GET", "/api/v1/bindings");
    },
  },
  {
    name: "logs and proxies",
    async run({ send, quietly, namespace }) {
      const at = `/api/v1/namespaces/${namespace}`;
      const containers = ["a", "b"].map((name) => ({ name, image: "b" }));
      const pod = (name: string, spec: Json): Json => ({ apiVersion: "v1", kind: "Pod", metadata: { name }, spec });
      await quietly("POST", `${at}/pods`, { body: pod("one", { containers: containers.slice(0, 1) }) });
      await quietly("POST", `${at}/pods`, { body: pod("two", { containers }) });
      await quietly("POST", `${at}/pods`, { body: pod("placed", { containers: containers.slice(0, 1), nodeName: "nowhere" }) });
      await quietly("POST", `${at}/services`, {
        body: { apiVersion: "v1", kind: "Service", metadata: { name: "web" }, spec: { ports: [{ port: 80 }] } },
      });
      for (const name of ["one", "two", "placed", "none"]) {
        await send(`log of ${name}`, "GET", `${at}/pods/${name}/log`);
        await send(`log of a container of ${name}`, "GET", `${at}/pods/${name}/log`, { query: "container=b" });
        await send(`proxy to ${name}`, "GET", `${at}/pods/${name}/proxy`);
        await send(`proxy below ${name}`, "POST", `${at}/pods/${name}/proxy/a/b`, { body: {} });
      }
      for (const query of ["tailLines=-1", "limitBytes=0", "sinceSeconds=0", "tailLines=x"])
        await send(`log with ${query}`, "GET", `${at}/pods/one/log`, { query });
      await send("log that is posted", "POST", `${at}/pods/one/log`, { body: {} });
      await send("proxy to a service without endpoints", "GET", `${at}/services/web/proxy`);
      await send("proxy to a port without endpoints", "GET", `${at}/services/web:80/proxy/x`);
      await send("proxy to no service", "GET", `${at}/services/none/proxy`);
      await send("proxy to no node", "GET", "/api/v1/nodes/none/proxy");
    },
  },
  {
    name: "discovery documents",
    async run({ send }) {
      const groups = [
        "apps",
        "batch",
        "autoscaling",
        "policy",
        "admissionregistration.k8s.io",
        "apiextensions.k8s.io",
        "rbac.authorization.k8s.io",
      ];
      for (const path of ["/api/v1", ...groups.flatMap((group) => [`/apis/${group}`, `/apis/${group}/v1`])]) await send(path, "GET", path);
      await send("aggregated core", "GET", "/api", { headers: AGGREGATED });
    },
  },
];
