/**
 * What runs between the start and the stop of a manager. Things are started in one order and stopped in the reverse one,
 * also when the start fails half-way.
 */
import { type Clock, keepOwnManagedFields, type Kind, type KubernetesObject, metadataOnly, type Random } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import { createInformers, type Informer, type Informers } from "@treadle/informer";
import { type AnyHandler, type EventNote, type Logger, type ReconcilerEnv } from "@treadle/reconcile";
import { Fetches, watchedKindsOf } from "@treadle/reconcile/unstable/engine";
import { Controller, type ControllerOptions, type PassReport } from "../controller.ts";
import { createFeed, type Feed } from "../feed.ts";
import { ManagerError } from "../manager-error.ts";
import type { Runnable } from "../options.ts";
import type { ControllerMetrics } from "./controller-metrics.ts";
import { messageOf } from "./error-text.ts";
import { type HttpServer, type HttpServerOptions, listen } from "./http-server.ts";
import { logFailures, syncError } from "./informer-failures.ts";
import { KindPresence } from "./kind-presence.ts";
import { orAborted, type Undo, unwind, within } from "./promises.ts";
import { quickCache } from "./quick-cache.ts";

/** A handler and how to run it. */
export interface Assignment {
  readonly handler: AnyHandler;
  readonly options: ControllerOptions;
}

export interface RuntimeOptions {
  readonly client: Client;
  readonly closeClient: () => Promise<void>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly namespaces: readonly string[] | undefined;
  readonly assignments: readonly Assignment[];
  readonly runnables: readonly Runnable[];
  readonly servers: readonly HttpServerOptions[];
  readonly cacheSyncTimeoutMs: number;
  readonly gracefulShutdownMs: number;
  readonly metricsOf: (controller: string) => ControllerMetrics;
  readonly newID: () => string;
  readonly kindRetryMs: number;
  readonly undeclared: ReconcilerEnv["undeclared"];
  readonly onPass: ((report: PassReport) => void) | undefined;
  readonly onChange: () => void;
  /** Told of the parts before they are started, so that probes can look at them. */
  readonly onMade: (made: Pick<Runtime, "informers" | "controllers" | "presence">) => void;
  readonly onListening: (servers: ReadonlyMap<string, HttpServer>) => void;
  /** Aborts the start, and is aborted when the stop begins. */
  readonly signal: AbortSignal;
}

export interface Runtime {
  readonly informers: Informers;
  readonly controllers: readonly Controller[];
  readonly presence: KindPresence;
  /** Stops everything. Rejects when something did not end well; it is stopped as far as possible all the same. */
  stop(): Promise<void>;
}

/** Starts everything, or rejects with what went wrong and has nothing running. */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { signal, onMade } = options;
  const undo: Undo[] = [() => options.closeClient()];
  try {
    const controllers: Controller[] = [];
    const { informers, presence } = makeInformers(options, (kind) => {
      for (const controller of controllers) controller.presenceChanged(kind);
    });
    controllers.push(...makeControllers(options, informers, presence));
    onMade({ informers, controllers, presence });
    await startServers(options, undo);
    signal.throwIfAborted();
    undo.push(async () => void (await Promise.all([presence.stop(), informers.stop()])));
    informers.startAll();
    await synced(options, informers, presence);
    await startRunnables(options, undo);
    signal.throwIfAborted();
    undo.push(() => stopControllers(options, controllers));
    for (const controller of controllers) controller.start();
    return { informers, controllers, presence, stop: () => unwind(undo) };
  } catch (error) {
    await unwind(undo).catch(() => undefined); // What went wrong first is what matters.
    throw error;
  }
}

function makeInformers(
  { client, clock, random, log, namespaces, assignments, kindRetryMs, onChange }: RuntimeOptions,
  presenceChanged: (kind: Kind) => void,
): { readonly informers: Informers; readonly presence: KindPresence } {
  const logFailure = logFailures(log, clock);
  const presence = new KindPresence({
    client,
    clock,
    random,
    log,
    informerOf: (kind) => informers.get(kind),
    onChange(kind) {
      presenceChanged(kind);
      onChange();
    },
  });
  const informers: Informers = createInformers({
    client,
    clock,
    random,
    ...(namespaces === undefined ? {} : { namespaces }),
    notServedRetryMs: kindRetryMs,
    onError(error, where, kind) {
      presence.failed(error, where, kind);
      // That a kind is missing was said above, once; that a watch of it has ended is no news beside that.
      if (presence.isServed(kind)) logFailure(error, where, kind);
    },
    onListed: (kind) => presence.listed(kind),
    onRecovered: (kind) => presence.recovered(kind),
  });
  // Of managedFields they keep which conditions our handlers wrote, and what they applied. Primaries first.
  const managers = new Set(assignments.map(({ handler }) => handler.name));
  const ingest = (object: KubernetesObject): KubernetesObject => keepOwnManagedFields(object, managers);
  for (const { handler } of assignments) informers.for(handler.kind, { ingest });
  for (const kind of watchedKindsOf(assignments.map(({ handler }) => handler))) informers.for(kind, { ingest });
  return { informers, presence };
}

