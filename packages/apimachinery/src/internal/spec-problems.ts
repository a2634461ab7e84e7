/** Checks the spec of an object against its zod schema, and fills in its defaults. */
import type { SchemaProblem } from "../kind.ts";
import type { KubernetesObject } from "../objects.ts";
import { type AnySchema, parse } from "./zod-tree.ts";

/** Returns the problems of the spec of `object`. */
export function specProblems(schema: AnySchema, object: KubernetesObject): readonly SchemaProblem[] {
  const spec: unknown = "spec" in object ? object.spec : undefined;
  if (spec === undefined) return [{ path: "spec", message: "is missing" }];
  const result = parse(schema, spec);
  if ("value" in result) return [];
  return result.issues.map((issue) => ({ path: `spec${issue.path.map(segment).join("")}`, message: issue.message }));
}

/** Returns a copy of `object` with the defaults of its spec; an object with problems as it is. */
export function withSpecDefaults(schema: AnySchema, object: KubernetesObject): KubernetesObject {
  const result = parse(schema, "spec" in object ? object.spec : undefined);
  return "value" in result ? ({ ...object, spec: result.value } as KubernetesObject) : object;
}

function segment(key: PropertyKey): string {
  if (typeof key === "number") return `[${key}]`;
  return /^[A-Za-z_][\w-]*$/.test(String(key)) ? `.${String(key)}` : `[${JSON.stringify(String(key))}]`;
}
