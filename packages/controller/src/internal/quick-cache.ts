/** A way to the caches of informers that is short enough for every read of every pass. */
import type { Kind } from "@treadle/apimachinery";
import type { Informer, Informers } from "@treadle/informer";
import type { Cache } from "@treadle/reconcile";

/** The cache of `informers`, which finds an informer without comparing kinds each time: every pass reads from it. */
export function quickCache(informers: Informers): Cache {
  // Weak: a step may make its kind anew in each pass.
  const found = new WeakMap<Kind, Informer>();
  const informerOf = (kind: Kind): Informer | undefined => {
    let informer = found.get(kind);
    if (informer === undefined) {
      informer = informers.get(kind);
      if (informer !== undefined) found.set(kind, informer);
    }
    return informer;
  };
  // Of a kind that nobody declared, the cache of the informers says what to do.
  return {
    get: (kind, ref) => {
      const informer = informerOf(kind);
      return informer === undefined ? informers.cache.get(kind, ref) : informer.get(ref);
    },
    list: (kind, select) => {
      const informer = informerOf(kind);
      return informer === undefined ? informers.cache.list(kind, select) : informer.list(select);
    },
  };
}
