/** The fields that the schema of a kind declares. */
import type { JsonSchema, Kind } from "@treadle/apimachinery";

/** Returns the names of the fields of the spec or the status; none for a kind that `defineResource` did not make. */
export function fieldsOf(kind: Kind, part: "spec" | "status"): ReadonlySet<string> {
  const versions = kind.resource?.crd().spec.versions ?? [];
  const schema = versions.find(({ name }) => name === kind.version)?.schema?.openAPIV3Schema as JsonSchema | undefined;
  return new Set(Object.keys(schema?.properties?.[part]?.properties ?? {}));
}
