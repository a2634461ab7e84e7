/** The resource: a web server that greets. `dependents: true` adds `status.dependents` to its schema, `stepState: true` room for `once`. */
import { defineResource, type ObjectOf } from "treadle";
import { z } from "zod";

const page = z.object({
  name: z.string().regex(/^[a-z0-9]+$/),
  text: z.string(),
});

export const App = defineResource({
  group: "examples.treadle.dev",
  version: "v1beta1",
  kind: "App",
  scope: "Namespaced",
  description: "A web server that greets.",
  dependents: true,
  stepState: true,
  spec: z.object({
    greeting: z.string().default("hello").describe("Text that visitors read"),
    pages: z.array(page).max(100).default([]).describe("More pages, each at /pages/<name>.html"),
    replicas: z.int32().min(0).default(1),
    version: z.string().default("1.29.0").describe("Version of nginx"),
    metrics: z.boolean().default(false).describe("Exports metrics, from version 1.20 on"),
    paused: z.boolean().default(false).describe("Deletes the web server; the other objects stay"),
    credentials: z.string().optional().describe("Name of a Secret with user and password. With it, the App has a database"),
    keepStore: z.boolean().default(false).describe("Keeps the database when the App is deleted"),
    migrateAfter: z.iso.datetime().optional().describe("Time before which the database is not changed"),
  }),
  status: z.object({}),
  printerColumns: [
    { name: "Replicas", path: "spec.replicas" },
    { name: "Version", path: "spec.version" },
  ],
});
export interface App extends ObjectOf<typeof App> {}
