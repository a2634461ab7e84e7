/** What is kept of an object: completed, cut down, frozen. */
import { isMetadataOnly, type Kind, keyOf, type KubernetesObject, metadataOf } from "@treadle/apimachinery";
import { dropManagedFields, type Freezer, withType } from "./freeze.ts";

export type Ingest = (object: KubernetesObject) => KubernetesObject;

export interface IngestOptions {
  readonly kind: Kind;
  /** The author's; by default managedFields are dropped. */
  readonly ingest: Ingest | undefined;
  readonly freezer: Freezer;
  readonly onError: (error: unknown) => void;
}

/** An object for which the author's function throws, or whose identity it changes, is kept as if there were none. */
export function ingestOf({ kind, ingest = dropManagedFields, freezer, onError }: IngestOptions): Ingest {
  return (object) => {
    const typed = withType(object, kind);
    // A server that cannot reduce objects sends them whole, and so does the answer to a write.
    const whole = isMetadataOnly(kind) ? metadataOf(typed) : typed;
    try {
      const cut = ingest(whole);
      requireSameIdentity(cut, whole, kind);
      return freezer.freeze(cut);
    } catch (error) {
      onError(error);
      return freezer.freeze(dropManagedFields(whole));
    }
  };
}

function requireSameIdentity(cut: KubernetesObject, whole: KubernetesObject, kind: Kind): void {
  const { name, namespace = "", uid, resourceVersion } = whole.metadata;
  const kept = cut.metadata;
  if (kept.name === name && (kept.namespace ?? "") === namespace && kept.uid === uid && kept.resourceVersion === resourceVersion) return;
  throw new Error(
    `ingest changed the name, namespace, uid or resourceVersion of ${kind.kind} ${keyOf({ name, namespace })}: it must keep them`,
  );
}
