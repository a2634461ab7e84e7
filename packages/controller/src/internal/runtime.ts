/**
 * What runs between the start and the stop of a manager. Things are started in one order and stopped in the reverse one,
 * also when the start fails half-way.
 */
import { hostname } from "node:os";
import type { Clock, KubernetesObject, Random } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import type { Informers } from "@treadle/informer";
import type { AnyHandler, EventNote, Logger, ReconcilerEnv } from "@treadle/reconcile";
import { Fetches } from "@treadle/reconcile/unstable/engine";
import type { CachedKind } from "../cached.ts";
import { Controller } from "../controller.ts";
import type { ControllerOptions } from "../controller-options.ts";
import type { PassReport } from "../pass-report.ts";
import { dryRunClient } from "../dry-run/dry-run-client.ts";
import type { DryWrite } from "../dry-run/dry-write.ts";
import { EventRecorder, type EventResult } from "../events/recorder.ts";
import type { Election } from "../leader-election/election.ts";
import { leadersClient } from "../leader-election/leadership.ts";
import type { ControllerMetrics } from "../metrics/controller-metrics.ts";
import type { Runnable } from "../runnable.ts";
import type { Tracing } from "../tracing/tracing.ts";
import { type HttpServer, type HttpServerOptions, listen } from "./http-server.ts";
import { FeedRegistry } from "../feeds/feed-registry.ts";
import { syncError } from "./informer-failures.ts";
import { makeInformers } from "./make-informers.ts";
import type { KindPresence } from "./kind-presence.ts";
import { joined } from "./phase-watches.ts";
import { type Undo, unwind, within } from "./promises.ts";
import type { LoopMonitor } from "./loop-monitor.ts";
import { startRunnables } from "./runnables.ts";
import { sourceRunnables } from "./source-runnables.ts";
import { ShutdownBudget } from "./shutdown-budget.ts";
import { WatchedNamespaces } from "./watched-namespaces.ts";
import { Work } from "./work.ts";

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
  readonly cache: readonly CachedKind[];
  readonly assignments: readonly Assignment[];
  readonly runnables: readonly Runnable[];
  readonly servers: readonly HttpServerOptions[];
  readonly cacheSyncTimeoutMs: number;
  readonly gracefulShutdownMs: number;
  readonly metricsOf: (controller: string) => ControllerMetrics;
  /** Undefined: events are logged, and not written. */
  readonly countEvent: ((result: EventResult) => void) | undefined;
  /** Told what is not sent; undefined: everything is. */
  readonly dryRun: ((write: DryWrite) => void) | undefined;
  readonly newID: () => string;
  readonly kindRetryMs: number;
  readonly undeclared: ReconcilerEnv["undeclared"];
  readonly onPass: ((report: PassReport) => void) | undefined;
  readonly onChange: () => void;
  /** Looks for steps that do not give way; undefined in virtual time. */
  readonly monitor: LoopMonitor | undefined;
  /** Undefined where the program registered no provider. */
  readonly tracing: Tracing | undefined;
  /** Decides when the work begins. Undefined: at once. */
  readonly election: Election | undefined;
  /** The work could not begin after the election was won. */
  readonly onWorkFailed: (error: unknown) => void;
  /** Told of the parts before they are started, so that probes can look at them. */
  readonly onMade: (made: Pick<Runtime, "informers" | "controllers" | "presence" | "recorder" | "namespaces" | "feeds">) => void;
  readonly onListening: (servers: ReadonlyMap<string, HttpServer>) => void;
  /** Aborts the start, and is aborted when the stop begins. */
  readonly signal: AbortSignal;
}

export interface Runtime {
  readonly informers: Informers;
  readonly controllers: readonly Controller[];
  readonly presence: KindPresence;
  readonly recorder: EventRecorder | undefined;
  readonly namespaces: WatchedNamespaces;
  readonly feeds: FeedRegistry;
  /** Stops everything. Rejects when something did not end well; it is stopped as far as possible all the same. */
  stop(): Promise<void>;
}

