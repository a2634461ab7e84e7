/** Whether a real cluster's own controllers have nothing left to do with what a test sees. */
import { apiVersionOf, type Kind, type KubernetesObject } from "@treadle/apimachinery";
import { Namespace } from "@treadle/apimachinery/kinds";

/** All objects of one kind. */
export interface Seen {
  readonly kind: Kind;
  readonly objects: Iterable<KubernetesObject>;
}

/** Nothing is on its way out that nobody holds, no namespace ends, and nothing has lost its owners. */
export function isAtRest(seen: readonly Seen[]): boolean {
  const uids = new Set(seen.flatMap(({ objects }) => [...objects].map(({ metadata }) => metadata.uid)));
  const kinds = new Set(seen.map(({ kind }) => idOf(apiVersionOf(kind), kind.kind)));
  return seen.every(({ kind, objects }) => [...objects].every((object) => !isGoing(kind, object) && !isOrphan(object, uids, kinds)));
}

/** A deletion that only the server's own controllers hold. */
function isGoing(kind: Kind, { metadata }: KubernetesObject): boolean {
  if (metadata.deletionTimestamp === undefined) return false;
  return kind.kind === Namespace.kind || (metadata.finalizers ?? []).every((name) => GARBAGE_FINALIZERS.has(name));
}

const GARBAGE_FINALIZERS: ReadonlySet<string> = new Set(["foregroundDeletion", "orphan"]);

/** The collector waits for it; of an owner whose kind nobody looks at nothing is known. */
function isOrphan({ metadata }: KubernetesObject, uids: ReadonlySet<string | undefined>, kinds: ReadonlySet<string>): boolean {
  const owners = metadata.ownerReferences ?? [];
  return owners.length > 0 && owners.every((owner) => kinds.has(idOf(owner.apiVersion, owner.kind)) && !uids.has(owner.uid));
}

function idOf(apiVersion: string, kind: string): string {
  return `${apiVersion} ${kind}`;
}
