/** Which objects are in no namespace, as far as an edit can find out without a request. */
import { parseApiVersion } from "@treadle/apimachinery";
import * as builtIn from "@treadle/apimachinery/kinds";
import type { Manifest } from "@treadle/dependents";
import { fieldOf, valueAt } from "../fields.ts";

const CLUSTER_SCOPED: ReadonlySet<string> = new Set(
  Object.values(builtIn).flatMap((kind) => (kind.scope === "Cluster" ? [idOf(kind.group, kind.kind)] : [])),
);

/**
 * Returns whether an object is in no namespace: its kind is a built-in kind, or a CRD among `objects` defines it. Other kinds count as
 * namespaced. A set removes the namespace of an object whose kind is cluster-scoped.
 */
export function isClusterScoped(each: Manifest, objects: readonly unknown[]): boolean {
  const id = idOf(parseApiVersion(each.apiVersion).group, each.kind);
  return CLUSTER_SCOPED.has(id) || definedIn(objects).has(id);
}

/** The cluster-scoped kinds that each list of objects defines: an edit asks for each of its objects. */
const DEFINED = new WeakMap<readonly unknown[], ReadonlySet<string>>();

function definedIn(objects: readonly unknown[]): ReadonlySet<string> {
  const known = DEFINED.get(objects);
  if (known !== undefined) return known;
  const found = new Set(
    objects.flatMap((object) => {
      const spec = fieldOf(object, "spec");
      if (fieldOf(object, "kind") !== "CustomResourceDefinition" || fieldOf(spec, "scope") !== "Cluster") return [];
      return [idOf(String(fieldOf(spec, "group")), String(valueAt(spec, ["names", "kind"])))];
    }),
  );
  DEFINED.set(objects, found);
  return found;
}

function idOf(group: string, kind: string): string {
  return `${group}/${kind}`;
}
