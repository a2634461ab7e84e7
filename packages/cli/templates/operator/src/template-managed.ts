/** An external resource, and the connection to the service that has it. */
import { defineResource, type ObjectOf } from "treadle";
import { managedSpec, managedStatus, managedTraits } from "treadle/managed";
import { z } from "zod";

export const TemplateManagedConfig = defineResource({
  group: "group.template.dev",
  version: "v1alpha1",
  kind: "TemplateManagedConfig",
  scope: "Namespaced",
  description: "A connection to the service that has the external resources.",
  spec: z.object({
    url: z.string().describe("Address of the service, such as https://api.example.com"),
    secret: z.string().describe("Name of the Secret with the key token"),
  }),
  status: z.object({}),
});
export interface TemplateManagedConfig extends ObjectOf<typeof TemplateManagedConfig> {}

export const TemplateManaged = defineResource({
  ...managedTraits,
  group: "group.template.dev",
  version: "v1alpha1",
  kind: "TemplateManaged",
  plural: "templatemanageds",
  scope: "Namespaced",
  description: "A resource of an external service.",
  spec: z.object({
    ...managedSpec,
    region: z.string().min(1).meta({ immutable: true }).describe("Where the resource is"),
    sizeGb: z.int32().min(1).default(1).describe("Size in gigabytes"),
  }),
  status: z.object({ ...managedStatus, endpoint: z.string().describe("Address of the resource") }),
});
export interface TemplateManaged extends ObjectOf<typeof TemplateManaged> {}
