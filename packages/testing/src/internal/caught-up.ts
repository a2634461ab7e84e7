/** Whether an informer shows what the server has. */
import { isKindNotServed, keyOf, type KubernetesObject } from "@treadle/apimachinery";
import type { Informer } from "@treadle/informer";
import type { Backend } from "./backend.ts";

/** By the picture that `backend` took last. */
export function hasCaughtUp(informer: Informer, backend: Backend): boolean {
  // One that was refused asks again, in its own time.
  if (backend.serves(informer.kind) === isKindNotServed(informer.progress().lastError)) return false;
  // The kind of an informer is not known here beyond that: every object of it has metadata.
  const known = informer.list() as readonly KubernetesObject[];
  const stored = (backend.list(informer.kind) as readonly KubernetesObject[]).filter((object) => informer.selects(object));
  if (known.length !== stored.length) return false;
  const versions = new Map(known.map(({ metadata }) => [keyOf(metadata), metadata.resourceVersion]));
  return stored.every(({ metadata }) => versions.get(keyOf(metadata)) === metadata.resourceVersion);
}
