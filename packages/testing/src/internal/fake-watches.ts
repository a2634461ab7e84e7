/** `req.watch` of `fakeReq`: the cache is a picture of the server, so that every kind that the server serves is synced at once. */
import type { Kind } from "@treadle/apimachinery";
import { isKind, kindText, type KindWatches } from "@treadle/reconcile/unstable/engine";
import type { Backend } from "./backend.ts";

/** Makes the watches of a step that is tested alone. A kind that the step is the first to name has no objects yet. */
export function fakeWatches(backend: Backend, isMissing: (kind: Kind) => boolean): KindWatches {
  return {
    hold(given) {
      const kind = isKind(given) ? given : backend.kinds.find(given);
      if (kind === undefined || isMissing(kind) || !backend.has(kind)) {
        return { type: "not-served", reason: `the server does not serve ${kindText(given)}` };
      }
      void backend.observe([kind]); // A server in memory has the kind, so that nothing waits.
      return { type: "synced", kind };
    },
    release: () => undefined,
  };
}
