/** What the controllers of a manager share about kinds: their informers, feeds and presence, the watched namespaces, and values of extensions. */
import type { Informer, Informers } from "@treadle/informer";
import type { Fetches, Shared } from "@treadle/reconcile/unstable/engine";
import type { FeedRegistry } from "./feed-registry.ts";
import type { KindPresence } from "./kind-presence.ts";

/** `later`: the key is queued again when the watched namespaces have changed. `never`: the object is not reconciled any more. */
export type MayPass = "now" | "later" | "never";

/** The informers of a manager, and what is known about the kinds that they watch. */
export interface KindServices {
  readonly informers: Informers;
  readonly feeds: FeedRegistry;
  readonly presence: KindPresence;
  readonly fetches: Fetches;
  /** The values that the extensions of all handlers share. */
  readonly shared: Shared;
  /** Whether a pass for a primary in `namespace` may begin: the watched namespaces may change. */
  readonly mayPass: (primary: Informer, namespace: string | undefined) => MayPass;
}
