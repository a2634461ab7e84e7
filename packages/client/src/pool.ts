/** Pools of connections to one server, by undici: direct, through an HTTP proxy, or through a SOCKS proxy. */
import type { Dispatcher } from "undici";
import type { Credentials } from "./credentials.ts";
import type { HttpTransportOptions } from "./http-transport-options.ts";
import { socksConnector } from "./socks.ts";

/** The parts of undici, loaded by the first request. */
export type Undici = typeof import("./undici-parts.ts");

/** Shorter than the idle timeouts of API servers (90 s) and common load balancers (60 s), so that the client closes first. */
const KEEP_ALIVE_MS = 30_000;

/** @param connections maximum number of connections; null: no limit */
export function makePool(
  undici: Undici,
  options: HttpTransportOptions,
  { ca, cert, key }: Credentials,
  connections: number | null,
): Dispatcher {
  const tls = {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(options.serverName === undefined ? {} : { servername: options.serverName }),
    ...(options.isInsecure === true ? { rejectUnauthorized: false } : {}),
  };
  const pool = { connections, allowH2: options.http2 ?? false, keepAliveTimeout: KEEP_ALIVE_MS, keepAliveMaxTimeout: KEEP_ALIVE_MS };
  const timeout = options.connectTimeoutMs ?? 10_000;
  // TCP keep-alive every 30 s, as client-go: below the 60 s after which load balancers forget an idle connection.
  const socket = { timeout, keepAlive: true, keepAliveInitialDelay: 30_000 };
  if (options.proxyUrl !== undefined && new URL(options.proxyUrl).protocol.startsWith("socks5")) {
    const overTls = undici.buildConnector({ ...tls, timeout, allowH2: pool.allowH2 });
    return new undici.Agent({ ...pool, connect: socksConnector(options.proxyUrl, { timeoutMs: timeout, overTls }) });
  }
  if (options.proxyUrl !== undefined) {
    return new undici.ProxyAgent({
      ...pool,
      uri: options.proxyUrl,
      proxyTls: socket,
      requestTls: { ...tls, timeout },
      // The tunnel is a request to the proxy, and its time is part of the connect time.
      clientFactory: (origin, given) => new undici.Pool(origin, { ...given, headersTimeout: timeout }),
    });
  }
  return new undici.Agent({ ...pool, connect: { ...socket, ...tls } });
}
