/**
 * The host of the program's managers: each waits until its CRDs are there, listens on free ports, and works when `treadle dev` lets it. Their
 * log and their passes are reported.
 */
import { createServer } from "node:net";
import { keyOf } from "@treadle/apimachinery";
import { createLogger, type ManagerOptions, type PassReport } from "@treadle/controller";
import type { HostedManager, Hosting, ManagerHost, ProgramEndpoint } from "@treadle/controller/unstable/host";
import { crdsOf } from "../../generate/crds.ts";
import type { LogLine, OperatorSettings, PassMessage } from "../messages.ts";
import type { Parent } from "./channel.ts";

/** More servers of webhooks than a program has. */
const PORTS = 4;

export class DevHost implements ManagerHost {
  readonly #parent: Parent;
  readonly #settings: OperatorSettings;
  readonly #managers: HostedManager["manager"][] = [];
  readonly #prepared = new Map<number, () => void>();
  readonly #leads = Promise.withResolvers<void>();
  #ports: number[] = [];
  #lacksWebhooks = false;

  constructor(parent: Parent, settings: OperatorSettings) {
    this.#parent = parent;
    this.#settings = settings;
    parent.listen((message) => {
      if (message.type === "prepared") this.#prepared.get(message.manager)?.();
      if (message.type === "lead") this.#leads.resolve();
    });
  }

  /** The managers that have started, or are about to. */
  get managers(): readonly HostedManager["manager"][] {
    return this.#managers;
  }

  /** Finds free ports, because a server of webhooks must know its port when it is made. */
  async reservePorts(): Promise<void> {
    if (this.#settings.webhookHost !== "") this.#ports = await freePorts(PORTS);
  }

  endpoint(): ProgramEndpoint | undefined {
    const { webhookHost } = this.#settings;
    const port = this.#ports.shift();
    if (port === undefined) {
      this.#lacksWebhooks = true;
      return undefined;
    }
    const isLoopback = webhookHost === "127.0.0.1" || webhookHost === "localhost";
    return { url: `https://${webhookHost}:${port}`, host: isLoopback ? "127.0.0.1" : "0.0.0.0", port };
  }

  async starting({ manager, handlers, runnables, options }: HostedManager): Promise<Hosting> {
    const number = this.#managers.push(manager);
    const prepared = new Promise<void>((resolve) => this.#prepared.set(number, resolve));
    this.#parent.send({
      type: "starting",
      manager: number,
      handlers: handlers.map(({ name }) => name),
      crds: crdsOf({ handlers, runnables }),
      lacksWebhooks: this.#lacksWebhooks,
    });
    await prepared;
    this.#reportStart(manager);
    return { options: this.#optionsOf(options), leads: this.#leads.promise };
  }

  #reportStart(manager: HostedManager["manager"]): void {
    let isReported = false;
    manager.onChange(() => {
      if (isReported || manager.status().state !== "running") return;
      isReported = true;
      this.#parent.send({ type: "running" });
    });
  }

  /** The process before this one may still run, so no port is fixed. */
  #optionsOf(options: ManagerOptions): ManagerOptions {
    const { probes, metrics, debug, onPass } = options;
    const { tls: _tls, authorize: _authorize, ...measured } = metrics === false ? {} : (metrics ?? {});
    return {
      ...options,
      log: this.#log(options),
      leaderElection: false,
      host: LOOPBACK,
      probes: probes === false ? false : ANY_PORT,
      metrics: metrics === false ? false : { ...measured, ...ANY_PORT },
      debug: debug === undefined || debug === false ? false : ANY_PORT,
      onPass: (report) => {
        this.#parent.send({ type: "pass", pass: passOf(report) });
        return onPass?.(report);
      },
    };
  }

  /** The lines of the default log: it removes secrets. */
  #log({ logLevel }: ManagerOptions): NonNullable<ManagerOptions["log"]> {
    const isDetailed = logLevel === "debug" || logLevel === "trace";
    return createLogger({
      level: isDetailed ? "debug" : "info",
      format: "json",
      destination: { write: (text: string) => this.#parent.send({ type: "line", line: lineOf(text) }) },
    });
  }
}

const LOOPBACK = "127.0.0.1";
const ANY_PORT = { host: LOOPBACK, port: 0 } as const;

function passOf({ handler, ref, cause, result, durationMs }: PassReport): PassMessage {
  const { requeue } = result;
  const nextMs = requeue.type === "none" ? undefined : requeue.afterMs;
  return {
    controller: handler.name,
    kind: handler.kind.kind,
    object: keyOf(ref),
    ...(cause === undefined ? {} : { cause }),
    outcome: result.outcome.type,
    steps: result.phases,
    durationMs,
    ...(nextMs === undefined ? {} : { nextMs }),
  };
}

function lineOf(text: string): LogLine {
  const { level, time: _time, msg, ...fields } = JSON.parse(text) as Record<string, unknown> & { level: string; msg?: string };
  return { level, text: msg ?? "", fields };
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve, reject) => {
          server.once("error", reject);
          server.listen(0, LOOPBACK, () => resolve((server.address() as { readonly port: number }).port)); // It listens on a port.
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}
