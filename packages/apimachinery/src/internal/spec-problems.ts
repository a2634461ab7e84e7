/** How the spec of a stored object breaks its zod schema. */
import type { SchemaProblem } from "../kind.ts";
import type { KubernetesObject } from "../objects.ts";
import type { AnySchema } from "./zod-tree.ts";

export function specProblems(schema: AnySchema, object: KubernetesObject): readonly SchemaProblem[] {
  const spec: unknown = "spec" in object ? object.spec : undefined;
  if (spec === undefined) return [{ path: "spec", message: "is missing" }];
  try {
    const result = schema["~standard"].validate(spec);
    if (result instanceof Promise) {
      result.catch(() => undefined);
      return [{ path: "spec", message: "the schema checks asynchronously, which is not possible here" }];
    }
    return (result.issues ?? []).map((issue) => ({ path: `spec${(issue.path ?? []).map(segment).join("")}`, message: issue.message }));
  } catch (error) {
    return [{ path: "spec", message: `the schema failed: ${error instanceof Error ? error.message : String(error)}` }];
  }
}

function segment(part: PropertyKey | { readonly key: PropertyKey }): string {
  const key = typeof part === "object" ? part.key : part;
  if (typeof key === "number") return `[${key}]`;
  return /^[A-Za-z_][\w-]*$/.test(String(key)) ? `.${String(key)}` : `[${JSON.stringify(String(key))}]`;
}
