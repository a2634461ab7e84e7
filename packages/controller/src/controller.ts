/**
 * Controller: runs the passes of one handler. Events and wakes put keys into its queue, workers take them out and run
 * passes, and what a pass reports decides when its key comes back.
 *
 * Guarantees
 * - One pass per key at a time, `concurrency` passes at once.
 * - Every event of a primary starts a pass but the echo of this controller's own writes.
 * - Nothing that a handler, a wake function, a predicate or an observer throws ends a worker.
 */
import { groupKindOf, keyOf, type KubernetesObject, type Ref, refOf } from "@treadle/apimachinery";
import type { InformerEvent } from "@treadle/informer";
import { type AnyHandler, createReconciler, type DrainRule, type PassResult, type Reconciler, type Strays } from "@treadle/reconcile";
import { type DeclaredWatch, wakeOfWatch } from "@treadle/reconcile/unstable/engine";
import { LOW_PRIORITY, type QueueKeys, type QueueStatus, WorkQueue } from "@treadle/workqueue";
import type { ControllerOptions } from "./controller-options.ts";
import { type EndedPass, FailureCurve } from "./failure-curve.ts";
import type { Feed } from "./feed.ts";
import type { ControllerEnv } from "./internal/controller-env.ts";
import { errorFields } from "./internal/error-text.ts";
import { EventRouter } from "./internal/event-router.ts";
import { reconcilerEnv } from "./internal/reconciler-env.ts";
import { PausedKeys } from "./internal/paused-keys.ts";
import { RESYNC_MS, startResync } from "./internal/resync.ts";
import { RunningStrays } from "./internal/running-strays.ts";
import { Turn } from "./internal/turn.ts";
import type { OpenWatch } from "./sources/source.ts";

/** How many keys of a controller wait, run and are due later, as of now; `name` is that of its handler. */
export interface ControllerStatus extends QueueStatus {
  readonly name: string;
}

export class Controller {
  readonly name: string;
  readonly handler: AnyHandler;
  /** By which rule the handler lets go of its objects; undefined: it works. */
  readonly drain: DrainRule | undefined;
  readonly #env: ControllerEnv;
  readonly #concurrency: number;
  readonly #resyncMs: number | false;
  readonly #queue: WorkQueue;
  readonly #turn: Turn;
  readonly #failures: FailureCurve;
  readonly #primary: Feed;
  readonly #router: EventRouter;
  readonly #reconciler: Reconciler;
  readonly #closed = new AbortController();
  readonly #abort = new AbortController();
  readonly #strays = new RunningStrays();
  readonly #paused: PausedKeys;
  /** Passes in progress. */
  readonly #passing = new Map<string, Promise<unknown>>();
  /** Keys in namespaces that come or go: asked for when that is over. */
  readonly #later = new Set<string>();
  #workers: Promise<unknown> | undefined;

