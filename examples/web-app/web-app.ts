/** The resource: a web application with a database and a cache. `stepState: true` gives room for barriers, clocks and `once`. */
import { defineResource, type ObjectOf } from "treadle";
import { z } from "zod";

const autoscale = z.object({
  minReplicas: z.int32().min(1).default(1),
  maxReplicas: z.int32().min(1),
});

export const WebApp = defineResource({
  group: "examples.treadle.dev",
  version: "v1beta1",
  kind: "WebApp",
  scope: "Namespaced",
  description: "A web application with a database and a cache.",
  dependents: true,
  stepState: true,
  spec: z.object({
    greeting: z.string().default("hello").describe("Text that visitors read"),
    version: z.string().default("1.29.0").describe("Version of the web server"),
    replicas: z.int32().min(0).default(1).describe("Number of web servers, without autoscale"),
    autoscale: autoscale.optional().describe("Lets the load decide the number of web servers"),
    credentials: z.string().default("db").describe("Name of a Secret with user and password of the database"),
    cache: z.boolean().default(true).describe("Whether there is a cache"),
    metrics: z.boolean().default(false).describe("Exports metrics, from version 1.20 on"),
    suspended: z.boolean().default(false).describe("Stops all pods; the data and the addresses stay"),
  }),
  status: z.object({}),
  printerColumns: [
    { name: "Version", path: "spec.version" },
    { name: "Suspended", path: "spec.suspended" },
  ],
});
export interface WebApp extends ObjectOf<typeof WebApp> {}

/** Whether the WebApp is suspended. */
export const isSuspended = (app: WebApp): boolean => app.spec.suspended;
