/** Pools of connections to one server, by undici: direct, through an HTTP proxy, or through a SOCKS proxy. */
import type { LookupFunction } from "node:net";
import type { Dispatcher } from "undici";
import { checkBehindProxy, guardOf } from "./address-guard.ts";
import type { Credentials } from "./credentials.ts";
import type { HttpTransportOptions } from "./http-transport-options.ts";
import { socksConnector } from "./socks.ts";

/** The parts of undici, loaded by the first request. */
export type Undici = typeof import("./undici-parts.ts");

/** Shorter than the idle timeouts of API servers (90 s) and common load balancers (60 s), so that the client closes first. */
const KEEP_ALIVE_MS = 30_000;

/** @param connections maximum number of connections; null: no limit. @throws ConnectionError ERR_ADDRESS_REFUSED for a literal address */
export function makePool(undici: Undici, options: HttpTransportOptions, credentials: Credentials, connections: number | null): Dispatcher {
  const { maxResponseBytes, proxyUrl } = options;
  const tls = tlsOf(options, credentials);
  const pool = {
    connections,
    allowH2: options.http2 ?? false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    // Watches have no limit of connections, and their answers no end.
    ...(maxResponseBytes === undefined || connections === null ? {} : { maxResponseSize: maxResponseBytes }),
  };
  const timeout = options.connectTimeoutMs ?? 10_000;
  const lookup = guardedLookup(options);
  // TCP keep-alive every 30 s, as client-go: below the 60 s after which load balancers forget an idle connection.
  const socket = { timeout, keepAlive: true, keepAliveInitialDelay: 30_000, ...lookup };
  if (proxyUrl !== undefined && new URL(proxyUrl).protocol.startsWith("socks5")) {
    const overTls = undici.buildConnector({ ...tls, timeout, allowH2: pool.allowH2 });
    return new undici.Agent({ ...pool, connect: socksConnector(proxyUrl, { timeoutMs: timeout, overTls, ...lookup }) });
  }
  if (proxyUrl !== undefined) {
    return new undici.ProxyAgent({
      ...pool,
      uri: proxyUrl,
      proxyTls: socket,
      requestTls: { ...tls, timeout },
      // The tunnel is a request to the proxy, and its time is part of the connect time.
      clientFactory: (origin, given) => new undici.Pool(origin, { ...given, headersTimeout: timeout }),
    });
  }
  return new undici.Agent({ ...pool, connect: { ...socket, ...tls } });
}

function tlsOf(options: HttpTransportOptions, { ca, cert, key }: Credentials): Readonly<Record<string, unknown>> {
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(options.serverName === undefined ? {} : { servername: options.serverName }),
    // Explicit where others give the server: the environment of the process (NODE_TLS_REJECT_UNAUTHORIZED) must not decide.
    ...(options.isInsecure === true ? { rejectUnauthorized: false } : options.allowAddress ? { rejectUnauthorized: true } : {}),
  };
}

/** Checks literal addresses at once. Names are checked by each lookup of a connection to the server or to its proxy. */
function guardedLookup({ allowAddress, proxyUrl, server, lookup }: HttpTransportOptions): { readonly lookup?: LookupFunction } {
  if (allowAddress === undefined) return {};
  if (proxyUrl !== undefined) checkBehindProxy(new URL(server), allowAddress);
  const guard = guardOf(new URL(proxyUrl ?? server), allowAddress, lookup);
  guard.check();
  return { lookup: guard.lookup };
}
