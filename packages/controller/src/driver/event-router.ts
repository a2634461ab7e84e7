/**
 * Finds the keys of a handler that an event concerns: the primary's own key, unless a predicate says no, and the keys that
 * the declared reads, owned kinds and watches lead to.
 */
import { keyOf, type KubernetesObject } from "@treadle/apimachinery";
import type { InformerEvent } from "@treadle/informer";
import type { AnyHandler, Cache } from "@treadle/reconcile";
import {
  type PauseRules,
  pauseStateOf,
  pipelineOf,
  type Trigger,
  type TriggerLookup,
  triggersOf,
} from "@treadle/reconcile/unstable/engine";
import { LOW_PRIORITY } from "@treadle/workqueue";
import type { EventFeed, EventListener, EventOrigin } from "../feeds/event-feed.ts";
import { isMandatory, isRequested, type Predicate } from "../predicates.ts";

/** Why a key was queued. */
export interface EventCause {
  /** The kind of the object that changed. */
  readonly kind: AnyHandler["kind"];
  /** The event. */
  readonly event: InformerEvent<KubernetesObject>;
  /** The priority with which the key was queued. */
  readonly priority: number;
}

/** Options of {@link EventRouter}. */
export interface EventRouterOptions {
  readonly handler: AnyHandler;
  readonly primary: EventFeed;
  readonly predicate: Predicate | undefined;
  readonly feedOf: (kind: AnyHandler["kind"]) => EventFeed;
  readonly cache: Cache;
  /** Whether passes have begun. Until then only a primary's own event queues it, and every primary has one. */
  readonly hasBegun: () => boolean;
  /** The primaries whose last pass named an object by a read with `through()`. */
  readonly byRead: TriggerLookup["byRead"];
  readonly enqueue: (key: string, cause: EventCause) => void;
  /** Forgets the counted failures of `key`: its object was deleted or replaced, or a user requested a pass. */
  readonly forgetFailures: (key: string) => void;
  /** Reports an error that a function of the author threw. */
  readonly contained: (error: unknown, text: string, key: string) => void;
}

type Event = InformerEvent<KubernetesObject>;

/** Routes the events of a handler's feeds to keys. */
export class EventRouter {
  readonly #options: EventRouterOptions;
  readonly #pause: PauseRules;

  /** Subscribes to the feeds, which must not have been started. */
  constructor(options: EventRouterOptions) {
    this.#options = options;
    this.#pause = pipelineOf(options.handler).pause;
    for (const [feed, triggers] of this.#declared()) feed.subscribe((event, origin) => this.#route(feed, triggers, { event, origin }));
  }

  /** Routes the events of one more feed, and what it shows already. Returns a function that ends it. */
  watch(feed: EventFeed, trigger: Trigger): () => void {
    const { informer } = this.#options.primary;
    if (trigger.index !== undefined) informer.addIndex(trigger.index.name, trigger.index.keys);
    const listener: EventListener = (event, origin) => this.#route(feed, [trigger], { event, origin });
    const unsubscribe = feed.subscribe(listener);
    for (const object of feed.informer.list()) listener({ type: "added", object, initial: true }, undefined);
    return () => {
      unsubscribe();
      if (trigger.index !== undefined) informer.removeIndex(trigger.index.name);
    };
  }

  /** The triggers of each feed. Adds the indexes of primaries that they need. */
  #declared(): ReadonlyMap<EventFeed, readonly Trigger[]> {
    const { handler, primary, feedOf } = this.#options;
    const feeds = new Map<EventFeed, Trigger[]>([[primary, []]]);
    const indexes = new Set<string>();
    for (const trigger of triggersOf(handler)) {
      const feed = feedOf(trigger.kind);
      feeds.set(feed, [...(feeds.get(feed) ?? []), trigger]);
      // Several triggers may use one index, such as the index of owner ids.
      if (trigger.index === undefined || indexes.has(trigger.index.name)) continue;
      indexes.add(trigger.index.name);
      primary.informer.addIndex(trigger.index.name, trigger.index.keys);
    }
    return feeds;
  }

  /** Queues each key once: a free worker takes a key immediately, so that a second add would be a second pass. */
  #route(
    feed: EventFeed,
    triggers: readonly Trigger[],
    { event, origin }: { readonly event: Event; readonly origin: EventOrigin | undefined },
  ): void {
    const { handler, primary, hasBegun, enqueue, forgetFailures } = this.#options;
    const keys = new Set<string>();
    const own = keyOf(event.object.metadata);
    // A new object of the same name must not inherit the failures of the deleted one.
    if (feed === primary && (isDeletedOrReplaced(event) || isRequested(event))) forgetFailures(own);
    if (feed === primary && this.#concernsPrimary(event, origin)) keys.add(own);
    if (hasBegun()) {
      for (const trigger of triggers) {
        this.#collect(keys, trigger, event.object);
        if (event.type === "updated") this.#collect(keys, trigger, event.previous);
      }
      // The pass that wrote knows what it wrote.
      if (origin?.controller === handler.name && event.type !== "deleted") keys.delete(origin.key);
    }
    const priority = event.type === "added" && event.initial ? LOW_PRIORITY : 0;
    for (const key of keys) enqueue(key, { kind: feed.informer.kind, event, priority });
  }

  #concernsPrimary(event: Event, origin: EventOrigin | undefined): boolean {
    const { handler, predicate, contained } = this.#options;
    // Of its own writes a handler needs only the deletion, to drop what it remembers of the object.
    if (origin?.controller === handler.name && event.type !== "deleted") return false;
    if (isMandatory(event, (object) => pauseStateOf(this.#pause, object))) return true;
    try {
      return predicate?.(event) !== false;
    } catch (error) {
      // An unneeded pass does no harm; a missing pass does.
      contained(error, "the predicate threw; the event starts a pass", keyOf(event.object.metadata));
      return true;
    }
  }

  #collect(keys: Set<string>, trigger: Trigger, object: KubernetesObject): void {
    const { cache, contained, primary, byRead } = this.#options;
    const { informer } = primary;
    try {
      const lookup = { cache, byRead, byIndex: (name: string, key: string) => informer.byIndex(name, key) };
      // An object may name a primary of any namespace; one that no informer shows cannot be reconciled.
      for (const ref of trigger.primaries(object, lookup)) if (informer.covers(ref.namespace)) keys.add(keyOf(ref));
    } catch (error) {
      contained(
        error,
        `cannot find the objects that a change of ${trigger.kind.kind} concerns (${trigger.because})`,
        keyOf(object.metadata),
      );
    }
  }
}

/** Whether the previous object no longer exists. After a new list its successor may be reported as an update. */
function isDeletedOrReplaced(event: Event): boolean {
  return event.type === "deleted" || (event.type === "updated" && event.previous.metadata.uid !== event.object.metadata.uid);
}
