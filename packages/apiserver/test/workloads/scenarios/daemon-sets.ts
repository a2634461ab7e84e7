/** DaemonSets: their nodes and their updates. */
import type { Json } from "../../conformance/session.ts";
import { LABEL, type Objects, type Scenario, template } from "../scenario.ts";

function daemonSet(spec: Json = {}): Json {
  return { metadata: { name: "agent" }, spec: { selector: { matchLabels: { app: "agent" } }, template: template("agent"), ...spec } };
}

function isUpToDate({ daemonsets: [one], pods }: Objects): boolean {
  const { metadata, status = {} } = one ?? {};
  const { desiredNumberScheduled: wanted, numberAvailable = 0, updatedNumberScheduled = 0, observedGeneration } = status as Json;
  return (
    observedGeneration === metadata?.generation && numberAvailable === wanted && updatedNumberScheduled === wanted && pods.length === wanted
  );
}

/** Reports whether it has pods on exactly this number of nodes. */
function on(nodes: number): (objects: Objects) => boolean {
  return (objects) => isUpToDate(objects) && objects["daemonsets"]?.[0]?.["status"].desiredNumberScheduled === nodes;
}

export const daemonSets: readonly Scenario[] = [
  {
    name: "daemonset updates",
    async run({ create, merge, settle, remove, namespace }) {
      // Nodes of other scenarios are created and deleted.
      const spec = { ...template("agent")["spec"], nodeSelector: { "kubernetes.io/hostname": namespace } };
      await create("nodes", node(namespace, namespace));
      try {
        await create("daemonsets", daemonSet({ template: { ...template("agent"), spec } }));
        await settle("started", on(1));
        await merge("daemonsets", "agent", { spec: { template: { spec: { containers: [{ name: "main", image: "app:2" }] } } } });
        await settle("updated", on(1));
        await merge("daemonsets", "agent", { spec: { template: { spec: { containers: [{ name: "main", image: "app:1" }] } } } });
        await settle("the first again", on(1));
      } finally {
        await remove("nodes", namespace);
      }
    },
  },
  {
    name: "daemonset updates when its pod is deleted",
    async run({ create, merge, settle, remove, namespace }) {
      const spec = { ...template("agent")["spec"], nodeSelector: { "kubernetes.io/hostname": namespace } };
      await create("nodes", node(namespace, namespace));
      try {
        await create("daemonsets", daemonSet({ updateStrategy: { type: "OnDelete" }, template: { ...template("agent"), spec } }));
        await settle("started", on(1));
        await merge("daemonsets", "agent", { spec: { template: { spec: { containers: [{ name: "main", image: "app:2" }] } } } });
        await settle("nothing updated", ({ daemonsets: [one] }) => one?.["status"].observedGeneration === 2);
      } finally {
        await remove("nodes", namespace);
      }
    },
  },
  {
    name: "daemonset chooses nodes",
    async run({ create, merge, settle, remove, namespace }) {
      const spec = { ...template("agent")["spec"], nodeSelector: { pool: namespace } };
      await create("nodes", node(`${namespace}-a`, namespace));
      try {
        await create("daemonsets", daemonSet({ template: { ...template("agent"), spec } }));
        await settle("no node", ({ daemonsets: [one] }) => one?.["status"].observedGeneration === 1);
        await merge("nodes", `${namespace}-a`, { metadata: { labels: { pool: namespace } } });
        await settle("a node", on(1));
        await merge("nodes", `${namespace}-a`, { spec: { taints: [{ key: "only", value: "others", effect: "NoSchedule" }] } });
        await settle("the node does not take new ones");
        await merge("nodes", `${namespace}-a`, { spec: { taints: null }, metadata: { labels: { pool: null } } });
        await settle("not for it any more", on(0));
      } finally {
        await remove("nodes", `${namespace}-a`);
      }
    },
  },
  {
    name: "daemonset waits for a pod that is not ready",
    async run({ create, settle, remove, namespace }) {
      const spec = { ...template("agent")["spec"], nodeSelector: { "kubernetes.io/hostname": namespace } };
      await create("nodes", node(namespace, namespace));
      try {
        await create("daemonsets", daemonSet({ template: { ...template("agent", { behaviour: "not-ready" }), spec } }));
        await settle(
          "not ready",
          ({ daemonsets: [one] }) => one?.["status"].numberUnavailable === 1 && one["status"].updatedNumberScheduled === 1,
        );
      } finally {
        await remove("nodes", namespace);
      }
    },
  },
];

function node(name: string, host: string): Json {
  return { metadata: { name, labels: { [LABEL]: "node", "kubernetes.io/hostname": host } } };
}
