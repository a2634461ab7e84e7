/** Whether an informer has all objects of the server. */
import { isForbidden, isKindNotServed, keyOf, type KubernetesObject, type Ref } from "@treadle/apimachinery";
import type { Informer } from "@treadle/informer";
import type { Backend } from "./backend.ts";

/**
 * Compares the informer with the picture that `backend` took last.
 * @param isHeldBack objects whose events the informer holds back, since a write of the operator has no answer yet
 */
export function hasCaughtUp(informer: Informer, backend: Backend, isHeldBack: (ref: Ref) => boolean = () => false): boolean {
  const { lastError } = informer.progress();
  // An informer that was refused asks again in its own time. The server refuses before it says whether it serves the kind.
  if (isForbidden(lastError)) return true;
  if (backend.serves(informer.kind) === isKindNotServed(lastError)) return false;
  const isCompared = ({ metadata }: KubernetesObject): boolean => !isHeldBack(metadata);
  // Every object of an informer has metadata, whatever its kind.
  const known = (informer.list() as readonly KubernetesObject[]).filter(isCompared);
  const stored = (backend.list(informer.kind) as readonly KubernetesObject[]).filter(
    (object) => isCompared(object) && informer.selects(object),
  );
  if (known.length !== stored.length) return false;
  const versions = new Map(known.map(({ metadata }) => [keyOf(metadata), metadata.resourceVersion]));
  return stored.every(({ metadata }) => versions.get(keyOf(metadata)) === metadata.resourceVersion);
}
