/**
 * Connects the events of a handler with its passes: which keys an event queues, how a pass runs, and when the next one is
 * due. It runs no pass by itself. A controller takes keys with its workers, a test takes them when it wants a pass.
 *
 * Guarantees
 * - Every event of a primary queues a pass, except the echo of this handler's own writes and events that a predicate rejects.
 * - A key has at most one pass at a time, if its caller takes keys from the queue and gives them back by {@link HandlerDriver.done}.
 * - What a predicate, a watch function or an index function throws is logged and never reaches the caller.
 */
import { keyOf, type KubernetesObject, type Ref, refOf } from "@treadle/apimachinery";
import type { InformerEvent } from "@treadle/informer";
import type { AnyHandler, PassResult } from "@treadle/reconcile";
import {
  createReconciler,
  type DeclaredWatch,
  type PassOptions,
  type Reconciler,
  triggerOfWatch,
} from "@treadle/reconcile/unstable/engine";
import { type QueueListeners, WorkQueue } from "@treadle/workqueue";
import type { EventFeed } from "../feeds/event-feed.ts";
import type { FeedRegistry } from "../feeds/feed-registry.ts";
import { errorFields } from "../internal/error-text.ts";
import type { SchedulingOptions } from "./scheduling-options.ts";
import { type EventCause, EventRouter } from "./event-router.ts";
import { type EndedPass, FailureBackoff } from "./failure-backoff.ts";
import type { OpenWatch } from "./open-watch.ts";
import { causeOfEvent, PassCauses } from "./pass-causes.ts";
import { type PassServices, reconcilerEnv } from "./reconciler-env.ts";
import { RunningStrays } from "./running-strays.ts";
import { RunTimeWatches } from "./run-time-watches.ts";

/** What a driver needs of its surroundings. */
export interface DriverEnv extends Omit<PassServices, "isServed" | "drain" | "watches"> {
  /** The feeds of the watched kinds. */
  readonly feeds: Pick<FeedRegistry, "of" | "find" | "all" | "open">;
  /** Whether the server serves the kind, as far as is known. */
  readonly isServed: (kind: AnyHandler["kind"]) => boolean;
  /** Listeners of the queue, for metrics. */
  readonly queueListeners?: QueueListeners;
  /** Called when an event is about to queue `key`. */
  readonly onCause?: ((key: string, cause: EventCause) => void) | undefined;
  /** Calls `run` and returns its result, e.g. within a trace. @defaultValue calls it */
  readonly around?: ((ref: Ref, reconcileID: string, run: () => Promise<PassResult>) => Promise<PassResult>) | undefined;
  /** Called for each error that was logged and not passed on. */
  readonly onContained?: () => void;
  /** Time after which the name of a kind that the server does not serve is looked up again, in milliseconds. @defaultValue 10_000 */
  readonly kindRetryMs?: number | undefined;
  /** Calls the listener when CRDs of the groups were installed, until the returned function is called. @defaultValue not known */
  readonly onDefined?: (groups: ReadonlySet<string>, listener: () => void) => () => void;
  /** Called when the state of a watch that steps asked for has changed. */
  readonly onWatchChange?: () => void;
}

/** Options of {@link HandlerDriver.enqueue}. */
export interface EnqueueOptions {
  /** What asks for the pass, as a short text for the log. */
  readonly cause: string;
  /** Time until the pass is due, in milliseconds. @defaultValue 0 */
  readonly afterMs?: number;
  /** Priority in the queue. @defaultValue 0 */
  readonly priority?: number;
}

/** Queues, runs and schedules the passes of one handler. */
export class HandlerDriver {
  /** The handler whose passes the driver runs. */
  readonly handler: AnyHandler;
  /** The keys that need a pass. Take one, call {@link HandlerDriver.pass} with it, and then {@link HandlerDriver.done}. */
  readonly queue: WorkQueue;
  readonly #env: DriverEnv;
  readonly #primary: EventFeed;
  readonly #failures: FailureBackoff;
  readonly #router: EventRouter;
  readonly #reconciler: Reconciler;
  readonly #strays = new RunningStrays();
  readonly #causes = new PassCauses();
  readonly #watches: RunTimeWatches;
  #hasBegun = false;

