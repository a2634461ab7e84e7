/** What errors say of the namespace in which an object was to be created. Pure. */
import { isForbidden, isNotFound } from "@treadle/apimachinery";

/** Whether a create failed because its namespace does not exist. */
export function isNamespaceMissing(error: unknown, namespace: string): boolean {
  // The details name the missing object. A create of any other object cannot fail because that does not exist.
  return isNotFound(error) && error.details?.kind === "namespaces" && error.details.name === namespace;
}

/** Whether a create failed because its namespace is being deleted. */
export function isNamespaceTerminating(error: unknown): boolean {
  return isForbidden(error) && error.causes.some(({ reason }) => reason === "NamespaceTerminating");
}
