/** StatefulSets: the order of pods, updates and claims. */
import type { Json } from "../../conformance/session.ts";
import { type Objects, type Scenario, template } from "../scenario.ts";

function statefulSet(spec: Json = {}): Json {
  return {
    metadata: { name: "db" },
    spec: { replicas: 3, serviceName: "db", selector: { matchLabels: { app: "db" } }, template: template("db"), ...spec },
  };
}

const claims: Json = {
  volumeClaimTemplates: [
    {
      metadata: { name: "data", labels: { of: "db" } },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
  ],
};

const image = (name: string, more: Json = {}): Json => ({
  spec: { template: { spec: { containers: [{ name: "main", image: name }] } }, ...more },
});

function hasAll({ statefulsets: [one], pods }: Objects): boolean {
  const { metadata, spec, status = {} } = one ?? {};
  const { replicas, availableReplicas = 0, observedGeneration } = status as Json;
  const isReady = observedGeneration === metadata?.generation && replicas === spec?.replicas && availableReplicas === spec?.replicas;
  return isReady && pods.length === spec?.replicas;
}

function isUpdated(objects: Objects): boolean {
  const { currentRevision, updateRevision } = objects["statefulsets"]?.[0]?.["status"] ?? {};
  return hasAll(objects) && currentRevision === updateRevision;
}

function updated(count: number): (objects: Objects) => boolean {
  return (objects) => hasAll(objects) && (objects["statefulsets"]?.[0]?.["status"].updatedReplicas ?? 0) === count;
}

export const statefulSets: readonly Scenario[] = [
  {
    name: "statefulset starts, scales and updates in order",
    async run({ create, merge, settle }) {
      await create("statefulsets", statefulSet());
      await settle("started", isUpdated);
      await merge("statefulsets", "db", { spec: { replicas: 4 } });
      await settle("scaled up", isUpdated);
      await merge("statefulsets", "db", { spec: { replicas: 2 } });
      await settle("scaled down", isUpdated);
      await merge("statefulsets", "db", image("app:2"));
      await settle("updated", isUpdated);
      await merge("statefulsets", "db", image("app:1"));
      await settle("the first again", isUpdated);
    },
  },
  {
    name: "statefulset starts all at once",
    async run({ create, merge, settle }) {
      await create("statefulsets", statefulSet({ podManagementPolicy: "Parallel", ordinals: { start: 5 } }));
      await settle("started", isUpdated);
      await merge("statefulsets", "db", { spec: { replicas: 1 } });
      await settle("scaled down", isUpdated);
    },
  },
  {
    name: "statefulset waits for a pod that is not ready",
    async run({ create, settle }) {
      await create("statefulsets", statefulSet({ template: template("db", { behaviour: "not-ready" }) }));
      await settle("the first waits", ({ statefulsets: [one] }) => one?.["status"]?.replicas === 1);
    },
  },
  {
    name: "statefulset updates above a partition",
    async run({ create, merge, settle }) {
      await create("statefulsets", statefulSet({ updateStrategy: { rollingUpdate: { partition: 2 } } }));
      await settle("started", isUpdated);
      await merge("statefulsets", "db", image("app:2"));
      await settle("one updated", updated(1));
      await merge("statefulsets", "db", { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } });
      await settle("all updated", isUpdated);
    },
  },
  {
    name: "statefulset updates when pods are deleted",
    async run({ create, merge, settle, remove }) {
      await create("statefulsets", statefulSet({ replicas: 2, updateStrategy: { type: "OnDelete" } }));
      await settle("started", isUpdated);
      await merge("statefulsets", "db", image("app:2"));
      await settle("nothing updated", ({ statefulsets: [one] }) => one?.["status"].observedGeneration === 2);
      await remove("pods", "db-0");
      await settle("one deleted", updated(1));
      await remove("pods", "db-1");
      await settle("both deleted", updated(2));
    },
  },
  {
    name: "statefulset keeps its claims",
    async run({ create, merge, settle, remove }) {
      await create("statefulsets", statefulSet({ replicas: 2, ...claims }));
      await settle("started", isUpdated);
      await merge("statefulsets", "db", { spec: { replicas: 1 } });
      await settle("scaled down", isUpdated);
      await remove("statefulsets", "db");
      await settle("deleted", ({ statefulsets: left, pods }) => left?.length === 0 && pods?.length === 0);
    },
  },
  {
    name: "statefulset deletes its claims",
    async run({ create, merge, settle, remove }) {
      const policy = { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Delete" } };
      await create("statefulsets", statefulSet({ replicas: 2, ...claims, ...policy }));
      await settle("started", isUpdated);
      await merge("statefulsets", "db", { spec: { replicas: 1 } });
      await settle("scaled down", (objects) => isUpdated(objects) && objects["persistentvolumeclaims"]?.length === 1);
      await remove("statefulsets", "db");
      await settle("deleted", ({ persistentvolumeclaims: left }) => left?.length === 0);
    },
  },
  {
    name: "statefulset lets its pods be",
    async run({ create, settle, remove }) {
      await create("statefulsets", statefulSet({ replicas: 2 }));
      await settle("started", isUpdated);
      await remove("statefulsets", "db", "Orphan");
      await settle("deleted", ({ statefulsets: left }) => left?.length === 0);
      await create("statefulsets", statefulSet({ replicas: 2 }));
      await settle("made again", isUpdated);
    },
  },
];
