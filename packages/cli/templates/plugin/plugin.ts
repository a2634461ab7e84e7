/** Databases of two types. */
import { Secret, Service, StatefulSet } from "@treadle/apimachinery/kinds";
import { capability, dependent, servePlugin } from "@treadle/plugins/author";
import { z } from "zod";

export const databases = capability({
  name: "kube-databases",
  category: "database",
  types: [
    { name: "postgresql", versions: ["16", "17"], parameters: z.object({ storageGb: z.int32().min(1).default(1) }) },
    { name: "redis", parameters: z.object({ replicas: z.int32().min(1).default(1) }) },
  ],
  kinds: { credentials: Secret, server: StatefulSet, address: Service },
  plan({ type, version, owner, parameters, live }) {
    const labels = { app: owner.metadata.name };
    const port = type === "postgresql" ? 5432 : 6379;
    const replicas = type === "redis" ? parameters.replicas : 1;
    const requests = { storage: `${type === "postgresql" ? parameters.storageGb : 1}Gi` };
    const image = type === "postgresql" ? `postgres:${version ?? "17"}` : "redis:8";
    const secretRef = { name: `${owner.metadata.name}-credentials` };
    const spec = {
      replicas,
      serviceName: `${owner.metadata.name}-address`,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: type, image, envFrom: [{ secretRef }] }] } },
      volumeClaimTemplates: [{ metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"], resources: { requests } } }],
    };
    const ready = live.address?.spec.clusterIP !== undefined || "it has no address yet";
    return [
      dependent("credentials", Secret, { stringData: { POSTGRES_USER: owner.metadata.name } }, { updated: false }),
      dependent("server", StatefulSet, { spec }),
      dependent("address", Service, { spec: { selector: labels, ports: [{ port }] } }, { ready }),
    ];
  },
});

if (import.meta.main) servePlugin(databases);
