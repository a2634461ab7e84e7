/** The resources: a store, and the buckets and users in it. */
import { defineResource, type ObjectOf } from "treadle";
import { managedSpec, managedStatus, managedTraits } from "treadle/managed";
import { z } from "zod";

const GROUP = { group: "store.examples.treadle.dev", version: "v1", scope: "Namespaced" } as const;

export const StoreConfig = defineResource({
  ...GROUP,
  kind: "StoreConfig",
  spec: z.object({
    url: z.string().describe("Address of the store, such as http://127.0.0.1:8080."),
    secret: z.string().describe("Name of the Secret with the key `token`."),
  }),
  status: z.object({}),
});
export interface StoreConfig extends ObjectOf<typeof StoreConfig> {}

export const Bucket = defineResource({
  ...GROUP,
  ...managedTraits,
  kind: "Bucket",
  spec: z.object({
    ...managedSpec,
    region: z.string().min(1).meta({ immutable: true }),
    versioning: z.boolean().default(false),
    quotaGb: z.int32().min(1).optional().describe("Maximum size. Without it, the store chooses one."),
  }),
  status: z.object({ ...managedStatus, endpoint: z.string() }),
});
export interface Bucket extends ObjectOf<typeof Bucket> {}

export const User = defineResource({
  ...GROUP,
  ...managedTraits,
  kind: "User",
  spec: z.object({
    ...managedSpec,
    bucket: z.string().describe("Name of a Bucket in the namespace."),
    readOnly: z.boolean().default(false),
  }),
  status: z.object({ ...managedStatus }),
});
export interface User extends ObjectOf<typeof User> {}
