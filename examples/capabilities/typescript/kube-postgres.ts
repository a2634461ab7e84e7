#!/usr/bin/env -S node --conditions=@treadle/source
/** A plugin: it plans the objects of a PostgreSQL database. */
import type { KubernetesObject } from "treadle";
import { Secret, Service, StatefulSet } from "treadle/kinds";
import { capability, dependent, servePlugin } from "treadle/plugins/author";
import { z } from "zod";

export const postgres = capability({
  name: "kube-postgres",
  category: "database",
  types: [{ name: "postgresql", versions: ["16", "17"], parameters: z.object({ storageGb: z.int32().default(1) }) }],
  kinds: [Secret, Service, StatefulSet],
  plan({ owner, version = "17", parameters, live }) {
    return [
      dependent("credentials", Secret, { stringData: { user: owner.metadata.name } }, { updated: false }),
      dependent("server", StatefulSet, { spec: serverOf(owner, parameters, version) }),
      dependent(
        "address",
        Service,
        { spec: { selector: labelsOf(owner), ports: [{ port: 5432 }] } },
        { ready: live.address?.spec.clusterIP !== undefined || "it has no address yet" },
      ),
    ];
  },
});

if (import.meta.main) servePlugin(postgres);

type Owner = Pick<KubernetesObject, "metadata">;

function labelsOf({ metadata }: Owner): Record<string, string> {
  return { "app.kubernetes.io/name": "postgresql", "app.kubernetes.io/instance": metadata.name };
}

function serverOf(owner: Owner, { storageGb }: { readonly storageGb: number }, version: string): StatefulSet["spec"] & {} {
  const { name } = owner.metadata;
  const user = { secretKeyRef: { name: `${name}-credentials`, key: "user" } };
  const container = {
    name: "postgresql",
    image: `postgres:${version}`,
    // A plan has no passwords: it is a pure function.
    env: [
      { name: "POSTGRES_USER", valueFrom: user },
      { name: "POSTGRES_HOST_AUTH_METHOD", value: "trust" },
    ],
    ports: [{ containerPort: 5432 }],
    volumeMounts: [{ name: "data", mountPath: "/var/lib/postgresql/data" }],
  };
  const storage = { requests: { storage: `${storageGb}Gi` } };
  return {
    serviceName: `${name}-address`,
    selector: { matchLabels: labelsOf(owner) },
    template: { metadata: { labels: labelsOf(owner) }, spec: { containers: [container] } },
    volumeClaimTemplates: [{ metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"], resources: storage } }],
  };
}
