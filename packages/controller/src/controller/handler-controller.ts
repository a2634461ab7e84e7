/**
 * HandlerController: runs the passes of one handler. Its driver queues keys and schedules the next pass; the workers of the
 * controller take keys from the queue and run passes.
 *
 * Guarantees
 * - One pass per key at a time, `concurrency` passes at once.
 * - Every event of a primary starts a pass, except the echo of this controller's own writes.
 * - Nothing that a handler, a watch function, a predicate or an observer throws ends a worker.
 */
import { groupKindOf, keyOf, type KubernetesObject, type Ref, refOf, TurnBudget } from "@treadle/apimachinery";
import type { AnyHandler, DrainRule, PassResult } from "@treadle/reconcile";
import { type DeclaredWatch, pipelineOf } from "@treadle/reconcile/unstable/engine";
import { LOW_PRIORITY, type QueueKeys } from "@treadle/workqueue";
import type { Controller, ControllerStatus } from "../controller.ts";
import type { ControllerOptions } from "../controller-options.ts";
import { HandlerDriver } from "../driver/handler-driver.ts";
import type { OpenWatch } from "../driver/open-watch.ts";
import type { KindServices } from "../feeds/kind-services.ts";
import type { Services } from "../manager/services.ts";
import { type ControllerMetrics, NO_METRICS } from "../metrics/controller-metrics.ts";
import type { ObjectMetrics } from "../metrics/object-metrics.ts";
import type { PassReport } from "../pass-report.ts";
import { driverEnv, measuredObjects } from "./driver-env.ts";
import { PausedKeys } from "./paused-keys.ts";
import { RESYNC_MS, startResync } from "./resync.ts";

/** Maximum time of passes in one turn of the event loop. Informers take 6 ms of a turn at most, so that a turn takes some 10 ms. */
const MAX_TURN_MS = 2;
/** Maximum number of passes in one turn of the event loop: in virtual time a pass takes no time. */
const MAX_TURN_PASSES = 100;

/** The controller of one handler. */
export class HandlerController implements Controller {
  readonly name: string;
  readonly handler: AnyHandler;
  /** The rule by which the handler releases its objects; undefined: it reconciles them. */
  readonly drain: DrainRule | undefined;
  readonly #services: Services;
  readonly #kinds: KindServices;
  readonly #metrics: ControllerMetrics;
  readonly #objects: ObjectMetrics | undefined;
  readonly #concurrency: number;
  readonly #resyncMs: number | false;
  readonly #driver: HandlerDriver;
  readonly #turn: TurnBudget;
  readonly #closed = new AbortController();
  readonly #abort = new AbortController();
  readonly #paused: PausedKeys;
  /** Passes in progress. */
  readonly #passing = new Map<string, Promise<unknown>>();
  /** Keys in namespaces that are being added or removed; queued when that change is complete. */
  readonly #later = new Set<string>();
  #workers: Promise<unknown> | undefined;

