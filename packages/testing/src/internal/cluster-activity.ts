/** Whether the controllers of a real cluster still have something to do with the objects of a test. */
import { apiVersionOf, type Kind, type KubernetesObject } from "@treadle/apimachinery";
import { Namespace } from "@treadle/apimachinery/kinds";

/** All objects of one kind. */
export interface SeenKind {
  readonly kind: Kind;
  readonly objects: Iterable<KubernetesObject>;
}

/** Whether no deletion waits for the server, no namespace is terminating, and no object has lost all its owners. */
export function isIdle(seen: readonly SeenKind[]): boolean {
  const uids = new Set(seen.flatMap(({ objects }) => [...objects].map(({ metadata }) => metadata.uid)));
  const kinds = new Set(seen.map(({ kind }) => idOf(apiVersionOf(kind), kind.kind)));
  return seen.every(({ kind, objects }) =>
    [...objects].every((object) => !isDeletedByServer(kind, object) && !isOrphan(object, uids, kinds)),
  );
}

/** Whether the object is being deleted, and only the server's own controllers hold it. */
function isDeletedByServer(kind: Kind, { metadata }: KubernetesObject): boolean {
  if (metadata.deletionTimestamp === undefined) return false;
  return kind.kind === Namespace.kind || (metadata.finalizers ?? []).every((name) => GARBAGE_FINALIZERS.has(name));
}

const GARBAGE_FINALIZERS: ReadonlySet<string> = new Set(["foregroundDeletion", "orphan"]);

/** Whether the garbage collector will delete the object. An owner of a kind that the test does not use may exist. */
function isOrphan({ metadata }: KubernetesObject, uids: ReadonlySet<string | undefined>, kinds: ReadonlySet<string>): boolean {
  const owners = metadata.ownerReferences ?? [];
  return owners.length > 0 && owners.every((owner) => kinds.has(idOf(owner.apiVersion, owner.kind)) && !uids.has(owner.uid));
}

function idOf(apiVersion: string, kind: string): string {
  return `${apiVersion} ${kind}`;
}
