/** The seven objects of each tenant. */
import { type Manifest, object, type Permission } from "treadle";
import { ConfigMap, Deployment, Job, Role, RoleBinding, Service, ServiceAccount } from "treadle/kinds";
import type { Platform } from "./platform.ts";

/** What a server may do. An operator can grant only rights that it has: the set declares them as `grants`. */
export const tenantRights = { kind: ConfigMap, verbs: ["list", "watch"] } satisfies Permission;

/** Returns the objects of a tenant. They have no namespace: that of the set's `placement` is used. */
export function tenantObjects({ spec }: Platform, name: string): readonly Manifest[] {
  const metadata = { name, labels: { tenant: name } };
  return [
    object(ConfigMap, { metadata, data: { tenant: name } }),
    object(ServiceAccount, { metadata }),
    object(Role, { metadata, rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: tenantRights.verbs }] }),
    object(RoleBinding, {
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
      subjects: [{ kind: "ServiceAccount", name }],
    }),
    // Runs once for each tenant, before its server, and is deleted at the end of the wave.
    object(Job, { metadata, spec: { template: migration(name) } }, { apply: 1, reconcile: "once", purge: 1 }),
    // Removed before the rest, so that the server ends while its configuration exists.
    object(
      Deployment,
      { metadata, spec: { selector: { matchLabels: { tenant: name } }, template: server(spec.version, name) } },
      { apply: 2, remove: -1 },
    ),
    object(Service, { metadata, spec: { selector: { tenant: name }, ports: [{ port: 80 }] } }, { apply: 2 }),
  ];
}

const migration = (name: string) => ({
  spec: { restartPolicy: "Never", containers: [{ name: "migrate", image: "postgres:17", args: ["psql", "--dbname", name] }] },
});

const server = (version: string, name: string) => ({
  metadata: { labels: { tenant: name } },
  spec: {
    serviceAccountName: name,
    containers: [
      { name: "server", image: `nginx:${version}`, envFrom: [{ configMapRef: { name: "shared" } }, { configMapRef: { name } }] },
    ],
  },
});