  /** Subscribes to its feeds, which must not have been started. */
  constructor(handler: AnyHandler, options: ControllerOptions, services: Services, kinds: KindServices) {
    const { metrics: all, clock, log } = services;
    const metrics = all?.controller(handler.name, handler.kind) ?? NO_METRICS;
    this.name = handler.name;
    this.handler = handler;
    this.drain = options.drain;
    this.#services = services;
    this.#kinds = kinds;
    this.#metrics = metrics;
    this.#concurrency = options.concurrency ?? 5;
    this.#resyncMs = options.resyncMs ?? RESYNC_MS;
    this.#turn = new TurnBudget({ clock, maxMs: MAX_TURN_MS, maxPieces: MAX_TURN_PASSES });
    this.#paused = new PausedKeys(this.name, log);
    this.#driver = new HandlerDriver(handler, options, driverEnv(handler, services, { kinds, metrics }));
    metrics.watch(() => this.#driver.queue.status(), this.#concurrency);
    metrics.watchPaused(() => this.#paused.size);
    this.#objects = metrics.objects(measuredObjects(handler, services));
    this.#driver.primary.subscribe((event) => this.#objects?.observe(event));
  }

  /** Starts the workers; the informers must have synced. */
  start(): void {
    if (this.#workers !== undefined || this.#closed.signal.aborted) return;
    this.#driver.begin();
    this.#objects?.begin();
    this.#workers = Promise.all(Array.from({ length: this.#concurrency }, () => this.#work()));
    if (this.#resyncMs !== false) this.#resyncEvery(this.#resyncMs);
  }

  /** Takes no new keys and drops those that are queued. Passes in progress continue. */
  close(): void {
    this.#closed.abort();
    this.#driver.close();
  }

  /** Ends the chains of the passes in progress; their posts and saves still run. */
  abort(reason: Error): void {
    this.#abort.abort(reason);
  }

  /** Resolves when {@link close} was called, every pass has ended, and every step has returned. */
  async ended(): Promise<void> {
    await this.#workers;
    await this.#driver.straysEnded();
  }

  /** The number of passes, and of steps that outlived their pass, that have not ended. */
  unfinished(): number {
    return this.#driver.unfinished();
  }

  /** Queues a pass for `ref`, as an event would, after `afterMs` milliseconds. */
  enqueue(ref: Ref, afterMs: number = 0): void {
    this.#driver.enqueue(keyOf(ref), { cause: "requested by a source", afterMs, priority: 0 });
  }

  /** Routes the events of one more kind; see {@link HandlerDriver.watch}. */
  watch(watch: DeclaredWatch, id: string): OpenWatch {
    return this.#driver.watch(watch, id);
  }

  /** Why no pass can run for `ref`; undefined: one can. */
  whyNever(ref: Ref): string | undefined {
    const { kind } = this.handler;
    // A program without types may give any value.
    const { name, namespace }: Partial<Ref> = (ref as Ref | null | undefined) ?? {};
    if (typeof name !== "string" || name === "") return "the reference has no name";
    if (kind.scope === "Cluster" && namespace !== undefined) return `${kind.kind} is cluster-scoped, and the reference has a namespace`;
    if (kind.scope === "Namespaced" && namespace === undefined) return `${kind.kind} is namespaced, and the reference has no namespace`;
    return this.#driver.primary.informer.covers(namespace) ? undefined : `the namespace is not watched`;
  }

  /** The server began or ceased to serve a kind, or to allow its watch: every object that may depend on it gets a pass. */
  presenceChanged(kind: AnyHandler["kind"]): void {
    if (pipelineOf(this.handler).watchedKinds.has(groupKindOf(kind)))
      this.#driver.enqueueAll(`the server began or ceased to serve ${kind.kind}`);
  }

  /** An informer of the kind has listed, failed or recovered. */
  kindChanged(kind: AnyHandler["kind"]): void {
    this.#driver.kindChanged(kind);
  }

  /** Whether the first list of a kind that steps watch by `req.watch` is on its way. */
  get isListing(): boolean {
    return this.#driver.isListing;
  }

  /** Resolves when no pass is in progress for an object in such a namespace; the caller prevents new ones. */
  async passesEnded(isConcerned: (namespace: string | undefined) => boolean): Promise<void> {
    const passes = [...this.#passing].filter(([key]) => isConcerned(refOf(key).namespace));
    await Promise.allSettled(passes.map(([, pass]) => pass));
  }

  /** Queues the keys that waited for a change of the watched namespaces. */
  namespacesChanged(): void {
    const keys = [...this.#later];
    this.#later.clear();
    // A pass that still may not begin puts its key back.
    for (const key of keys) this.#driver.enqueue(key, { cause: "the watched namespaces have changed", priority: LOW_PRIORITY });
  }

  status(): ControllerStatus {
    return { name: this.name, ...this.#driver.queue.status() };
  }

  /** At most `limit` keys of each state of its queue. */
  keys(limit: number): QueueKeys {
    return this.#driver.queue.keys(limit);
  }

  #resyncEvery(periodMs: number): void {
    const { clock, random } = this.#services;
    const { primary } = this.#driver;
    startResync({
      clock,
      random,
      periodMs,
      objects: () => primary.informer.list() as readonly KubernetesObject[],
      enqueue: ({ metadata }) => this.#driver.enqueue(keyOf(metadata), { cause: "resync", priority: LOW_PRIORITY }),
      signal: this.#closed.signal,
    });
  }

  async #work(): Promise<void> {
    const { queue } = this.#driver;
    for (;;) {
      const key = await queue.get();
      if (key === undefined) return;
      // The stop that follows a lost leadership may not have reached this controller yet.
      if (this.#services.election?.isLeading === false) return queue.done(key);
      this.#metrics.active(1);
      this.#turn.count();
      const pass = this.#pass(key).catch((error: unknown) => this.#driver.crashed(key, error));
      this.#passing.set(key, pass);
      const result = await pass;
      this.#passing.delete(key);
      this.#metrics.active(-1);
      this.#driver.done(key, result);
      if (this.#turn.isSpent) await this.#turn.rest();
    }
  }

  async #pass(key: string): Promise<PassResult | undefined> {
    const { clock, newID } = this.#services;
    if (!this.#mayPass(key)) return undefined;
    const startedMs = clock.now();
    const reconcileID = newID();
    const cause = this.#driver.takeCause(key);
    const causes = cause === undefined ? {} : { cause };
    const result = await this.#driver.pass(key, { signal: this.#abort.signal, reconcileID, ...causes });
    if (result === undefined) return undefined;
    const durationMs = clock.now() - startedMs;
    this.#paused.note(key, result);
    this.#metrics.passed(result, durationMs);
    this.#report(key, { reconcileID, result, durationMs, ...causes });
    return result;
  }

  #report(key: string, pass: Omit<PassReport, "handler" | "ref">): void {
    try {
      const answer: unknown = this.#services.onPass?.({ handler: this.handler, ref: refOf(key), ...pass });
      // An observer that is async by mistake must not end the process when it rejects.
      if (answer instanceof Promise) answer.catch((error: unknown) => this.#driver.contained(error, "onPass rejected", key));
    } catch (error) {
      this.#driver.contained(error, "onPass threw", key);
    }
  }

  #mayPass(key: string): boolean {
    const may = this.#kinds.mayPass(this.#driver.primary.informer, refOf(key).namespace);
    if (may === "later") this.#later.add(key);
    else this.#later.delete(key);
    // The object may still exist, so nothing is cleaned up.
    if (may === "never") {
      this.#driver.forget(key);
      this.#paused.forget(key);
    }
    return may === "now";
  }
}
