/** The owner of a preview: an object as a client may send it, completed as a server completes it. */
import { apiVersionOf, type Kind, type KubernetesObject, type ObjectMeta, type WriteOf } from "@treadle/apimachinery";

/** An owner as a test gives it: any part of the object and of its metadata. */
export type OwnerInput<K extends Kind> = Omit<Partial<WriteOf<K>>, "metadata"> & { readonly metadata?: Partial<ObjectMeta> };

/**
 * Returns a frozen copy of `given` with its identity and the defaults of its spec. The name defaults to the kind in lower case, the
 * namespace to `default`.
 * @throws TypeError for a spec that breaks the schema of the kind, and for an owner whose kind is not known
 */
export function completeOwner(kind: Kind, given: object, where: string): KubernetesObject {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new TypeError(`${where}: a preview needs an owner, an object such as { spec: { ... } }`);
  const { metadata, ...fields } = given as Partial<KubernetesObject>;
  const identity = identityOf(kind, fields, where);
  const names = {
    name: identity.kind.toLowerCase(),
    ...(kind.scope === "Cluster" ? {} : { namespace: "default" }),
  };
  const owner: KubernetesObject = { ...fields, ...identity, metadata: { ...names, ...metadata } };
  const problems = kind.resource?.problems(owner) ?? [];
  if (problems.length > 0) {
    const all = problems.map(({ path, message }) => `${path} ${message}`).join("; ");
    throw new TypeError(`${where}: the owner of the preview is not a valid ${kind.kind}: ${all}`);
  }
  return frozen(kind.resource?.withDefaults(owner) ?? owner) as KubernetesObject; // A copy has the shape of what it copies.
}

function identityOf(kind: Kind, given: Partial<KubernetesObject>, where: string): Pick<KubernetesObject, "apiVersion" | "kind"> {
  // A component of anyKind() has owners of many kinds.
  if (kind.kind !== "") return { apiVersion: apiVersionOf(kind), kind: kind.kind };
  const { apiVersion, kind: name } = given;
  if (typeof apiVersion === "string" && typeof name === "string") return { apiVersion, kind: name };
  throw new TypeError(`${where}: it is for owners of any kind: give the owner of the preview its apiVersion and kind`);
}

/** Owners are frozen in a pass, too. */
function frozen(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const copy = Array.isArray(value)
    ? value.map(frozen)
    : Object.fromEntries(
        Object.entries(value)
          .filter(([, member]) => member !== undefined)
          .map(([key, member]) => [key, frozen(member)]),
      );
  return Object.freeze(copy);
}
