/** Makes the built-in kinds. */
import { parseApiVersion } from "../gvk.ts";
import type { BuiltInKind } from "../plain-json.ts";

/** Returns a built-in kind whose objects are in namespaces. */
export function namespaced<Model>(apiVersion: string, kind: string, plural: string): BuiltInKind<Model> {
  return { ...parseApiVersion(apiVersion), kind, plural, scope: "Namespaced" };
}

/** Returns a built-in kind whose objects are not in namespaces. */
export function clusterScoped<Model>(apiVersion: string, kind: string, plural: string): BuiltInKind<Model> {
  return { ...parseApiVersion(apiVersion), kind, plural, scope: "Cluster" };
}
