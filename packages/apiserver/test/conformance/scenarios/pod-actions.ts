/** Subresources of single built-in kinds: evictions, bindings, parts of a pod, approvals of certificates, finalizers of namespaces. */
import type { Json, Scenario } from "../session.ts";

const MERGE = { "content-type": "application/merge-patch+json" };
const STRATEGIC = { "content-type": "application/strategic-merge-patch+json" };

function pod(name: string): Json {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: name } },
    spec: { containers: [{ name: "a", image: "b", resources: { requests: { cpu: "1" } } }] },
  };
}

function eviction(name: string, more: Json = {}): Json {
  return { apiVersion: "policy/v1", kind: "Eviction", metadata: { name }, ...more };
}

function binding(name: string, target: Json): Json {
  return { apiVersion: "v1", kind: "Binding", metadata: { name }, target };
}

export const podActions: readonly Scenario[] = [
  {
    name: "evictions",
    async run({ send, quietly, namespace }) {
      const pods = `/api/v1/namespaces/${namespace}/pods`;
      const budget = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
      await quietly("POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, { body: { metadata: { name: "default" } } });
      for (const name of ["kept", "free", "ready"]) await quietly("POST", pods, { body: pod(name) });
      const evict = (step: string, name: string, body: Json = eviction(name), query = ""): Promise<Json> =>
        send(step, "POST", `${pods}/${name}/eviction`, { body, query });
      await evict("of another name", "kept", eviction("other"));
      await evict("of no pod", "absent");
      await evict("that is a pod", "kept", pod("kept"));
      await evict("with options that are none", "kept", eviction("kept", { deleteOptions: { gracePeriodSeconds: "x" } }));
      await quietly("POST", budget, {
        body: { metadata: { name: "one" }, spec: { minAvailable: 1, selector: { matchLabels: { app: "kept" } } } },
      });
      await evict("of one that does not run, dry", "kept", eviction("kept"), "dryRun=All");
      await quietly("PATCH", `${pods}/kept/status`, {
        body: { status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } },
        headers: MERGE,
      });
      await evict("before the budget is known", "kept");
      const status = { observedGeneration: 1, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1, disruptionsAllowed: 0 };
      await quietly("PATCH", `${budget}/one/status`, { body: { status }, headers: MERGE });
      await evict("against the budget", "kept");
      await quietly("PATCH", `${budget}/one/status`, { body: { status: { disruptionsAllowed: 2 } }, headers: MERGE });
      await evict("with the budget, dry", "kept", eviction("kept"), "dryRun=All");
      await send("the pod that was not evicted", "GET", `${pods}/kept`);
      await evict("with the budget", "kept");
      await send("the evicted pod", "GET", `${pods}/kept`);
      await evict("without a budget", "free");
      await send("read", "GET", `${pods}/ready/eviction`);
      await send("deleted", "DELETE", `${pods}/ready/eviction`);
    },
  },
  {
    name: "bindings",
    async run({ send, quietly, namespace }) {
      const pods = `/api/v1/namespaces/${namespace}/pods`;
      await quietly("POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, { body: { metadata: { name: "default" } } });
      await quietly("POST", pods, { body: pod("a") });
      const bind = (step: string, target: Json, name = "a"): Promise<Json> =>
        send(step, "POST", `${pods}/${name}/binding`, { body: binding(name, target) });
      await bind("to another kind", { kind: "Other", name: "n" });
      await bind("to no name", { kind: "Node" });
      await bind("of no pod", { kind: "Node", name: "n" }, "absent");
      await bind("to a node", { kind: "Node", name: "n" });
      await bind("again", { kind: "Node", name: "m" });
      await send("the deletion of a bound pod", "DELETE", `${pods}/a`);
      await bind("of one that goes", { kind: "Node", name: "m" });
      await quietly("DELETE", `${pods}/a`, { body: { gracePeriodSeconds: 0 } });
      await send("the pod that is gone", "GET", `${pods}/a`);
    },
  },
  {
    name: "bindings of the wrong pod, and with metadata",
    async run({ send, quietly, namespace }) {
      const pods = `/api/v1/namespaces/${namespace}/pods`;
      await quietly("POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, { body: { metadata: { name: "default" } } });
      for (const name of ["b", "gated"]) {
        const { metadata, ...rest } = pod(name);
        const spec = { ...rest["spec"], ...(name === "gated" ? { schedulingGates: [{ name: "example.com/gate" }] } : {}) };
        await quietly("POST", pods, { body: { ...rest, spec, metadata: { ...metadata, annotations: { kept: "1", mine: "1" } } } });
      }
      const bind = (step: string, metadata: Json, { name = "b", target = { kind: "Node", name: "n" }, query = "" } = {}): Promise<Json> =>
        send(step, "POST", `${pods}/${name}/binding`, { query, body: { apiVersion: "v1", kind: "Binding", metadata, target } });
      await bind("of a pod that waits at a gate", { name: "gated" }, { name: "gated" });
      await bind("with two mistakes", { name: "b" }, { target: { kind: "Other", name: "" } });
      await bind("with another name", { name: "other" });
      await bind("without a name", {});
      await bind("of another uid", { name: "b", uid: "other" });
      await bind("that is not stored", { name: "b" }, { query: "dryRun=All" });
      await bind("with labels", { name: "b", labels: { app: "x", more: "y" }, annotations: { mine: "2", more: "y" } });
      await send("the pod with what the binding brought", "GET", `${pods}/b`);
    },
  },
  {
    name: "parts of objects",
    async run({ send, quietly, namespace }) {
      const pods = `/api/v1/namespaces/${namespace}/pods`;
      await quietly("POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, { body: { metadata: { name: "default" } } });
      await quietly("POST", pods, { body: pod("a") });
      const labelled = { metadata: { labels: { z: "z" } } };
      await send("ephemeral containers", "PATCH", `${pods}/a/ephemeralcontainers`, {
        body: { ...labelled, spec: { ephemeralContainers: [{ name: "debug", image: "x" }] } },
        headers: STRATEGIC,
      });
      await send("read of ephemeral containers", "GET", `${pods}/a/ephemeralcontainers`);
      await send("a resize", "PATCH", `${pods}/a/resize`, {
        body: { ...labelled, spec: { containers: [{ name: "a", resources: { requests: { cpu: "2" } } }] } },
        headers: STRATEGIC,
      });
      await send("a post to a resize", "POST", `${pods}/a/resize`, { body: {} });
      const name = `${namespace}-held`;
      const path = `/api/v1/namespaces/${name}`;
      await quietly("POST", "/api/v1/namespaces", { body: { apiVersion: "v1", kind: "Namespace", metadata: { name } } });
      const held = { apiVersion: "v1", kind: "Namespace", metadata: { name }, spec: { finalizers: ["kubernetes", "a.b/c"] } };
      await send("finalizers of a namespace", "PUT", `${path}/finalize`, { body: held });
      await send("finalizers of no namespace", "PUT", "/api/v1/namespaces/nowhere/finalize", {
        body: { ...held, metadata: { name: "nowhere" } },
      });
      await send("read of finalizers", "GET", `${path}/finalize`);
    },
  },
];
