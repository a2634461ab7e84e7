/** Completes the manifests of a test: adds names and namespaces, and removes fields that only a server can set. */
import { apiVersionOf, type Kind, keyOf, type KubernetesObject, type OwnerReference } from "@treadle/apimachinery";
import type { KnownKinds } from "./known-kinds.ts";

/** The namespace of an object without one. */
export const DEFAULT_NAMESPACE = "default";

/** An object to create, as complete as a client can make it. */
export interface Manifest {
  readonly kind: Kind;
  readonly object: KubernetesObject;
  /** The status to store. */
  readonly status: object | undefined;
  /** The uid that the test asks for. */
  readonly uid: string | undefined;
  /** Whether to delete the object after its creation; its finalizers hold it. */
  readonly isDeleting: boolean;
}

interface Given {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly metadata?: Partial<KubernetesObject["metadata"]>;
  readonly status?: object;
}

/**
 * Reads the manifests of a test.
 * @param where name of the list in errors, e.g. `fakeWorld objects`
 * @throws TypeError that names the manifest and the missing field
 */
export function manifestsOf(
  objects: readonly object[],
  known: KnownKinds,
  given: { readonly where: string; readonly namespace: string },
): readonly Manifest[] {
  const taken = new Set<string>();
  for (const object of objects) known.define(object);
  return objects.map((object, index) => {
    const where = `${given.where}[${index}]`;
    const { apiVersion, kind } = required(object, where);
    const manifest = manifestOf(known.of(apiVersion, kind), object, { where, namespace: given.namespace, taken });
    const id = `${apiVersion} ${kind} ${keyOf(manifest.object.metadata)}`;
    if (taken.has(id))
      throw new TypeError(`${where}: ${kind} ${keyOf(manifest.object.metadata)} is in the list twice: give it another name`);
    taken.add(id);
    return manifest;
  });
}

/** Reads a manifest of a known kind; `apiVersion` and `kind` may be absent. */
export function manifestOf(
  kind: Kind,
  object: object,
  given: { readonly where: string; readonly namespace: string; readonly taken?: ReadonlySet<string> },
): Manifest {
  const { metadata = {}, status, ...rest } = object as Given;
  const namespace = kind.scope === "Cluster" ? undefined : (metadata.namespace ?? given.namespace);
  const name = metadata.name ?? freeName(kind, namespace, given.taken ?? new Set());
  const isDeleting = metadata.deletionTimestamp !== undefined;
  if (isDeleting && (metadata.finalizers ?? []).length === 0)
    throw new TypeError(
      `${given.where}: ${kind.kind} ${name} has a deletionTimestamp but no finalizer, so it would not exist: add metadata.finalizers`,
    );
  const { labels, annotations, finalizers, ownerReferences } = metadata;
  return {
    kind,
    object: {
      ...rest,
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      metadata: {
        name,
        ...(namespace === undefined ? {} : { namespace }),
        ...(labels === undefined ? {} : { labels }),
        ...(annotations === undefined ? {} : { annotations }),
        ...(finalizers === undefined ? {} : { finalizers }),
        ...(ownerReferences === undefined ? {} : { ownerReferences: ownerReferences.map(checkedOwner(given.where)) }),
      },
    },
    status,
    uid: metadata.uid,
    isDeleting,
  };
}

function required(object: unknown, where: string): { readonly apiVersion: string; readonly kind: string } {
  if (typeof object !== "object" || object === null) throw new TypeError(`${where} must be an object, not ${String(object)}`);
  const { apiVersion, kind } = object as Given;
  if (typeof apiVersion !== "string" || apiVersion === "" || typeof kind !== "string" || kind === "")
    throw new TypeError(`${where} needs apiVersion and kind, e.g. { apiVersion: "v1", kind: "Secret", metadata: { name: "a" } }`);
  return { apiVersion, kind };
}

/** Returns the kind in lower case, with a number from the second object on. */
function freeName(kind: Kind, namespace: string | undefined, taken: ReadonlySet<string>): string {
  const base = kind.kind.toLowerCase();
  const id = (name: string): string =>
    `${apiVersionOf(kind)} ${kind.kind} ${keyOf(namespace === undefined ? { name } : { name, namespace })}`;
  let name = base;
  for (let number = 2; taken.has(id(name)); number++) name = `${base}-${number}`;
  return name;
}

function checkedOwner(where: string): (owner: OwnerReference) => OwnerReference {
  return (owner) => {
    if (owner.uid) return owner;
    throw new TypeError(`${where}: its ownerReference to ${owner.kind} ${owner.name} has no uid: build it with ownerRef(owner)`);
  };
}
