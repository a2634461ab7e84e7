/** Names of objects, as all texts show them. */
import { groupKindOf, groupOf, type KubernetesObject } from "@treadle/apimachinery";

/** Names one object. */
export interface ObjectName {
  readonly apiVersion: string;
  readonly kind: string;
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string;
  readonly name: string;
}

/** Returns the name of an object as texts show it, such as `Deployment default/web`. */
export function shown({
  kind,
  namespace,
  name,
}: {
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
}): string {
  return `${kind} ${namespace === undefined || namespace === "" ? "" : `${namespace}/`}${name}`;
}

export function nameOf({ apiVersion, kind, metadata }: KubernetesObject): ObjectName {
  const { namespace, name } = metadata;
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

/** Returns a key for an object that is the same in all versions of its API. */
export function idOf({ apiVersion, kind, namespace = "", name }: ObjectName): string {
  return `${groupKindOf({ group: groupOf(apiVersion), kind })}/${namespace}/${name}`;
}
