/** The resource: something that components need, such as a database. A plugin knows what it is made of. */
import { defineResource, type ObjectOf } from "treadle";
import { z } from "zod";

/** What a capability is: the fields by which components find it. */
export const kindOfCapability = {
  category: z.string().min(1).describe("What it is, such as database"),
  type: z.string().min(1).describe("Which of them, such as postgresql"),
  version: z.string().optional().describe("Its version; without it the plugin decides"),
};

export const Capability = defineResource({
  group: "examples.treadle.dev",
  version: "v1",
  kind: "Capability",
  plural: "capabilities",
  scope: "Namespaced",
  dependents: true,
  stepState: true,
  spec: z.object({
    ...kindOfCapability,
    parameters: z.looseObject({}).meta({ "x-kubernetes-preserve-unknown-fields": true }).optional().describe("What the plugin documents"),
  }),
  printerColumns: [
    { name: "Category", path: "spec.category" },
    { name: "Type", path: "spec.type" },
  ],
});
export interface Capability extends ObjectOf<typeof Capability> {}
