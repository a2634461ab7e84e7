/** Claims and volumes: binding, waiting and protection. */
import type { Json } from "../../conformance/session.ts";
import { type Objects, type Scenario, template } from "../scenario.ts";

const size = (storage: string): Json => ({ accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } });

function volume(name: string, storageClassName: string, storage: string): Json {
  return {
    metadata: { name },
    spec: { capacity: { storage }, accessModes: ["ReadWriteOnce"], storageClassName, hostPath: { path: "/tmp/none" } },
  };
}

function phase(resource: "persistentvolumeclaims" | "persistentvolumes", ending: string, wanted: string): (objects: Objects) => boolean {
  return (objects) => objects[resource]?.find(({ metadata }) => String(metadata.name).endsWith(ending))?.["status"].phase === wanted;
}

export const volumes: readonly Scenario[] = [
  {
    name: "claim binds to a volume",
    async run({ create, settle, remove, namespace }) {
      const names = [`${namespace}-small`, `${namespace}-big`] as const;
      try {
        await create("persistentvolumes", volume(names[0], namespace, "1Gi"));
        await create("persistentvolumes", volume(names[1], namespace, "10Gi"));
        await settle("available", phase("persistentvolumes", "-big", "Available"));
        await create("persistentvolumeclaims", { metadata: { name: "data" }, spec: { ...size("2Gi"), storageClassName: namespace } });
        await settle("bound", phase("persistentvolumeclaims", "data", "Bound"));
        await create("persistentvolumeclaims", { metadata: { name: "more" }, spec: { ...size("5Gi"), storageClassName: namespace } });
        await settle("none is left that is large enough", phase("persistentvolumeclaims", "more", "Pending"));
        await remove("persistentvolumeclaims", "data");
        await settle("released", phase("persistentvolumes", "-big", "Released"));
      } finally {
        for (const name of names) await remove("persistentvolumes", name);
      }
    },
  },
  {
    name: "claim waits for its first consumer",
    async run({ create, settle, remove, namespace }) {
      await create("storageclasses", {
        metadata: { name: namespace, labels: {} },
        provisioner: "kubernetes.io/no-provisioner",
        volumeBindingMode: "WaitForFirstConsumer",
      });
      await create("persistentvolumeclaims", { metadata: { name: "data" }, spec: { ...size("1Gi"), storageClassName: namespace } });
      await settle("pending", phase("persistentvolumeclaims", "data", "Pending"));
      await remove("storageclasses", namespace);
    },
  },
  {
    name: "claim without a class waits",
    async run({ create, settle }) {
      await create("persistentvolumeclaims", { metadata: { name: "data" }, spec: size("1Gi") });
      await settle("pending", phase("persistentvolumeclaims", "data", "Pending"));
    },
  },
  {
    name: "claim in use stays",
    async run({ create, settle, remove }) {
      await create("persistentvolumeclaims", { metadata: { name: "data" }, spec: size("1Gi") });
      const { spec, metadata } = template("user");
      const mounted = { ...spec, volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] };
      await create("pods", { metadata: { ...metadata, name: "user" }, spec: mounted });
      await settle("in use", ({ pods: [pod] }) => pod?.["status"].phase === "Running");
      await remove("persistentvolumeclaims", "data");
      await settle("deleted while in use", ({ persistentvolumeclaims: [one] }) => one?.["metadata"].deletionTimestamp !== undefined);
      await remove("pods", "user");
      await settle("gone with the pod", ({ persistentvolumeclaims: left }) => left?.length === 0);
    },
  },
];