/** Starts everything, or rejects with what went wrong and has nothing running. */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { clock, random, log, runnables, election, signal, onMade } = options;
  const budget = new ShutdownBudget(clock, options.gracefulShutdownMs);
  // A connection that does not close keeps nobody: the process ends, or goes on without it.
  const undo: Undo[] = [() => options.monitor?.stop(), async () => void (await within(clock, budget.forTheRest(), options.closeClient()))];
  options.monitor?.start();
  try {
    const controllers: Controller[] = [];
    const { informers, presence, scopeOf } = makeInformers({
      ...options,
      handlers: options.assignments.map(({ handler }) => handler),
      presenceChanged(kind) {
        for (const controller of controllers) controller.presenceChanged(kind);
      },
      onListed: () => namespaces.listed(),
    });
    const namespaces = new WatchedNamespaces({ log, informers, presence, controllers });
    const client = writingClient(options);
    const recorder = makeRecorder(options, client);
    const feeds = new FeedRegistry({ informers, scopeOf, onEvent: options.onChange, onRemoved: (kind) => presence.forget(kind) });
    controllers.push(...makeControllers({ ...options, client }, { informers, presence, recorder, namespaces, feeds }));
    onMade({ informers, controllers, presence, recorder, namespaces, feeds });
    const [needy = [], free] = [true, false].map((needs) => runnables.filter(({ needsLeader = true }) => needsLeader === needs));
    const sources = options.assignments.flatMap((each, at) => {
      const controller = controllers[at];
      return controller === undefined ? [] : sourceRunnables(controller, each.options.sources ?? [], informers.cache);
    });
    const work = new Work({ clock, random, log, controllers, runnables: [...needy, ...sources], budget, signal });
    undo.push(
      () => resign(options, work, budget),
      () => recorder?.stop(Math.min(EVENTS_MS, budget.forRunnables())),
    );
    await startServers(options, undo);
    signal.throwIfAborted();
    undo.push(async () => void (await Promise.all([presence.stop(), informers.stop()])));
    undo.push(() => {
      for (const { options: given } of options.assignments) for (const source of given.sources ?? []) source.close?.();
    });
    informers.startAll();
    await synced(options, informers, presence);
    await startRunnables(free ?? [], { clock, random, log, signal, stopMs: () => budget.forRunnables() }, undo);
    signal.throwIfAborted();
    undo.push(
      () => work.stop(election?.lost),
      () => budget.start(),
    );
    if (election === undefined) await work.start();
    else election.start(() => void work.start().catch(options.onWorkFailed));
    return { informers, controllers, presence, recorder, namespaces, feeds, stop: () => unwind(undo) };
  } catch (error) {
    await unwind(undo).catch(() => undefined); // What went wrong first is what matters.
    throw error;
  }
}

/** Of one that does not lead, neither passes nor events are sent; of a dry run nothing is. */
function writingClient({ client, election, dryRun }: RuntimeOptions): Client {
  if (dryRun !== undefined) return dryRunClient(client, dryRun);
  return election === undefined ? client : leadersClient(client, election);
}

/** How long the end waits for the last events. */
const EVENTS_MS = 1_000;

function makeRecorder({ clock, random, log, countEvent, onChange }: RuntimeOptions, client: Client): EventRecorder | undefined {
  if (countEvent === undefined) return undefined;
  return new EventRecorder({ client, clock, random, log, instance: hostname(), count: countEvent, onChange });
}

/** The lease is given back when nothing acts for the operator any more; else others wait until it ends. */
async function resign({ election, log, clock }: RuntimeOptions, work: Work, budget: ShutdownBudget): Promise<void> {
  if (election === undefined) return;
  if (!work.isRunning) {
    if (await within(clock, budget.forTheRest(), election.release())) return;
    log.warn({}, "the lease could not be given back in the time that was left: others wait until it ends");
    return;
  }
  log.warn({}, "the lease is not given back, since passes or runnables have not ended: others wait until it ends");
  await election.abandon();
}

function makeControllers(
  options: RuntimeOptions,
  { informers, presence, recorder, namespaces, feeds }: Pick<Runtime, "informers" | "presence" | "recorder" | "namespaces" | "feeds">,
): readonly Controller[] {
  const { client, clock, random, log, metricsOf, newID, onPass, onChange, undeclared, election, monitor, tracing } = options;
  const fetches = new Fetches();
  return options.assignments.map(({ handler, options: given }) => {
    const metrics = metricsOf(handler.name);
    const traced = tracing?.passesOf(handler);
    return new Controller(handler, given, {
      client,
      cache: informers.cache,
      clock,
      random,
      log,
      metrics,
      feeds,
      fetches,
      isDryRun: options.dryRun !== undefined,
      isServed: (kind) => presence.isServed(kind),
      mayPass: (primary, namespace) => namespaces.mayPass(primary, namespace),
      refusalOf: (kind) => presence.refusalOf(kind),
      ...(undeclared === undefined ? {} : { undeclared }),
      newID,
      onPass,
      onChange,
      mayWork: () => election?.isLeading !== false,
      recordEvent(object: KubernetesObject, event: EventNote) {
        const { name, namespace } = object.metadata;
        const { note, ...rest } = event;
        log.info({ controller: handler.name, kind: object.kind, name, namespace, event: rest }, note);
        recorder?.record(handler.name, object, event);
      },
      tracing: traced,
      ...(monitor === undefined && traced === undefined
        ? {}
        : { phaseBegan: (phase) => joined(monitor?.began(handler.name, phase), traced?.phaseBegan(phase)) }),
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
