/** The resource: an app that stores its files in a cloud. `dependents: true` adds `status.dependents` to its schema. */
import { defineResource, type ObjectOf } from "treadle";
import { z } from "zod";

export const MyApp = defineResource({
  group: "examples.treadle.dev",
  version: "v1beta1",
  kind: "MyApp",
  scope: "Namespaced",
  description: "An app that stores its files in a bucket.",
  dependents: true,
  spec: z.object({
    region: z.string().default("eu-1").describe("Region of the bucket"),
    suspended: z.boolean().default(false).describe("Suspends the app; its role and its bucket stay"),
  }),
  status: z.object({}),
  printerColumns: [{ name: "Region", path: "spec.region" }],
});
export interface MyApp extends ObjectOf<typeof MyApp> {}

/** Whether an app is suspended. */
export const isSuspended = (app: MyApp): boolean => app.spec.suspended;
