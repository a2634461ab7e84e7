/** From what a manager was told to what runs: tracing, connection, metrics, election, and the runtime made of them. */
import { randomUUID } from "node:crypto";
import { type Random, systemClock, systemRandom } from "@treadle/apimachinery";
import type { Client, Exchange } from "@treadle/client";
import type { Logger } from "@treadle/reconcile";
import type { DebugSource } from "../debug/debug-server.ts";
import { reporter } from "../dry-run/dry-write.ts";
import { createElection } from "../leader-election/create-election.ts";
import { type Election, NO_ELECTION_METRICS } from "../leader-election/election.ts";
import { NO_METRICS } from "../metrics/controller-metrics.ts";
import type { LazyMetrics } from "../metrics/lazy-metrics.ts";
import type { ManagerMetrics } from "../metrics/prometheus.ts";
import type { ManagerOptions } from "../options.ts";
import { loadTracing, type Tracing } from "../tracing/tracing.ts";
import { type Connection, connection } from "./connection.ts";
import { messageOf } from "./error-text.ts";
import type { Health } from "./health.ts";
import { both } from "./promises.ts";
import { type Runtime, type RuntimeOptions, startRuntime } from "./runtime.ts";
import { serverOptions } from "./server-options.ts";
import { watchLoop } from "./watch-loop.ts";

export interface Assembling
  extends DebugSource,
    Pick<
      RuntimeOptions,
      "assignments" | "runnables" | "clock" | "log" | "namespaces" | "onPass" | "onChange" | "onMade" | "onListening" | "signal"
    > {
  /** With the settings from outside. */
  readonly options: ManagerOptions;
  readonly metrics: LazyMetrics;
  readonly health: Health;
  /** Told before anything runs. */
  readonly onConnected: (connected: { readonly client: Client; readonly election: Election | undefined }) => void;
  /** Something went wrong that ends the manager. */
  readonly onFailed: (error: unknown) => void;
}

/** Starts everything, or rejects with what went wrong and has nothing running. */
export async function assemble(assembling: Assembling): Promise<Runtime> {
  const { options, clock, onChange, onFailed, health } = assembling;
  const { gracefulShutdownMs = 30_000, cacheSyncTimeoutMs = 120_000, kindRetryMs = 10_000, dryRun = false, cache = [] } = options;
  const random = options.random ?? systemRandom;
  const tracing = await loadTracing(clock, assembling.log);
  const log = tracing?.logger(assembling.log) ?? assembling.log;
  const [{ namespace, ...client }, metrics] = await connected(assembling, { random, log, tracing });
  const monitor = clock === systemClock ? watchLoop(assembling.log, metrics) : undefined;
  const handlers = assembling.assignments.map(({ handler }) => handler);
  const election = await createElection(options, {
    client: client.client,
    clock,
    random,
    log: assembling.log,
    handlers,
    namespace,
    metrics: metrics?.election ?? NO_ELECTION_METRICS,
    onChange,
    onLost: onFailed,
    suspicion: (ms) => monitor?.suspicion(ms),
  }).catch(async (error: unknown) => {
    await client.closeClient();
    throw error;
  });
  assembling.onConnected({ client: client.client, election });
  return await startRuntime({
    ...assembling,
    ...client,
    random,
    election,
    monitor,
    tracing,
    onWorkFailed: onFailed,
    log,
    cache,
    servers: serverOptions(options, {
      checks: { healthz: health.healthz, readyz: health.readyz },
      metrics,
      client: client.client,
      clock,
      log: assembling.log,
      debug: assembling,
    }),
    cacheSyncTimeoutMs,
    gracefulShutdownMs,
    kindRetryMs,
    dryRun: dryRun === false ? undefined : reporter(log, dryRun === true ? undefined : dryRun.onWrite),
    countEvent: options.events === false || dryRun !== false ? undefined : (result) => metrics?.recorded(result),
    metricsOf: (controller) => metrics?.controller(controller) ?? NO_METRICS,
    newID: options.reconcileID ?? randomUUID,
    undeclared: options.onUndeclared,
  });
}

/** Side by side: both take their time, and neither needs the other. */
async function connected(
  { options, clock, metrics }: Assembling,
  { random, log, tracing }: { readonly random: Random; readonly log: Logger; readonly tracing: Tracing | undefined },
): Promise<readonly [Connection, ManagerMetrics | undefined]> {
  const onExchange = (exchange: Exchange): void => {
    metrics.loaded?.exchanged(exchange);
    tracing?.exchanged(exchange);
  };
  const onWarning = (text: string): void => log.warn({}, `the API server warns: ${messageOf(text)}`);
  return await both(
    connection(options, { onExchange, onWarning, clock, random }),
    options.metrics === false ? metrics.asked() : metrics.load(),
    ({ closeClient }) => closeClient(),
  );
}
