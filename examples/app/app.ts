/** The resource: an application that greets. `dependents: true` adds `status.dependents` to its schema. */
import { defineResource, type ObjectOf } from "treadle";
import { z } from "zod";

export const App = defineResource({
  group: "examples.treadle.dev",
  version: "v1beta1",
  kind: "App",
  scope: "Namespaced",
  description: "A web server that greets.",
  dependents: true,
  spec: z.object({
    greeting: z.string().default("hello").describe("Text that visitors read"),
    replicas: z.int32().min(0).default(1),
    image: z.string().default("nginx:1.29"),
    paused: z.boolean().default(false).describe("Deletes the web server; the other objects stay"),
  }),
  status: z.object({}),
  printerColumns: [{ name: "Replicas", path: "spec.replicas" }],
});
export interface App extends ObjectOf<typeof App> {}
