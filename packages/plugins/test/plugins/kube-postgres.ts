#!/usr/bin/env -S node --conditions=@treadle/source
/** The plugin of the docs, as its author writes it. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { Secret, Service, StatefulSet } from "@treadle/apimachinery/kinds";
import { capability, dependent, servePlugin } from "@treadle/plugins/author";
import { z } from "zod";

export const postgres = capability({
  name: "kube-postgres",
  category: "database",
  types: [{ name: "postgresql", versions: ["16", "17"], parameters: z.object({ storageGb: z.int32().default(1) }) }],
  kinds: [Secret, Service, StatefulSet],
  plan({ owner, parameters, live }) {
    return [
      dependent("credentials", Secret, { stringData: { user: owner.metadata.name } }, { updated: false }),
      dependent("server", StatefulSet, { spec: serverOf(owner, parameters) }),
      dependent(
        "address",
        Service,
        { spec: { ports: [{ port: 5432 }] } },
        { ready: live.address?.spec.clusterIP !== undefined || "it has no address yet" },
      ),
    ];
  },
});

function serverOf({ metadata }: KubernetesObject, { storageGb }: { storageGb: number }): NonNullable<StatefulSet["spec"]> {
  const labels = { app: metadata.name };
  return {
    serviceName: `${metadata.name}-address`,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "postgres", image: "postgres:17" }] } },
    volumeClaimTemplates: [
      {
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: `${storageGb}Gi` } } },
      },
    ],
  };
}

if (import.meta.main) servePlugin(postgres);
