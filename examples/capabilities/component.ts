/** The resource: a server that provides capabilities to others and requires some of others. */
import { defineResource, type ObjectOf } from "treadle";
import { z } from "zod";
import { kindOfCapability } from "./capability.ts";

const name = z.string().regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);
const provided = z.object({
  name,
  ...kindOfCapability,
  parameters: z.looseObject({}).meta({ "x-kubernetes-preserve-unknown-fields": true }).optional(),
});
const required = z.object({
  name,
  ...kindOfCapability,
  boundTo: z.string().optional().describe("Name of a Capability; without it the only one that fits"),
});

export const Component = defineResource({
  group: "examples.treadle.dev",
  version: "v1",
  kind: "Component",
  scope: "Namespaced",
  dependents: true,
  stepState: true,
  spec: z.object({
    image: z.string().min(1),
    provides: z.array(provided).default([]).describe("Capabilities that are created, each named <component>-<name>"),
    requires: z.array(required).default([]).describe("Capabilities whose Secrets the server gets as environment"),
  }),
  status: z.object({
    bindings: z
      .array(z.object({ name: z.string(), capability: z.string() }))
      .optional()
      .describe("The Capability of each requirement"),
  }),
});
export interface Component extends ObjectOf<typeof Component> {}

/** A capability that a Component requires. */
export type Requirement = Component["spec"]["requires"][number];