  /** Subscribes to its feeds; they must not have been started. */
  constructor(handler: AnyHandler, options: ControllerOptions, env: ControllerEnv) {
    this.name = handler.name;
    this.handler = handler;
    this.drain = options.drain;
    this.#env = env;
    this.#concurrency = options.concurrency ?? 5;
    this.#resyncMs = options.resyncMs ?? RESYNC_MS;
    this.#failures = new FailureCurve(options.backoff ?? "cluster", env.clock);
    const { metrics, onChange } = env;
    this.#turn = new Turn(env.clock);
    this.#queue = new WorkQueue({
      clock: env.clock,
      ...metrics.queue,
      onAdded: (key, priority) => {
        metrics.queue.onAdded?.(key, priority);
        onChange();
      },
      onStarted: (key, waitedMs) => {
        metrics.queue.onStarted?.(key, waitedMs);
        env.tracing?.started(key, waitedMs);
      },
      onFinished: (key, workedMs) => {
        metrics.queue.onFinished?.(key, workedMs);
        onChange();
      },
    });
    metrics.watch(() => this.#queue.status(), this.#concurrency);
    this.#paused = new PausedKeys(this.name, env.log);
    metrics.watchPaused(() => this.#paused.size);

    const primary = env.feedOf(handler.kind);
    this.#primary = primary;
    this.#reconciler = createReconciler(handler, reconcilerEnv(this.name, primary, { ...env, drain: options.drain }));
    this.#router = new EventRouter({
      handler,
      primary,
      // One that lets go of its objects must not miss any.
      predicate: options.drain === undefined ? options.predicate : undefined,
      feedOf: env.feedOf,
      cache: env.cache,
      hasBegun: () => this.#workers !== undefined,
      enqueue: (key, { feed, event, priority }) => {
        env.tracing?.caused(key, feed.informer.kind, event);
        this.#queue.add(key, { priority });
      },
      forget: (key) => this.#failures.forget(key),
      contained: (error, text, key) => this.#contained(error, text, key),
    });
    primary.subscribe((event) => this.#forgetBeforeStart(event));
  }

  /** Lets the workers begin; the informers must have synced. */
  start(): void {
    if (this.#workers !== undefined || this.#closed.signal.aborted) return;
    this.#workers = Promise.all(Array.from({ length: this.#concurrency }, () => this.#work()));
    if (this.#resyncMs !== false) this.#resyncEvery(this.#resyncMs);
  }

  /** Takes no new keys and drops those that wait. Passes in progress go on. */
  close(): void {
    this.#closed.abort();
    this.#queue.stop("drop");
  }

  /** Ends the chains of the passes in progress; their posts and saves still run. */
  abort(reason: Error): void {
    this.#abort.abort(reason);
  }

  /** Resolves when {@link close} was called, every pass is over, and every step has returned. */
  async ended(): Promise<void> {
    await this.#workers;
    await this.#strays.ended();
  }

  /** How many passes, and steps that go on after theirs, have not ended. */
  unfinished(): number {
    return this.#queue.status().running + this.#strays.withoutKey;
  }

  /** Queues a pass for `ref`, as an event would, or for so many milliseconds from now. */
  enqueue(ref: Ref, afterMs: number = 0): void {
    this.#queue.addAfter(keyOf(ref), afterMs, { priority: 0 });
  }

  /** Wakes primaries by objects of one more kind, from now on; `id` must be another than that of those which go on. */
  watch(watch: DeclaredWatch, id: string): OpenWatch {
    const { feed, close } = this.#env.openFeed(watch);
    const unsubscribe = this.#router.watch(feed, wakeOfWatch(this.handler, watch, `${this.name}/${id}`));
    return {
      informer: feed.informer,
      close() {
        unsubscribe();
        return close();
      },
    };
  }

  /** Why no pass can be about `ref`; undefined: one can. */
  whyNever(ref: Ref): string | undefined {
    const { kind } = this.handler;
    // Programs without types give anything.
    const { name, namespace }: Partial<Ref> = (ref as Ref | null | undefined) ?? {};
    if (typeof name !== "string" || name === "") return "the reference has no name";
    if (kind.scope === "Cluster" && namespace !== undefined) return `${kind.kind} is cluster-scoped, and the reference has a namespace`;
    if (kind.scope === "Namespaced" && namespace === undefined) return `${kind.kind} is namespaced, and the reference has no namespace`;
    return this.#primary.informer.covers(namespace) ? undefined : `the namespace is not watched`;
  }

  /** A kind, or the right to watch it, came or went: whoever waits for it, or counts on it, looks again. */
  presenceChanged(kind: AnyHandler["kind"]): void {
    if (!this.handler.pipeline.watchedKinds.has(groupKindOf(kind))) return;
    for (const { metadata } of this.#primary.informer.list() as readonly KubernetesObject[]) this.#queue.add(keyOf(metadata));
  }

  /** Resolves when no pass is in progress for an object in such a namespace; who asks keeps new ones from beginning. */
  async passesEnded(isConcerned: (namespace: string | undefined) => boolean): Promise<void> {
    const passes = [...this.#passing].filter(([key]) => isConcerned(refOf(key).namespace));
    await Promise.allSettled(passes.map(([, pass]) => pass));
  }

  /** What had to wait for a change of the watched namespaces may be possible now. */
  namespacesChanged(): void {
    const keys = [...this.#later];
    this.#later.clear();
    // A pass that may still not begin puts its key back.
    for (const key of keys) this.#queue.add(key, { priority: LOW_PRIORITY });
  }

  status(): ControllerStatus {
    return { name: this.name, ...this.#queue.status() };
  }

  /** At most `limit` keys of each state of its queue. */
  keys(limit: number): QueueKeys {
    return this.#queue.keys(limit);
  }

  #resyncEvery(periodMs: number): void {
    const { clock, random } = this.#env;
    startResync({
      clock,
      random,
      periodMs,
      objects: () => this.#primary.informer.list(),
      enqueue: ({ metadata }) => this.#queue.add(keyOf(metadata), { priority: LOW_PRIORITY }),
      signal: this.#closed.signal,
    });
  }

  /** What went before the start needs no pass: a standby of weeks must not remember it. */
  #forgetBeforeStart({ type, object }: InformerEvent<KubernetesObject>): void {
    if (this.#workers === undefined && type === "deleted") this.#queue.drop(keyOf(object.metadata));
  }

  async #work(): Promise<void> {
    for (;;) {
      const key = await this.#queue.get();
      if (key === undefined) return;
      // The stop that follows a lost leadership may not have come here yet.
      if (!this.#env.mayWork()) return this.#queue.done(key);
      this.#env.metrics.active(1);
      let strays: Strays | undefined;
      this.#turn.began();
      try {
        const pass = this.#pass(key);
        this.#passing.set(key, pass);
        strays = await pass;
      } catch (error) {
        this.#contained(error, "the pass ended with an exception; this is a bug of Treadle", key);
        this.#schedule(key, { requeue: { type: "failure" } });
      } finally {
        this.#passing.delete(key);
        this.#env.metrics.active(-1);
        if (strays === undefined) this.#queue.done(key);
        else this.#strays.add(strays, () => this.#queue.done(key));
      }
      if (this.#turn.isOver) await this.#turn.rest();
    }
  }

  async #pass(key: string): Promise<Strays | undefined> {
    const { clock, metrics, newID, onPass, isServed, tracing } = this.#env;
    // When the kind is there, every object of it is looked at.
    if (!isServed(this.handler.kind)) return;
    const ref = refOf(key);
    if (!this.#mayPass(key, ref)) return;
    const startedMs = clock.now();
    const reconcileID = newID();
    const run = (): Promise<PassResult> => this.#reconciler.pass(ref, { signal: this.#abort.signal, reconcileID });
    const result = await (tracing === undefined ? run() : tracing.pass(ref, reconcileID, run));
    const durationMs = clock.now() - startedMs;
    this.#schedule(key, result);
    this.#paused.note(key, result);
    metrics.passed(result, durationMs);
    try {
      const answer: unknown = onPass?.({ handler: this.handler, ref, reconcileID, result, durationMs });
      // An observer that is async by mistake must not end the process when it rejects.
      if (answer instanceof Promise) answer.catch((error: unknown) => this.#contained(error, "onPass rejected", key));
    } catch (error) {
      this.#contained(error, "onPass threw", key);
    }
    return result.strays;
  }

  #mayPass(key: string, ref: Ref): boolean {
    const may = this.#env.mayPass(this.#primary.informer, ref.namespace);
    if (may === "later") this.#later.add(key);
    else this.#later.delete(key);
    // It may well live on, so nothing is cleaned up.
    if (may === "never") {
      this.#reconciler.forget(ref);
      this.#failures.forget(key);
      this.#paused.forget(key);
    }
    return may === "now";
  }

  #schedule(key: string, pass: EndedPass): void {
    const delayMs = this.#failures.delayAfter(key, pass);
    if (delayMs !== undefined) this.#queue.addAfter(key, delayMs);
  }

  #contained(error: unknown, text: string, key: string): void {
    this.#env.metrics.panicked();
    this.#env.log.error({ controller: this.name, object: key, ...errorFields(error) }, text);
  }
}
