/** A custom HTTP server that runs as long as the operator: `manager.add(httpService({ ... }))`. */
import type { RequestListener } from "node:http";
import { type HttpServer, listen } from "../servers/http-server.ts";
import type { ManagerAddress } from "../manager.ts";
import { ServingCertificate } from "../metrics/serving-certificate.ts";
import type { ServerOptions, TlsFiles } from "../manager-options.ts";
import type { Runnable } from "../runnable.ts";

/** Options of {@link httpService}. */
export interface HttpServiceOptions extends ServerOptions {
  /** The name in messages. */
  readonly name: string;
  /** The listener of any framework, as `http.createServer` takes it. */
  readonly handler: RequestListener;
  /** Serves HTTPS with these files, which are read again when they change. @defaultValue HTTP */
  readonly tls?: TlsFiles;
  /** Whether only the leader listens. @defaultValue false: a Service routes to every replica */
  readonly needsLeader?: boolean;
}

/** A runnable that listens while it runs. */
export interface HttpService extends Runnable {
  /** The address on which it listens; undefined while it does not. */
  readonly address: ManagerAddress | undefined;
}

/** Makes a runnable that listens from its start to its stop; the stop closes its connections. */
export function httpService({ name, handler, tls, needsLeader = false, port = 0, host }: HttpServiceOptions): HttpService {
  let server: HttpServer | undefined;
  return {
    name,
    needsLeader,
    get address() {
      return server && { host: server.host, port: server.port, url: server.url };
    },
    async start(_, { clock, log }) {
      const certificate = tls && new ServingCertificate({ files: tls, clock, log, metrics: undefined });
      server = await listen({ name, host, port, certificate, listener: handler, mend: "choose another port" });
      log.info({ host: server.host, port: server.port }, `serving ${name}`);
    },
    async stop() {
      await server?.close();
      server = undefined;
    },
  };
}
