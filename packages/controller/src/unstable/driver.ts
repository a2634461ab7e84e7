/**
 * `@treadle/controller/unstable/driver`: what happens between an event and a pass, without workers. For test environments
 * that run passes themselves and must behave as the controller does. Not for operators; it may change in any version.
 */
export type { EventCause } from "../driver/event-router.ts";
export type { SchedulingOptions } from "../driver/scheduling-options.ts";
export { type DriverEnv, HandlerDriver } from "../driver/handler-driver.ts";
export type { OpenWatch } from "../driver/open-watch.ts";
export { type HandlerFeeds, type PassServices, reconcilerEnv } from "../driver/reconciler-env.ts";
export type { EventFeed, EventListener, EventOrigin } from "../feeds/event-feed.ts";
export type { EnqueueOptions } from "../driver/handler-driver.ts";
export { FeedRegistry, type FeedRegistryOptions, type OpenFeed } from "../feeds/feed-registry.ts";
export { RunTimeWatches, type RunTimeWatchesOptions } from "../driver/run-time-watches.ts";
