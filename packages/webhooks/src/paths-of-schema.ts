/** Whether a field that an author names exists in the schema of a kind. */
import type { JsonSchema } from "@treadle/apimachinery";

/**
 * Returns whether a path, such as `spec.ports[0].name`, may lead to a field. Everything in metadata may. So may everything below a map, and below
 * a field that preserves unknown fields.
 */
export function hasPath(schema: JsonSchema, path: string): boolean {
  let at: JsonSchema | undefined = schema;
  for (const [segment, name = ""] of path.matchAll(/\.?([^.[\]]+)|\[[^\]]*\]/g)) {
    if (at === schema && ROOTS.has(name)) return true;
    if (at === undefined || isOpen(at)) return true;
    if (segment.startsWith("[")) {
      if (at.type !== "array") return false;
      at = at.items;
    } else {
      const { properties = {} }: JsonSchema = at;
      if (!Object.hasOwn(properties, name)) return false;
      at = properties[name];
    }
  }
  return true;
}

const ROOTS: ReadonlySet<string> = new Set(["metadata", "apiVersion", "kind"]);

/** Whether an object may have members of any name: names of a map may contain dots. */
function isOpen({ type, properties, additionalProperties, "x-kubernetes-preserve-unknown-fields": preserves }: JsonSchema): boolean {
  return (
    preserves === true ||
    (additionalProperties !== undefined && additionalProperties !== false) ||
    (type !== "array" && properties === undefined && type === "object")
  );
}
