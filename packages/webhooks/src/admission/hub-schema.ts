/**
 * The schema of the hub for objects that a client wrote in another version. The API server checks only the version of the request, before
 * it converts the object for storage (tried on kube-apiserver 1.36). So another version would be a way around the schema of the hub.
 */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { SchemaProblem } from "../conversion/views.ts";
import type { AnyWebhooks } from "../definition.ts";
import type { AdmissionRequest } from "./request.ts";

/**
 * Returns how the object breaks the schema of the hub. Nothing is reported for what the stored object breaks as well: the API server accepts
 * that too in an update.
 */
export function hubProblems(
  { hubSchema }: Pick<AnyWebhooks, "hubSchema">,
  { isConverted, subresource, operation, old }: AdmissionRequest,
  object: KubernetesObject,
): readonly SchemaProblem[] {
  const isWrite = operation === "CREATE" || operation === "UPDATE";
  return isConverted && isWrite && subresource === "" ? hubSchema.problems(object, old) : [];
}
