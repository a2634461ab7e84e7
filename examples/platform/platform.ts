/** The resource: a platform with tenants. A set needs `dependents: true` for its objects in the status, and `stepState: true`. */
import { defineResource, type ObjectOf, setStatus } from "treadle";
import { z } from "zod";

export const Platform = defineResource({
  group: "examples.treadle.dev",
  version: "v1",
  kind: "Platform",
  scope: "Namespaced",
  description: "Servers for tenants, in a namespace of their own.",
  dependents: true,
  stepState: true,
  spec: z.object({
    license: z.string().default("license").describe("Name of a Secret with the edition"),
    tenants: z.array(z.string().max(40)).max(100).default([]).describe("Names of the tenants"),
    version: z.string().default("1.29.0").describe("Version of the servers"),
    widgets: z.boolean().default(true).describe("Whether the platform brings the kind Widget"),
    retain: z.boolean().default(false).describe("Keeps all objects when the Platform is deleted"),
    suspended: z.boolean().default(false).describe("Stops all changes; a deletion goes on"),
    timeoutMs: z.int32().min(1).optional().describe("Time for which objects may be not ready, in milliseconds"),
  }),
  status: z.object({
    ...setStatus,
    address: z.string().optional().describe("Namespace of the servers, once all are ready"),
  }),
  printerColumns: [
    { name: "State", path: "status.state" },
    { name: "Revision", type: "integer", path: "status.revision" },
  ],
});
export interface Platform extends ObjectOf<typeof Platform> {}

/** The namespace of all that belongs to a platform. */
export const systemOf = ({ metadata }: Platform): string => `${metadata.namespace}-${metadata.name}`;
