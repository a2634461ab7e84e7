/** The resource: a tenant, whose objects are in the cluster that its Secret names. */
import { defineResource, type ObjectOf } from "treadle";
import { z } from "zod";

export const Tenant = defineResource({
  group: "examples.treadle.dev",
  version: "v1",
  kind: "Tenant",
  scope: "Namespaced",
  dependents: true,
  stepState: true,
  spec: z.object({ kubeconfig: z.string().min(1), account: z.string().min(1) }),
});
export interface Tenant extends ObjectOf<typeof Tenant> {}
