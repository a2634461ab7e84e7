/**
 * Finds the keys of a handler that an event concerns: the primary's own key, unless a predicate says no, and the keys that
 * the declared reads, owned kinds and watches lead to.
 */
import { keyOf, type KubernetesObject } from "@treadle/apimachinery";
import type { InformerEvent } from "@treadle/informer";
import type { AnyHandler, Cache } from "@treadle/reconcile";
import { pipelineOf, type Trigger, triggersOf } from "@treadle/reconcile/unstable/engine";
import { LOW_PRIORITY } from "@treadle/workqueue";
import type { EventFeed, EventOrigin } from "../feeds/event-feed.ts";
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
  readonly enqueue: (key: string, cause: EventCause) => void;
  /** Forgets the counted failures of `key`: its object was deleted or replaced, or a user requested a pass. */
  readonly forgetFailures: (key: string) => void;
  /** Reports an error that a function of the author threw. */
  readonly contained: (error: unknown, text: string, key: string) => void;
}

type Event = InformerEvent<KubernetesObject>;

/** A trigger, and which events it gets: all by default. */
interface RoutedTrigger {
  readonly trigger: Trigger;
  readonly isRouted?: (event: Event) => boolean;
}

interface FeedRoute {
  triggers: readonly RoutedTrigger[];
  unsubscribe: () => void;
}

/** Routes the events of a handler's feeds to keys. */
export class EventRouter {
  readonly #options: EventRouterOptions;
  readonly #pauseAnnotation: string;
  readonly #routes = new Map<EventFeed, FeedRoute>();
  /** The number of triggers that use each index: several may use one, such as the index of owner ids. */
  readonly #indexes = new Map<string, number>();

  /** Subscribes to the feeds, which must not have been started. */
  constructor(options: EventRouterOptions) {
    this.#options = options;
    this.#pauseAnnotation = pipelineOf(options.handler).pause.annotation;
    const { handler, primary, feedOf } = options;
    this.#routeOf(primary);
    for (const trigger of triggersOf(handler)) this.#add(feedOf(trigger.kind), { trigger });
  }

  /** Routes the events of one more feed, and what it shows already. Returns a function that ends it. */
  watch(feed: EventFeed, trigger: Trigger, isRouted?: RoutedTrigger["isRouted"]): () => void {
    const routed = { trigger, ...(isRouted === undefined ? {} : { isRouted }) };
    const end = this.#add(feed, routed);
    for (const object of feed.informer.list()) {
      const event: Event = { type: "added", object, initial: true };
      this.#enqueue(feed, event, this.#found([routed], event));
    }
    return end;
  }

  #add(feed: EventFeed, routed: RoutedTrigger): () => void {
    const { informer } = this.#options.primary;
    const { index } = routed.trigger;
    const route = this.#routeOf(feed);
    if (index !== undefined) {
      const users = this.#indexes.get(index.name) ?? 0;
      if (users === 0) informer.addIndex(index.name, index.keys);
      this.#indexes.set(index.name, users + 1);
    }
    route.triggers = [...route.triggers, routed];
    return () => {
      route.triggers = route.triggers.filter((other) => other !== routed);
      if (route.triggers.length === 0 && feed !== this.#options.primary) {
        route.unsubscribe();
        this.#routes.delete(feed);
      }
      if (index === undefined) return;
      const users = (this.#indexes.get(index.name) ?? 1) - 1;
      if (users > 0) return void this.#indexes.set(index.name, users);
      this.#indexes.delete(index.name);
      informer.removeIndex(index.name);
    };
  }

  /** One subscription for each feed: a key that several triggers find is queued once. */
  #routeOf(feed: EventFeed): FeedRoute {
    let route = this.#routes.get(feed);
    if (route === undefined) {
      const made: FeedRoute = { triggers: [], unsubscribe: () => undefined };
      made.unsubscribe = feed.subscribe((event, origin) => this.#route(feed, made.triggers, event, origin));
      this.#routes.set(feed, made);
      route = made;
    }
    return route;
  }

  #route(feed: EventFeed, triggers: readonly RoutedTrigger[], event: Event, origin: EventOrigin | undefined): void {
    const { handler, primary, forgetFailures } = this.#options;
    const own = keyOf(event.object.metadata);
    // A new object of the same name must not inherit the failures of the deleted one.
    if (feed === primary && (isDeletedOrReplaced(event) || isRequested(event))) forgetFailures(own);
    const isConcerned = feed === primary && this.#concernsPrimary(event, origin);
    const found = this.#found(triggers, event);
    // The pass that wrote knows what it wrote.
    if (origin?.controller === handler.name && event.type !== "deleted") found.delete(origin.key);
    this.#enqueue(feed, event, isConcerned ? new Set([own, ...found]) : found);
  }

  /** The keys that the triggers lead to, before and after the change. */
  #found(triggers: readonly RoutedTrigger[], event: Event): Set<string> {
    const keys = new Set<string>();
    if (!this.#options.hasBegun()) return keys;
    for (const { trigger, isRouted } of triggers) {
      if (isRouted?.(event) === false) continue;
      this.#collect(keys, trigger, event.object);
      if (event.type === "updated") this.#collect(keys, trigger, event.previous);
    }
    return keys;
  }

  /** Queues each key once: a free worker takes a key immediately, so that a second add would be a second pass. */
  #enqueue(feed: EventFeed, event: Event, keys: ReadonlySet<string>): void {
    const priority = event.type === "added" && event.initial ? LOW_PRIORITY : 0;
    for (const key of keys) this.#options.enqueue(key, { kind: feed.informer.kind, event, priority });
  }

  #concernsPrimary(event: Event, origin: EventOrigin | undefined): boolean {
    const { handler, predicate, contained } = this.#options;
    // Of its own writes a handler needs only the deletion, to drop what it remembers of the object.
    if (origin?.controller === handler.name && event.type !== "deleted") return false;
    if (isMandatory(event, this.#pauseAnnotation)) return true;
    try {
      return predicate?.(event) !== false;
    } catch (error) {
      // An unneeded pass does no harm; a missing pass does.
      contained(error, "the predicate threw; the event starts a pass", keyOf(event.object.metadata));
      return true;
    }
  }

  #collect(keys: Set<string>, trigger: Trigger, object: KubernetesObject): void {
    const { cache, contained, primary } = this.#options;
    const { informer } = primary;
    try {
      const lookup = { cache, byIndex: (name: string, key: string) => informer.byIndex(name, key) };
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