  /** Subscribes to the feeds of the handler, which must not have been started. */
  constructor(handler: AnyHandler, { predicate, backoff, drain }: SchedulingOptions, env: DriverEnv) {
    const { clock, cache, feeds, queueListeners = {}, onCause } = env;
    this.handler = handler;
    this.#env = env;
    this.#failures = new FailureBackoff(backoff, clock);
    this.queue = new WorkQueue({ clock, ...queueListeners });
    this.#primary = feeds.of(handler.kind);
    this.#watches = this.#runTimeWatches(env);
    const wake = (key: string, cause: string): void => this.enqueue(key, { cause });
    const services = { ...passServices(env, drain), watches: this.#watches, wake };
    this.#reconciler = createReconciler(handler, reconcilerEnv(services, { handlerName: handler.name, primary: this.#primary, feeds }));
    this.#router = new EventRouter({
      handler,
      primary: this.#primary,
      // A drain must see every object.
      predicate: drain === undefined ? predicate : undefined,
      feedOf: (kind) => feeds.of(kind),
      cache,
      hasBegun: () => this.#hasBegun,
      byRead: (read, ref) => this.#reconciler.readersOf(read, ref),
      enqueue: (key, cause) => {
        onCause?.(key, cause);
        this.#causes.queued(key, causeOfEvent(cause, key));
        this.queue.add(key, { priority: cause.priority });
      },
      forgetFailures: (key) => this.#failures.forget(key),
      contained: (error, text, key) => this.contained(error, text, key),
    });
    this.#primary.subscribe((event) => this.#dropBeforeBegin(event));
  }

  /** The feed of the handler's kind. */
  get primary(): EventFeed {
    return this.#primary;
  }

  /** Lets events of other objects queue passes. Call it when the informers have synced, before the first pass. */
  begin(): void {
    this.#hasBegun = true;
  }

  /** Queues a pass for each object that the cache shows: something that every pass depends on has changed. */
  enqueueAll(cause: string): void {
    for (const { metadata } of this.#primary.informer.list() as readonly KubernetesObject[]) this.enqueue(keyOf(metadata), { cause });
  }

  /** Queues a pass for `key`. The log names the cause. */
  enqueue(key: string, { cause, afterMs = 0, priority = 0 }: EnqueueOptions): void {
    if (afterMs > 0) this.#causes.due(key, cause);
    else this.#causes.queued(key, cause);
    this.queue.addAfter(key, afterMs, { priority });
  }

  /** Whether the first list of a kind that steps watch is on its way. Its objects start passes when it is complete. */
  get isListing(): boolean {
    return this.#watches.isPending;
  }

  /** Notes that an informer of the kind has listed, failed or recovered: steps may watch it. */
  kindChanged(kind: AnyHandler["kind"]): void {
    this.#watches.kindChanged(kind);
  }

  /** Looks up the names of kinds that the server did not serve: a kind was installed. */
  lookUpKinds(): void {
    this.#watches.lookUp();
  }

  /** Drops the queue, and ends the timers. Passes in progress continue. */
  close(): void {
    this.queue.stop("drop");
    this.#watches.stop();
  }

  /**
   * Routes the events of one more kind. `id` must differ from those of the watches that are open.
   * @param isRouted leave it out to route every event
   */
  watch(watch: DeclaredWatch, id: string, isRouted?: (event: InformerEvent<KubernetesObject>) => boolean): OpenWatch {
    const { feed, close } = this.#env.feeds.open(watch);
    const unsubscribe = this.#router.watch(feed, triggerOfWatch(this.handler, watch, `${this.handler.name}/${id}`), isRouted);
    return {
      informer: feed.informer,
      close() {
        unsubscribe();
        return close();
      },
    };
  }

  /**
   * Runs a pass for `key` and schedules the next one. Never rejects. Resolves with undefined when no pass ran, because the
   * server does not serve the kind (its objects are queued when it does), or because of a bug in the engine, which is logged.
   */
  async pass(key: string, options: PassOptions & { readonly reconcileID: string }): Promise<PassResult | undefined> {
    if (!this.#env.isServed(this.handler.kind)) return undefined;
    const ref = refOf(key);
    const cause = options.cause ?? this.#causes.take(key);
    const run = (): Promise<PassResult> => this.#reconciler.pass(ref, cause === undefined ? options : { ...options, cause });
    try {
      const result = await (this.#env.around?.(ref, options.reconcileID, run) ?? run());
      this.#schedule(key, result);
      return result;
    } catch (error) {
      return this.crashed(key, error);
    }
  }

  /** Returns what queued `key`, and forgets it. For a caller that reports the cause of the pass, and gives it to {@link HandlerDriver.pass}. */
  takeCause(key: string): string | undefined {
    return this.#causes.take(key);
  }

  /** Logs that a pass ended with an exception, which no pass should, and schedules the next one. */
  crashed(key: string, error: unknown): undefined {
    this.contained(error, "the pass ended with an exception; this is a bug of Treadle", key);
    this.#schedule(key, { requeue: { type: "failure" } });
  }

  /** Gives back a key that was taken from the queue, as soon as no step of its pass holds it any more. */
  done(key: string, result: Pick<PassResult, "strays"> | undefined): void {
    if (result?.strays === undefined) this.queue.done(key);
    else this.#strays.add(key, result.strays, () => this.queue.done(key));
  }

  /** Whether a step of the last pass for `key` still runs, so that the next pass must not start. */
  isHeld(key: string): boolean {
    return this.#strays.holds(key);
  }

  /** Drops what is remembered of the object, which is not reconciled any more; not during a pass for it. Writes nothing. */
  forget(key: string): void {
    this.#reconciler.forget(refOf(key));
    this.#failures.forget(key);
    this.#causes.forget(key);
  }

  /** The number of passes, and of steps that still run after their pass. */
  unfinished(): number {
    return this.queue.status().running + this.#strays.withoutKey;
  }

  /** Resolves when every step that outlived its pass has returned. */
  async straysEnded(): Promise<void> {
    await this.#strays.ended();
  }

  /** Logs an error that a function of the author threw outside of a step. */
  contained(error: unknown, text: string, key: string): void {
    this.#env.onContained?.();
    this.#env.log.error({ controller: this.handler.name, object: key, ...errorFields(error) }, text);
  }

  #runTimeWatches({ client, clock, log, refusalOf, kindRetryMs = 10_000, onDefined, onWatchChange }: DriverEnv): RunTimeWatches {
    return new RunTimeWatches({
      controller: this.handler.name,
      client,
      clock,
      log,
      retryMs: kindRetryMs,
      refusalOf,
      onDefined,
      onChange: onWatchChange,
      open: (watch, isRouted) => this.watch(watch, "req.watch", isRouted),
      enqueue: (key, cause) => this.enqueue(key, { cause }),
    });
  }

  #schedule(key: string, pass: EndedPass): void {
    const delayMs = this.#failures.delayAfter(key, pass);
    this.#causes.due(key, delayMs === undefined ? undefined : causeOfRequeue(pass, delayMs));
    if (delayMs !== undefined) this.queue.addAfter(key, delayMs);
  }

  /** An object that was deleted before the first pass needs none: a standby that waits for weeks must not collect keys. */
  #dropBeforeBegin({ type, object }: InformerEvent<KubernetesObject>): void {
    if (this.#hasBegun || type !== "deleted") return;
    const key = keyOf(object.metadata);
    this.queue.drop(key);
    this.#causes.forget(key);
  }
}

function causeOfRequeue({ requeue }: EndedPass, delayMs: number): string {
  if (requeue.type !== "after") return "retry after a failure";
  return delayMs === 0 ? requeue.reason : `due after ${delayMs} ms: ${requeue.reason}`;
}

function passServices(env: DriverEnv, drain: SchedulingOptions["drain"]): PassServices {
  const { feeds: _feeds, queueListeners: _listeners, onCause: _cause, around: _around, onContained: _contained, ...others } = env;
  const { kindRetryMs: _retry, onDefined: _defined, onWatchChange: _change, ...services } = others;
  return drain === undefined ? services : { ...services, drain };
}
