/** The environment of a handler's passes: its services, and the feeds that learn of its writes. */
import { isMetadataOnly } from "@treadle/apimachinery";
import type { ReconcilerEnv } from "@treadle/reconcile/unstable/engine";
import type { EventFeed } from "../feeds/event-feed.ts";
import type { FeedRegistry } from "../feeds/feed-registry.ts";

/** What passes need besides the feeds. */
export type PassServices = Omit<
  ReconcilerEnv,
  "expectWrite" | "observeWrite" | "observeDelete" | "observeOther" | "observeOtherDelete" | "isSelected"
>;

/** The feeds of one handler: they learn of what its passes write. */
export interface HandlerFeeds {
  /** The name of the handler. */
  readonly handlerName: string;
  /** The feed of the primary kind. */
  readonly primary: EventFeed;
  /** The feeds of the watched kinds. */
  readonly feeds: Pick<FeedRegistry, "find" | "all">;
}

/**
 * Makes the environment of a handler's passes. Every write of a pass is reported to the feed of its kind, so that the next
 * pass does not read an older version. The writes of a dry run are not sent, so no feed learns of them.
 *
 * @param feeds leave it out where the cache reads from the server itself, e.g. for one step alone
 */
export function reconcilerEnv(services: PassServices, feeds?: HandlerFeeds): ReconcilerEnv {
  if (feeds === undefined) return services;
  const isSelected: ReconcilerEnv["isSelected"] = (kind, object) => feeds.feeds.find(kind)?.informer.selects(object) !== false;
  return services.isDryRun === true ? { ...services, isSelected } : { ...services, isSelected, ...writeObservers(feeds) };
}

function writeObservers({ handlerName, primary, feeds }: HandlerFeeds): Partial<ReconcilerEnv> {
  // Not the origin of the engine's own writes: an object of our kind that a step creates by `req.client` starts a pass.
  const clientOrigin = `${handlerName}/client`;
  return {
    expectWrite: (ref) => primary.expectWrite(ref),
    observeWrite: (object) => primary.wrote(object, handlerName),
    observeDelete: ({ metadata }) => primary.removed(metadata, metadata.uid ?? "", handlerName),
    observeOther(kind, object) {
      // The answer to a write of metadata lacks the rest of the object.
      for (const feed of feeds.all(kind)) if (!isMetadataOnly(kind) || isMetadataOnly(feed.informer.kind)) feed.wrote(object, clientOrigin);
    },
    observeOtherDelete(kind, ref, uid) {
      for (const feed of feeds.all(kind)) feed.removed(ref, uid, clientOrigin);
    },
  };
}
