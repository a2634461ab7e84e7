/** The steps: everything in the folder, in the cluster of the tenant. */
import { conditions, dependentSet, handler, type Handler, manifests, one } from "treadle";
import { ConfigMap, Namespace, Secret } from "treadle/kinds";
import { serviceAccount, type Targets, targets } from "treadle/targets";
import { Tenant } from "./tenants.ts";

/** What all targets share: kubeconfigs may name these servers only. */
export const clusters = targets({ servers: ["*.clusters.example.com"] });

/** Makes the handler. Tests give targets that may use loopback. */
export function tenantsOf(shared: Targets): Handler<Tenant> {
  const remote = dependentSet(Tenant, {
    name: "tenant",
    condition: "TenantReady",
    kinds: [Namespace, ConfigMap],
    placement: ({ metadata }) => ({ namespace: `tenant-${metadata.name}` }),
    objects: manifests(new URL("./deploy", import.meta.url)),
    target: shared.target({
      kubeconfig: one(Secret, (tenant) => tenant.spec.kubeconfig),
      as: (tenant) => serviceAccount(tenant.spec.account),
    }),
  });
  return handler(Tenant).step(conditions()).step(remote).build();
}

export const tenants = tenantsOf(clusters);
