/** Schemas for field ownership that no CRD contains: metadata, and the conditions of built-in kinds. */
import { type CompiledSchema, compileSchema } from "../schema/schema.ts";
import { IDENTITY } from "./field-types.ts";

const CONDITIONS: CompiledSchema = compileSchema({
  type: "object",
  "x-kubernetes-preserve-unknown-fields": true,
  properties: {
    status: {
      type: "object",
      properties: {
        conditions: { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] },
      },
    },
  },
});

/** Returns the schema of a kind (`undefined` for a built-in one) with the fields that each object has. */
export function ownershipSchema(schema: CompiledSchema | undefined): CompiledSchema {
  const own = schema ?? CONDITIONS;
  return { ...own, properties: new Map([...own.properties, ...IDENTITY]) };
}
