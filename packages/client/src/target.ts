/**
 * The object of a call: its path, and its name in errors.
 */
import { type Kind, pathOf, type Ref } from "@treadle/apimachinery";

/** The object of a call, or the collection. */
export interface Target {
  readonly path: string;
  /** Name in errors: `Secret ns/name`; for a collection `Secret in namespace ns` or `Secret`. */
  readonly text: string;
}

/**
 * One object. @throws TypeError for an impossible name: an empty one, one that is another path, or a missing namespace of a
 * namespaced kind. Without this check a DELETE of `""` would delete the collection.
 */
export function objectTarget(verb: string, kind: Kind, ref: Partial<Ref>, subresource?: string): Target {
  const { name, namespace } = ref;
  const text = `${kind.kind} ${labelOf(kind, ref)}`;
  const refuse = (problem: string): never => {
    throw new TypeError(`cannot ${verb} ${text}: ${problem}`);
  };
  if (typeof name !== "string" || name === "") return refuse("it has no metadata.name; give the name of one object");
  checkSegment(name, "name", refuse);
  checkNamespace(kind, namespace, refuse);
  return {
    path: pathOf(kind, { name, ...(namespace === undefined ? {} : { namespace }), ...(subresource === undefined ? {} : { subresource }) }),
    text: subresource === undefined ? text : `${subresource} of ${text}`,
  };
}

/**
 * The collection that a new object goes to. Whether the object needs a name is the server's decision: reviews of
 * `authorization.k8s.io` and `authentication.k8s.io` have none. @throws TypeError for a namespaced kind without a namespace
 */
export function createTarget(kind: Kind, metadata: Partial<Ref> & { readonly generateName?: string }): Target {
  const { name, generateName, namespace } = metadata;
  const place = kind.scope === "Namespaced" && namespace ? ` in namespace ${namespace}` : "";
  const text = name || generateName ? `${kind.kind} ${labelOf(kind, metadata)}` : kind.kind + place;
  const refuse = (problem: string): never => {
    throw new TypeError(`cannot create ${text}: ${problem}`);
  };
  checkNamespace(kind, namespace, refuse);
  return { path: pathOf(kind, { namespace }), text };
}

/** A collection, in one namespace or in all namespaces. */
export function collectionTarget(verb: string, kind: Kind, namespace: string | undefined): Target {
  const isNarrow = kind.scope === "Namespaced" && namespace !== undefined && namespace !== "";
  const text = isNarrow ? `${kind.kind} in namespace ${namespace}` : kind.kind;
  if (isNarrow) {
    checkSegment(namespace, "namespace", (problem) => {
      throw new TypeError(`cannot ${verb} ${text}: ${problem}`);
    });
  }
  return { path: pathOf(kind, { namespace }), text };
}

function labelOf(kind: Kind, ref: Partial<Ref> & { readonly generateName?: string }): string {
  const name = ref.name || (ref.generateName ? `${ref.generateName}*` : '""');
  return kind.scope === "Namespaced" && ref.namespace ? `${ref.namespace}/${name}` : name;
}

function checkNamespace(kind: Kind, namespace: string | undefined, refuse: (problem: string) => never): void {
  if (kind.scope !== "Namespaced") return;
  if (!namespace) return refuse(`${kind.kind} is namespaced; give a namespace`);
  checkSegment(namespace, "namespace", refuse);
}

/** The server's rule for path segments (k8s.io/apimachinery `IsValidPathSegmentName`). */
function checkSegment(value: string, what: string, refuse: (problem: string) => never): void {
  if (value === "." || value === ".." || /[/%]/.test(value)) refuse(`${JSON.stringify(value)} cannot be a ${what}`);
}
