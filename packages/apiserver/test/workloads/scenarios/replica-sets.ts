/** ReplicaSets without a Deployment: adoption and release of pods. */
import type { Json } from "../../conformance/session.ts";
import { type Objects, type Scenario, template } from "../scenario.ts";

function replicaSet(spec: Json = {}): Json {
  return {
    metadata: { name: "web" },
    spec: { replicas: 2, selector: { matchLabels: { app: "web" } }, template: template("web"), ...spec },
  };
}

function hasAll({ replicasets: [one], pods }: Objects): boolean {
  const { metadata, spec, status = {} } = one ?? {};
  const { replicas, readyReplicas = 0, observedGeneration } = status as Json;
  const isReady = observedGeneration === metadata?.generation && replicas === spec?.replicas && readyReplicas === spec?.replicas;
  return isReady && pods.every((pod) => pod["metadata"].deletionTimestamp === undefined && pod["status"].phase === "Running");
}

export const replicaSets: readonly Scenario[] = [
  {
    name: "replicaset scales",
    async run({ create, merge, settle }) {
      await create("replicasets", replicaSet());
      await settle("ready", hasAll);
      await merge("replicasets", "web", { spec: { replicas: 4 } });
      await settle("scaled up", hasAll);
      await merge("replicasets", "web", { spec: { replicas: 1 } });
      await settle("scaled down", hasAll);
    },
  },
  {
    name: "replicaset takes a pod and lets it go",
    async run({ create, merge, settle }) {
      await create("pods", { ...template("web"), metadata: { name: "alone", labels: { app: "web", extra: "yes" } } });
      await create("replicasets", replicaSet({ template: { ...template("web"), metadata: { labels: { app: "web", full: "yes" } } } }));
      await settle("taken", hasAll);
      await merge("pods", "alone", { metadata: { labels: { app: "other" } } });
      await settle("let go", hasAll);
    },
  },
  {
    name: "replicaset replaces a pod that failed",
    async run({ create, merge, settle }) {
      await create("replicasets", replicaSet({ replicas: 1 }));
      await create("pods", {
        ...template("web", { behaviour: "exit-1", spec: { restartPolicy: "Never" } }),
        metadata: { name: "bad", labels: { app: "web", "treadle.dev/stand-in": "exit-1" } },
      });
      await settle("the failed one is not counted", (objects) => hasAll({ ...objects, pods: [] }));
      await merge("replicasets", "web", { spec: { replicas: 2 } });
      await settle("scaled", (objects) => hasAll({ ...objects, pods: [] }));
    },
  },
];
