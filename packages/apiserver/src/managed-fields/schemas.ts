/** What managedFields knows of fields that no CRD describes: metadata, and the conditions of built-in kinds. */
import { type CompiledSchema, compileSchema } from "../crd/schema.ts";

const TEXT_MAP = { type: "object", additionalProperties: { type: "string" } } as const;

const METADATA: CompiledSchema = compileSchema({
  type: "object",
  properties: {
    labels: TEXT_MAP,
    annotations: TEXT_MAP,
    finalizers: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
    ownerReferences: {
      type: "array",
      items: { type: "object", "x-kubernetes-map-type": "atomic" },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["uid"],
    },
  },
});

const CONDITIONS: CompiledSchema = compileSchema({
  type: "object",
  properties: {
    status: {
      type: "object",
      properties: {
        conditions: { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] },
      },
    },
  },
});

/** The schema for ownership of fields: of the kind (`undefined`: a built-in one), with the common metadata. */
export function ownershipSchema(schema: CompiledSchema | undefined): CompiledSchema {
  const own = schema ?? CONDITIONS;
  return { ...own, properties: new Map([...own.properties, ["metadata", METADATA]]) };
}
