/** Builders of objects that many tests need. */
import { controllerReference, type KubernetesObject, type ObjectMeta, type OwnerReference } from "@treadle/apimachinery";
import type { ConfigMap, Secret } from "@treadle/apimachinery/kinds";

/** The name of an object to build: `namespace/name`, `name`, or metadata with a name. */
export type Named = string | (Partial<ObjectMeta> & { readonly name: string });

/** Builds a Secret from values in plain text. */
export function secret(named: Named, text: Readonly<Record<string, string>> = {}): Secret {
  const data = Object.fromEntries(Object.entries(text).map(([key, value]) => [key, Buffer.from(value, "utf8").toString("base64")]));
  return { apiVersion: "v1", kind: "Secret", metadata: metadataOf(named), type: "Opaque", data };
}

/** Decodes the values of a Secret to plain text; returns an empty object for undefined. */
export function secretText(object: Pick<Secret, "data"> | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(object?.data ?? {}).map(([key, value]) => [key, Buffer.from(value, "base64").toString("utf8")]));
}

/** Builds a ConfigMap. */
export function configMap(named: Named, data: Readonly<Record<string, string>> = {}): ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: metadataOf(named), data };
}

/** Builds an owner reference, of a controller by default. @throws Error when `owner` has no uid: take it from the server */
export function ownerRef(owner: KubernetesObject, options: { readonly controller?: boolean } = {}): OwnerReference {
  const reference = controllerReference(owner);
  return options.controller === false ? { ...reference, controller: false } : reference;
}

function metadataOf(named: Named): ObjectMeta {
  if (typeof named !== "string") return named;
  const slash = named.indexOf("/");
  return slash < 0 ? { name: named } : { namespace: named.slice(0, slash), name: named.slice(slash + 1) };
}
