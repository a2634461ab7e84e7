/** Finds the Secrets of an object in the cache, and names them. */
import { type KubernetesObject, metadataOnly, type ObjectOf, ownerLabels, type Ref } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import type { Cache, ReqClient } from "@treadle/reconcile";

/** The members of a `req` that the search for the values of a Secret uses. */
export interface SecretReq {
  /** The object. */
  readonly object: KubernetesObject;
  /** The Secret by its present name, from the cache. */
  readonly reads: { readonly secret: ObjectOf<typeof Secret> | undefined };
  /** The cache, with the metadata of Secrets. */
  readonly cache: Cache;
  /** The live client. */
  readonly client: Pick<ReqClient, "get">;
  /** The names of the handler. */
  readonly handlerNames: readonly string[];
}

/** Returns the metadata of the Secrets in a namespace that belong to the object, by their owner labels. No request. */
export function ownSecrets(
  { object, cache, handlerNames }: Pick<SecretReq, "object" | "cache" | "handlerNames">,
  namespace: string | undefined,
): readonly KubernetesObject[] {
  if (namespace === undefined) return [];
  return handlerNames.flatMap((handlerName) =>
    cache.list(metadataOnly(Secret), { namespace, matchLabels: ownerLabels(object, handlerName) }),
  );
}

/** Returns the reference to an object in a namespace. */
export function refIn(namespace: string | undefined, name: string): Ref {
  return namespace === undefined ? { name } : { name, namespace };
}
