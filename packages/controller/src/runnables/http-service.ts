/** A custom HTTP server that runs as long as the operator: `manager.add(httpService({ ... }))`. */
import { X509Certificate } from "node:crypto";
import type { RequestListener } from "node:http";
import type { CertificateSource } from "../certificate-source.ts";
import { messageOf } from "../internal/error-text.ts";
import { type HttpServer, listen, type ServedCertificate } from "../servers/http-server.ts";
import { sourceCertificate } from "../servers/source-certificate.ts";
import type { ManagerAddress } from "../manager.ts";
import { certificateMetricsIn } from "../metrics/certificate-metrics.ts";
import { ServingCertificate } from "../metrics/serving-certificate.ts";
import type { ServerOptions, TlsFiles } from "../manager-options.ts";
import type { Runnable, RunnableEnv } from "../runnable.ts";

/** Options of {@link httpService}. */
export interface HttpServiceOptions extends ServerOptions {
  /** The name in messages. */
  readonly name: string;
  /** The listener of any framework, as `http.createServer` takes it. */
  readonly handler: RequestListener;
  /** Serves HTTPS: with files, which are read again when they change, or with a certificate in memory. @defaultValue HTTP */
  readonly tls?: TlsFiles | CertificateSource;
  /** The certificate of an authority, in PEM. Connections without a client certificate of it are refused. Needs `tls`. @defaultValue none */
  readonly clientCa?: string;
  /**
   * How long it still takes requests after the manager began to stop, in milliseconds: a Service leads to a pod for a moment after
   * the pod began to stop. @defaultValue 5_000
   */
  readonly graceMs?: number;
  /** Whether only the leader listens. @defaultValue false: a Service routes to every replica */
  readonly needsLeader?: boolean;
  /** As in a {@link Runnable}. @defaultValue true */
  readonly needsCaches?: boolean;
}

/** A runnable that listens while it runs. */
export interface HttpService extends Runnable {
  /** The address on which it listens; undefined while it does not. */
  readonly address: ManagerAddress | undefined;
}

/**
 * Makes a runnable that listens from its start to its stop. The stop cuts off no request: it listens for the rest of `graceMs`,
 * closes idle connections, and waits for the requests in progress, up to the end of `gracefulShutdownMs`.
 *
 * @throws TypeError or RangeError for invalid options
 */
export function httpService(options: HttpServiceOptions): HttpService {
  const { name, handler, clientCa, graceMs = 5_000, needsLeader = false, needsCaches = true, port = 0, host } = options;
  checkOptions(options);
  let running: Running | undefined;
  /** The stop may come while the server begins to listen. */
  let starting: Promise<Running> | undefined;
  /** When the manager began to stop; undefined: it did not start. */
  let stoppedAt: number | undefined;
  return {
    name,
    needsLeader,
    needsCaches,
    get address() {
      return running && { host: running.server.host, port: running.server.port, url: running.server.url };
    },
    async start(signal, env) {
      const { clock, log } = env;
      signal.addEventListener("abort", () => (stoppedAt = clock.now()), { once: true });
      starting = certificateOf(options, env)
        .then((certificate) => listen({ name, host, port, certificate, clientCa, listener: handler, mend: "choose another port" }))
        .then((server) => ({ server, env }));
      running = await starting;
      log.info({ host: running.server.host, port: running.server.port }, `serving ${name}`);
    },
    async stop() {
      // The caller of start() got its error.
      const started = await starting?.catch(() => undefined);
      if (started === undefined) return;
      const { server, env } = started;
      const { clock } = env;
      const leftMs = stoppedAt === undefined ? 0 : graceMs - (clock.now() - stoppedAt);
      const stopMs = env.stopMs();
      await server.close({ clock, graceMs: Math.max(0, leftMs), maxMs: Math.max(stopMs * 0.9, stopMs - MARGIN_MS) });
      running = undefined;
    },
  };
}

interface Running {
  readonly server: HttpServer;
  readonly env: RunnableEnv;
}

/** Time between the end of the last connections and the end of the stop, in milliseconds. */
const MARGIN_MS = 500;

async function certificateOf(
  { name, tls }: HttpServiceOptions,
  { clock, log, metrics }: RunnableEnv,
): Promise<ServedCertificate | undefined> {
  if (tls === undefined) return undefined;
  if (!("certFile" in tls)) return sourceCertificate(name, tls, log);
  return new ServingCertificate({ files: tls, clock, log, metrics: certificateMetricsIn(await metrics()) });
}

function checkOptions({ name, tls, clientCa, graceMs = 0 }: HttpServiceOptions): void {
  const where = `httpService "${name}"`;
  if (!(Number.isFinite(graceMs) && graceMs >= 0)) throw new RangeError(`${where}: graceMs is ${graceMs}: give milliseconds from 0`);
  if (tls !== undefined && !isFiles(tls) && !isSource(tls))
    throw new TypeError(`${where}: tls needs certFile and keyFile, the names of two files, or current and onChange`);
  if (clientCa === undefined) return;
  if (tls === undefined) throw new TypeError(`${where}: clientCa needs tls: without TLS no client shows a certificate`);
  try {
    new X509Certificate(clientCa);
  } catch (cause) {
    throw new TypeError(`${where}: clientCa is not a certificate in PEM: ${messageOf(cause)}`, { cause });
  }
}

function isFiles(tls: Partial<TlsFiles & CertificateSource>): boolean {
  return typeof tls.certFile === "string" && typeof tls.keyFile === "string";
}

function isSource(tls: Partial<TlsFiles & CertificateSource>): boolean {
  return typeof tls.onChange === "function";
}
