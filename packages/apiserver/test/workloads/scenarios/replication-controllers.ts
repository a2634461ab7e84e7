/** ReplicationControllers: numbers of pods, adoption and release, deletion, events. */
import type { Json } from "../../conformance/session.ts";
import { type Objects, type Scenario, template } from "../scenario.ts";

function controller(spec: Json = {}): Json {
  return { metadata: { name: "web" }, spec: { replicas: 2, selector: { app: "web" }, template: template("web"), ...spec } };
}

function hasAll({ replicationcontrollers: [one], pods }: Objects): boolean {
  const { metadata, spec, status = {} } = one ?? {};
  const { replicas, readyReplicas = 0, observedGeneration } = status as Json;
  const isReady = observedGeneration === metadata?.generation && replicas === spec?.replicas && readyReplicas === spec?.replicas;
  return isReady && pods.every((pod) => pod["metadata"].deletionTimestamp === undefined && pod["status"].phase === "Running");
}

export const replicationControllers: readonly Scenario[] = [
  {
    name: "replicationcontroller scales",
    hasEvents: true,
    async run({ create, merge, settle }) {
      await create("replicationcontrollers", controller());
      await settle("ready", hasAll);
      await merge("replicationcontrollers", "web", { spec: { replicas: 4 } }, "scale");
      await settle("scaled up", hasAll);
      await merge("replicationcontrollers", "web", { spec: { replicas: 1 } });
      await settle("scaled down", hasAll);
    },
  },
  {
    name: "replicationcontroller takes a pod and lets it go",
    async run({ create, merge, settle }) {
      await create("pods", { ...template("web"), metadata: { name: "alone", labels: { app: "web", extra: "yes" } } });
      await create(
        "replicationcontrollers",
        controller({ template: { ...template("web"), metadata: { labels: { app: "web", full: "yes" } } }, minReadySeconds: 3 }),
      );
      await settle("taken", (objects) => hasAll(objects) && objects.replicationcontrollers[0]?.["status"].availableReplicas === 2);
      await merge("pods", "alone", { metadata: { labels: { app: "other" } } });
      await settle("let go", (objects) => hasAll(objects) && objects.replicationcontrollers[0]?.["status"].availableReplicas === 2);
    },
  },
  {
    name: "replicationcontroller is deleted and leaves its pods",
    async run({ create, remove, settle }) {
      await create("replicationcontrollers", controller());
      await settle("ready", hasAll);
      await remove("replicationcontrollers", "web");
      await settle("deleted", ({ replicationcontrollers }) => replicationcontrollers.length === 0);
    },
  },
  {
    name: "replicationcontroller is deleted with its pods",
    async run({ create, remove, settle }) {
      await create("replicationcontrollers", controller());
      await settle("ready", hasAll);
      await remove("replicationcontrollers", "web", "Background");
      await settle("deleted", ({ replicationcontrollers, pods }) => replicationcontrollers.length + pods.length === 0);
    },
  },
  {
    name: "replicationcontroller may not create its pods",
    async run({ create, settle }) {
      const spec = { containers: [{ name: "main", image: "app:1" }], priorityClassName: "absent" };
      await create("replicationcontrollers", controller({ template: { ...template("web"), spec } }));
      await settle("refused", ({ replicationcontrollers: [one] }) => one?.["status"].conditions?.[0]?.reason === "FailedCreate");
    },
  },
];
