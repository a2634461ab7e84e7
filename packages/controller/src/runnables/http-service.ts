/** An HTTP server of the author's own that lives as long as the operator: `manager.add(httpService({ ... }))`. */
import type { RequestListener } from "node:http";
import { type HttpServer, listen } from "../servers/http-server.ts";
import type { ManagerAddress } from "../manager.ts";
import { ServingCertificate } from "../metrics/serving-certificate.ts";
import type { ServerOptions, TlsFiles } from "../manager-options.ts";
import type { Runnable } from "../runnable.ts";

export interface HttpServiceOptions extends ServerOptions {
  /** For messages. */
  readonly name: string;
  /** Of any framework: what `http.createServer` takes. */
  readonly handler: RequestListener;
  /** Serves HTTPS; the files are read again when they change. @defaultValue HTTP */
  readonly tls?: TlsFiles;
  /** True: only in the replica that leads. @defaultValue false: a Service leads to every replica */
  readonly needsLeader?: boolean;
}

export interface HttpService extends Runnable {
  /** Where it listens; undefined while it does not. */
  readonly address: ManagerAddress | undefined;
}

/** A runnable that listens from its start to its stop; then connections are closed. */
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
