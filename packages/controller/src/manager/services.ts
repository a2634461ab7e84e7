/** The services that the parts of a manager share. They are made once, when the manager starts. */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { type Clock, systemClock, systemRandom } from "@treadle/apimachinery";
import type { Client, Exchange } from "@treadle/client";
import type { AnyHandler, Logger } from "@treadle/reconcile";
import { dryRunClient } from "../dry-run/dry-run-client.ts";
import { reporter } from "../dry-run/dry-write.ts";
import type { EventLoopMonitor } from "../event-loop/event-loop-monitor.ts";
import { reportBlocks } from "../event-loop/report-blocks.ts";
import { EventRecorder } from "../events/recorder.ts";
import { messageOf } from "../internal/error-text.ts";
import { both } from "../internal/promises.ts";
import { createElection } from "../leader-election/create-election.ts";
import { type Elected, NO_ELECTION_METRICS } from "../leader-election/election.ts";
import { handedLeadership } from "../leader-election/handed-leadership.ts";
import { leadersFence } from "../leader-election/leadership.ts";
import type { ManagerOptions } from "../manager-options.ts";
import type { LazyMetrics } from "../metrics/lazy-metrics.ts";
import type { ManagerMetrics } from "../metrics/prometheus.ts";
import type { PassReport } from "../pass-report.ts";
import type { RunnableEnv } from "../runnable.ts";
import { loadTracing, type Tracing } from "../tracing/tracing.ts";
import { type Connection, connection } from "./connection.ts";

/** What the manager itself gives to its parts. */
export interface ManagerHooks {
  /** The options, with the settings from the environment and the config file. */
  readonly options: ManagerOptions;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called after every pass. */
  readonly onPass: ((report: PassReport) => void) | undefined;
  /** Resolves when a host lets the manager work; undefined: it has no host, or the host leaves that to an election. */
  readonly leads: Promise<void> | undefined;
  /** Called after everything that changes the status of the manager. */
  readonly onChange: () => void;
  /** Called with an error that ends the manager. */
  readonly onFailed: (error: unknown) => void;
  /** Aborts the start, and is aborted when the stop begins. */
  readonly signal: AbortSignal;
}

/** The services of one manager. */
export interface Services extends ManagerHooks, Pick<RunnableEnv, "clock" | "random" | "log"> {
  /** Sends every request: for informers, the election and reviews. */
  readonly client: Client;
  /** Sends the writes of passes and events, unless this replica does not lead, or they are only a dry run. */
  readonly writer: Client;
  /** Makes a client of another cluster whose writes need the leadership, too. Undefined without an election. */
  readonly fenced: ((client: Client) => Client) | undefined;
  readonly closeClient: () => Promise<void>;
  /** Undefined: nothing is counted. */
  readonly metrics: ManagerMetrics | undefined;
  /** Undefined where the program registered no provider. */
  readonly tracing: Tracing | undefined;
  /** Undefined in virtual time. */
  readonly monitor: EventLoopMonitor | undefined;
  /** Decides when the work begins; undefined: immediately. */
  readonly election: Elected | undefined;
  /** Undefined: events are logged and not written. */
  readonly recorder: EventRecorder | undefined;
  readonly isDryRun: boolean;
  /** Makes the id of a pass for logs and reports. */
  readonly newID: () => string;
}

/** Connects, and makes the services; none of them runs yet. Rejects with what went wrong, and then has nothing open. */
export async function makeServices(hooks: ManagerHooks, handlers: readonly AnyHandler[], lazy: LazyMetrics): Promise<Services> {
  const { options, clock } = hooks;
  const random = options.random ?? systemRandom;
  const tracing = await loadTracing(clock, hooks.log);
  const log = tracing?.logger(hooks.log) ?? hooks.log;
  const base = { ...hooks, random, log, tracing };
  const [{ namespace, ...connected }, metrics] = await connect(base, lazy);
  const monitor = clock === systemClock ? reportBlocks(log, metrics) : undefined;
  try {
    const electing = {
      ...base,
      ...connected,
      handlers,
      namespace,
      metrics: metrics?.election ?? NO_ELECTION_METRICS,
      onLost: hooks.onFailed,
      suspicion: (ms: number) => monitor?.suspicion(ms),
    };
    const election = hooks.leads === undefined ? await createElection(options, electing) : handedLeadership(hooks.leads, hooks.onChange);
    const isDryRun = (options.dryRun ?? false) !== false;
    const fenced = election && leadersFence(election);
    const writer = writingClient(connected.client, log, { options, fenced });
    const recorder = options.events === false || isDryRun ? undefined : makeRecorder(base, { writer, metrics });
    return {
      ...base,
      ...connected,
      metrics,
      monitor,
      election,
      isDryRun,
      writer,
      fenced,
      recorder,
      newID: options.newReconcileID ?? randomUUID,
    };
  } catch (error) {
    await connected.closeClient();
    throw error;
  }
}

/** Connects and loads the metrics at the same time: both take a while, and neither needs the other. */
async function connect(
  { options, clock, random, log, tracing }: Pick<Services, "options" | "clock" | "random" | "log" | "tracing">,
  lazy: LazyMetrics,
): Promise<readonly [Connection, ManagerMetrics | undefined]> {
  const onExchange = (exchange: Exchange): void => {
    lazy.loaded?.exchanged(exchange);
    tracing?.exchanged(exchange);
  };
  const onWarning = (text: string): void => log.warn({}, `the API server warns: ${messageOf(text)}`);
  return await both(
    connection(options, { onExchange, onWarning, clock, random }),
    options.metrics === false ? lazy.asked() : lazy.load(),
    ({ closeClient }) => closeClient(),
  );
}

/** A replica that does not lead sends neither writes nor events; a dry run sends nothing. */
function writingClient(client: Client, log: Logger, { options, fenced }: Pick<Services, "options" | "fenced">): Client {
  const { dryRun = false } = options;
  if (dryRun !== false) return dryRunClient(client, reporter(log, dryRun === true ? undefined : dryRun.onWrite));
  return fenced?.(client) ?? client;
}

function makeRecorder(
  { clock, random, log, onChange }: Pick<Services, "clock" | "random" | "log" | "onChange">,
  { writer, metrics }: Pick<Services, "writer" | "metrics">,
): EventRecorder {
  return new EventRecorder({
    client: writer,
    clock,
    random,
    log,
    instance: hostname(),
    count: (result) => metrics?.recorded(result),
    onChange,
  });
}
