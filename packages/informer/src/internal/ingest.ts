/** Prepares an object for the store: completes it, reduces it, freezes it. */
import { isMetadataOnly, type Kind, keyOf, type KubernetesObject, metadataOf } from "@treadle/apimachinery";
import { dropManagedFields, type Freezer, withType } from "./freeze.ts";

/** Prepares one object for the store. */
export type Ingest = (object: KubernetesObject) => KubernetesObject;

/** The options of {@link ingestOf}. */
export interface IngestOptions {
  readonly kind: Kind;
  /** The author's function. Absent: removes managedFields. */
  readonly ingest: Ingest | undefined;
  readonly freezer: Freezer;
  readonly onError: (error: unknown) => void;
}

/** Returns the function for a kind. If the author's function throws or changes the identity of an object, the default is used for it. */
export function ingestOf({ kind, ingest = dropManagedFields, freezer, onError }: IngestOptions): Ingest {
  return (object) => {
    const typed = withType(object, kind);
    // A server that cannot reduce objects sends whole ones, and the response of a write is always whole.
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
