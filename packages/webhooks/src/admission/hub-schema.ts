/**
 * The schema of the hub for objects that a client wrote in another version. The API server checks only the version of the request, before
 * it converts the object for storage (tried on kube-apiserver 1.36). So another version would be a way around the schema of the hub.
 */
import { viewsOf, schemaProblems, type SchemaProblem } from "../conversion/way.ts";
import { apiVersionOf, type KubernetesObject } from "@treadle/apimachinery";
import type { AnyWebhooks } from "../definition.ts";
import type { AdmissionRequest } from "./request.ts";

/**
 * Returns how the object breaks the schema of the hub. Nothing is reported for what the stored object breaks as well: the API server accepts
 * that too in an update.
 */
export function hubProblems(
  { kind }: Pick<AnyWebhooks, "kind">,
  { isConverted, subresource, operation, old }: AdmissionRequest,
  object: KubernetesObject,
): readonly SchemaProblem[] {
  const isWrite = operation === "CREATE" || operation === "UPDATE";
  const hub = isConverted && isWrite && subresource === "" ? viewsOf(kind).get(apiVersionOf(kind)) : undefined;
  if (hub === undefined) return [];
  const found = schemaProblems(object, hub);
  if (found.length === 0 || old === undefined) return found;
  const known = new Set(schemaProblems(old, hub).map(({ path }) => path));
  return found.filter(({ path }) => !known.has(path));
}
