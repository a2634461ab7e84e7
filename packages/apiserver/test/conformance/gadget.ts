/** The custom resource of the conformance scenarios, with a field for each feature of fields. */
import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { z } from "zod";
import type { Json } from "./session.ts";

const port = z.object({
  name: z.string(),
  port: z.int().min(1).max(65535),
  protocol: z.enum(["TCP", "UDP"]).default("TCP"),
});

export const Gadget = defineResource({
  group: "conformance.treadle.dev",
  version: "v1",
  kind: "Gadget",
  scope: "Namespaced",
  shortNames: ["gd"],
  spec: z.object({
    size: z.int().min(1).max(100).describe("required"),
    mode: z.enum(["slow", "fast"]).default("slow"),
    title: z
      .string()
      .min(2)
      .max(10)
      .regex(/^[a-z]+$/)
      .optional(),
    ratio: z.number().optional(),
    isOn: z.boolean().optional(),
    note: z.string().nullable().optional(),
    tags: z.array(z.string()).max(3).meta({ "x-kubernetes-list-type": "set" }).optional(),
    words: z.array(z.string()).optional(),
    ports: z
      .array(port)
      .max(5)
      .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] })
      .optional(),
    settings: z.record(z.string(), z.string()).optional(),
    template: z.object({ image: z.string(), replicas: z.int().default(1), args: z.array(z.string()).optional() }).optional(),
    flavour: z.string().max(20).meta({ immutable: true }).optional(),
  }),
  status: z.object({ phase: z.enum(["Pending", "Ready"]), count: z.int() }),
  validations: { spec: [{ rule: "self.mode != 'fast' || self.size < 50", message: "fast gadgets are small" }] },
  printerColumns: [{ name: "Size", path: "spec.size" }],
});
export interface Gadget extends ObjectOf<typeof Gadget> {}

/** Returns a gadget as a client sends it. `more` replaces whole top-level fields. */
export function gadget(name: string, spec: Json = {}, more: Json = {}): Json {
  const { metadata, ...rest } = more;
  return {
    apiVersion: "conformance.treadle.dev/v1",
    kind: "Gadget",
    metadata: { name, ...metadata },
    spec: { size: 1, ...spec },
    ...rest,
  };
}