function makeControllers(options: RuntimeOptions, informers: Informers, presence: KindPresence): readonly Controller[] {
  const { client, clock, log, metricsOf, newID, onPass, onChange, undeclared } = options;
  const feeds = new Map<Informer, Feed>();
  const fetches = new Fetches();
  // Of a watched kind there is one informer, of its metadata or of the whole.
  const watchedFeedOf = (kind: Kind): Feed | undefined => {
    const informer: Informer | undefined = informers.get(metadataOnly(kind));
    if (informer === undefined) return undefined;
    let feed = feeds.get(informer);
    if (feed === undefined) {
      feed = createFeed(informer);
      feeds.set(informer, feed);
      informer.onEvent(onChange);
    }
    return feed;
  };
  const feedOf = (kind: Kind): Feed => {
    const feed = watchedFeedOf(kind);
    if (feed === undefined) throw new Error(`unreachable: ${kind.kind} is declared, so there is an informer of it`);
    return feed;
  };
  const cache = quickCache(informers);
  const recordEvent = (object: KubernetesObject, { type, reason, note, action }: EventNote): void => {
    const { name, namespace } = object.metadata;
    log.info({ kind: object.kind, name, namespace, event: { type, reason, action } }, note);
  };
  return options.assignments.map(({ handler, options: given }) => {
    const metrics = metricsOf(handler.name);
    return new Controller(handler, given, {
      client,
      cache,
      clock,
      log,
      metrics,
      feedOf,
      watchedFeedOf,
      fetches,
      isServed: (kind) => presence.isServed(kind),
      refusalOf: (kind) => presence.refusalOf(kind),
      undeclared,
      newID,
      onPass,
      onChange,
      recordEvent,
    });
  });
}

async function startServers({ servers, log, onListening }: RuntimeOptions, undo: Undo[]): Promise<void> {
  const listening = new Map<string, HttpServer>();
  for (const options of servers) {
    const server = await listen(options);
    undo.push(() => server.close());
    listening.set(options.name, server);
    log.info({ host: server.host, port: server.port }, `serving ${options.name}`);
  }
  onListening(listening);
}

/**
 * Waits for the first lists; those of kinds that the server does not serve are not waited for.
 *
 * @throws ManagerError ERR_CACHE_SYNC, or the reason of the signal.
 */
async function synced(
  { clock, cacheSyncTimeoutMs, signal, log }: RuntimeOptions,
  informers: Informers,
  presence: KindPresence,
): Promise<void> {
  const late = new AbortController();
  const timer = clock.after(cacheSyncTimeoutMs, () => late.abort(syncError(informers.all(), cacheSyncTimeoutMs)));
  try {
    const ended = AbortSignal.any([signal, late.signal]);
    await Promise.all(informers.all().map((informer) => presence.settled(informer, ended)));
  } finally {
    timer.cancel();
  }
  const isSynced = informers.all().filter(({ hasSynced }) => hasSynced);
  log.info({ informers: isSynced.map(({ kind }) => kind.kind) }, "caches have synced");
}

async function startRunnables({ runnables, signal }: RuntimeOptions, undo: Undo[]): Promise<void> {
  for (const runnable of runnables) {
    signal.throwIfAborted();
    undo.push(() => ran(runnable, "stop", () => runnable.stop?.()));
    // A start that waits for the stop of the manager would wait for itself.
    await orAborted(
      ran(runnable, "start", () => runnable.start(signal)),
      signal,
    );
  }
}

async function ran(runnable: Runnable, verb: "start" | "stop", run: () => void | Promise<void>): Promise<void> {
  try {
    await run();
  } catch (cause) {
    throw new ManagerError("ERR_RUNNABLE", `cannot ${verb} runnable "${runnable.name ?? "(unnamed)"}": ${messageOf(cause)}`, { cause });
  }
}

/** Passes in progress finish, or are told to, or are left behind. @throws ManagerError ERR_SHUTDOWN_TIMEOUT */
async function stopControllers(options: RuntimeOptions, controllers: readonly Controller[]): Promise<void> {
  const { clock, gracefulShutdownMs, log } = options;
  for (const controller of controllers) controller.close();
  const ended = Promise.all(controllers.map((controller) => controller.ended()));
  const politeMs = Math.floor((gracefulShutdownMs * 2) / 3);
  if (await within(clock, politeMs, ended)) return;
  log.warn({ running: runningOf(controllers) }, `passes still in progress after ${politeMs / 1000} s: aborting their signals`);
  for (const controller of controllers) controller.abort(new Error("the operator is shutting down"));
  if (await within(clock, gracefulShutdownMs - politeMs, ended)) return;
  const running = runningOf(controllers);
  const names = Object.entries(running).map(([name, passes]) => `${passes} of ${name}`);
  throw new ManagerError(
    "ERR_SHUTDOWN_TIMEOUT",
    `cannot stop within ${gracefulShutdownMs / 1000} s: passes still in progress: ${names.join(", ")}; pass req.signal to what their steps wait for`,
  );
}

function runningOf(controllers: readonly Controller[]): Readonly<Record<string, number>> {
  return Object.fromEntries(controllers.map((each) => [each.name, each.unfinished()] as const).filter(([, running]) => running > 0));
}
