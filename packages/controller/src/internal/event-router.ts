/**
 * Which keys of a controller an event concerns: that of the primary itself unless a predicate says no, and those that the
 * declared reads, owned kinds and watches lead to.
 */
import { keyOf, type KubernetesObject } from "@treadle/apimachinery";
import type { InformerEvent } from "@treadle/informer";
import type { AnyHandler, Cache } from "@treadle/reconcile";
import { type Wake, wakesOf } from "@treadle/reconcile/unstable/engine";
import { LOW_PRIORITY } from "@treadle/workqueue";
import type { Feed, FeedListener, Origin } from "../feed.ts";
import { isMandatory, isRequested, type Predicate } from "../predicates.ts";

export interface EventRouterOptions {
  readonly handler: AnyHandler;
  readonly primary: Feed;
  readonly predicate: Predicate | undefined;
  readonly feedOf: (kind: AnyHandler["kind"]) => Feed;
  readonly cache: Cache;
  /** Whether passes have begun: before, every primary is queued by its own event. */
  readonly hasBegun: () => boolean;
  readonly enqueue: (key: string, cause: { readonly feed: Feed; readonly event: Event; readonly priority: number }) => void;
  /** The object of before is no more, or somebody asked for a pass: failures that were counted count no more. */
  readonly forget: (key: string) => void;
  readonly contained: (error: unknown, text: string, key: string) => void;
}

type Event = InformerEvent<KubernetesObject>;

export class EventRouter {
  readonly #options: EventRouterOptions;

  /** Subscribes to its feeds; they must not have been started. */
  constructor(options: EventRouterOptions) {
    this.#options = options;
    for (const [feed, wakes] of this.#declared()) feed.subscribe((event, origin) => this.#route(feed, wakes, { event, origin }));
  }

  /** The same for one more feed, from now on and for what it shows already. Returns the way to end it. */
  watch(feed: Feed, wake: Wake): () => void {
    const { informer } = this.#options.primary;
    if (wake.index !== undefined) informer.addIndex(wake.index.name, wake.index.keys);
    const listener: FeedListener = (event, origin) => this.#route(feed, [wake], { event, origin });
    const unsubscribe = feed.subscribe(listener);
    for (const object of feed.informer.list()) listener({ type: "added", object, initial: true }, undefined);
    return () => {
      unsubscribe();
      if (wake.index !== undefined) informer.removeIndex(wake.index.name);
    };
  }

  /** What of each feed wakes which primaries, with the indexes that it takes to find them. */
  #declared(): ReadonlyMap<Feed, readonly Wake[]> {
    const { handler, primary, feedOf } = this.#options;
    const feeds = new Map<Feed, Wake[]>([[primary, []]]);
    const indexes = new Set<string>();
    for (const wake of wakesOf(handler)) {
      const feed = feedOf(wake.kind);
      feeds.set(feed, [...(feeds.get(feed) ?? []), wake]);
      // Several wakes may use one index (that of owner ids).
      if (wake.index === undefined || indexes.has(wake.index.name)) continue;
      indexes.add(wake.index.name);
      primary.informer.addIndex(wake.index.name, wake.index.keys);
    }
    return feeds;
  }

  /** Queues every key that the event concerns once: a free worker takes a key at once, and a second add would be a second pass. */
  #route(feed: Feed, wakes: readonly Wake[], { event, origin }: { readonly event: Event; readonly origin: Origin | undefined }): void {
    const { handler, primary, hasBegun, enqueue, forget } = this.#options;
    const keys = new Set<string>();
    // Another object under the same name does not inherit the failures of this one.
    if (feed === primary && (isGone(event) || isRequested(event))) forget(keyOf(event.object.metadata));
    if (feed === primary && this.#concernsPrimary(event, origin)) keys.add(keyOf(event.object.metadata));
    if (hasBegun()) {
      for (const wake of wakes) {
        this.#collect(keys, wake, event.object);
        if (event.type === "updated") this.#collect(keys, wake, event.previous);
      }
      // The pass that wrote knows what it wrote.
      if (origin?.controller === handler.name && event.type !== "deleted") keys.delete(origin.key);
    }
    const priority = event.type === "added" && event.initial ? LOW_PRIORITY : 0;
    for (const key of keys) enqueue(key, { feed, event, priority });
  }

  #concernsPrimary(event: Event, origin: Origin | undefined): boolean {
    const { handler, predicate, contained } = this.#options;
    // Of its own writes a controller needs to hear the last, to drop what it remembers of the object.
    if (origin?.controller === handler.name && event.type !== "deleted") return false;
    if (isMandatory(event, handler.pipeline.pause.annotation)) return true;
    try {
      return predicate?.(event) !== false;
    } catch (error) {
      // One pass too many does no harm, one too few does.
      contained(error, "the predicate threw; the event passes", keyOf(event.object.metadata));
      return true;
    }
  }

  #collect(keys: Set<string>, wake: Wake, object: KubernetesObject): void {
    const { cache, contained, primary } = this.#options;
    const { informer } = primary;
    try {
      const lookup = { cache, byIndex: (name: string, key: string) => informer.byIndex(name, key) };
      // What no informer shows cannot be reconciled: an object may name a primary of any namespace.
      for (const ref of wake.primaries(object, lookup)) if (informer.covers(ref.namespace)) keys.add(keyOf(ref));
    } catch (error) {
      contained(error, `cannot find out whom a change of ${wake.kind.kind} concerns (${wake.because})`, keyOf(object.metadata));
    }
  }
}

/** Whether the object of before is no more; an informer that listed anew may tell of the next one as an update. */
function isGone(event: Event): boolean {
  return event.type === "deleted" || (event.type === "updated" && event.previous.metadata.uid !== event.object.metadata.uid);
}
