/**
 * {@link Transport} over sockets, by undici. Calls and watches have separate pools of connections, so that watches never take
 * the connections that calls need. A new certificate replaces the pools; a new token does not. The first request loads undici.
 */
import { isDeepStrictEqual } from "node:util";
import { type ApiRequest, type ApiResponse, systemClock, type Transport } from "@treadle/apimachinery";
import type { Dispatcher } from "undici";
import { type Circumstances, connectionAdvice, loginProblem } from "./advice.ts";
import { closedError, ConnectionError, connectionError, isConnectionError } from "./connection-error.ts";
import type { Credentials, CredentialSource } from "./credentials.ts";
import { PROXY_PROTOCOLS } from "./environment-proxy.ts";
import { discard } from "./exchange.ts";
import type { HttpTransportOptions } from "./http-transport-options.ts";
import { makePool, type Undici } from "./pool.ts";
import { shownUrl } from "./shown-url.ts";
import { flatten, requestText } from "./text-request.ts";

/** A {@link Transport} over HTTP. */
export interface HttpTransport extends Transport {
  /** Base URL of the server, without credentials. */
  readonly server: string;
  /** Returns what may be wrong with the credentials that the server refused with `answer` (401); `undefined` if nothing is known. */
  explainRefusal(answer: ApiResponse): string | undefined;
}

/** Creates a transport over HTTP. It opens no connection before the first request. @throws TypeError for an invalid server or proxy URL */
export function httpTransport(options: HttpTransportOptions): HttpTransport {
  return new UndiciTransport(options);
}

/** Maximum number of connections for calls. More of them do not make a server faster. Watches are not limited. */
const CALL_CONNECTIONS = 32;
/** Shortest time between two reads of the credentials because of failed handshakes: a credential plugin may run for each. */
const TLS_REREAD_MS = 5_000;
/** Characters that a header cannot hold: all but tabs, visible ASCII and Latin-1 (RFC 9110, 5.5). */
const NOT_IN_HEADERS = /[^\t\x20-\x7e\x80-\xff]/;

interface Pools {
  /** Credentials that the pools use. */
  readonly credentials: Credentials;
  readonly calls: Dispatcher;
  readonly watches: Dispatcher;
}

class UndiciTransport implements HttpTransport {
  readonly server: string;
  readonly #options: HttpTransportOptions;
  /** Parts of the server's URL, which the getters of a URL would compute for each request. */
  readonly #origin: string;
  readonly #basePath: string;
  readonly #isSecure: boolean;
  readonly #credentials: CredentialSource;
  #undici: Undici | undefined;
  #pools: Pools | undefined;
  /** Credentials of the latest request. */
  #used: Credentials = {};
  /** The headers of the credentials that were last found to be sendable. */
  #checked: { readonly credentials: Credentials; readonly headers: Record<string, string | string[]> } | undefined;
  /** When the credentials were last read again because of a failed handshake, by `Clock.elapsed`. */
  #rereadAt = Number.NEGATIVE_INFINITY;
  /** The result of that, shared by all calls whose handshakes fail meanwhile. */
  #rereading: Promise<Credentials> | undefined;
  /** Ends the watches of all pools. */
  readonly #closing = new AbortController();
  #isClosed = false;

  constructor(options: HttpTransportOptions) {
    const url = parseUrl("server", options.server, ["http:", "https:"]);
    this.#origin = url.origin;
    this.#basePath = url.pathname.replace(/\/+$/, "");
    this.#isSecure = url.protocol === "https:";
    if (options.proxyUrl !== undefined) parseUrl("proxy", options.proxyUrl, PROXY_PROTOCOLS);
    this.server = shownUrl(options.server);
    this.#options = options;
    const { credentials = {} } = options;
    this.#credentials = typeof credentials === "function" ? credentials : () => credentials;
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    let credentials = await this.#credentialsOf({ renew: false });
    const answer = await this.#exchange(request, credentials).catch(async (error: unknown) => {
      credentials = await this.#reread(credentials, error);
      // Nothing was sent, so a repeat is safe for every verb.
      return this.#exchange(request, credentials);
    });
    if (answer.status !== 401) return answer;
    // The server did nothing, so a repeat is safe for every verb.
    const renewed = await this.#renewed(credentials).catch(async (error: unknown) => {
      await discard(answer);
      throw error;
    });
    if (isDeepStrictEqual(renewed, credentials)) return answer;
    await discard(answer);
    return this.#exchange(request, renewed);
  }

  /** Closes the pools. Calls in progress finish, and watches end with an error. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const pools = this.#pools;
    this.#pools = undefined;
    this.#closing.abort();
    await Promise.all([pools?.calls.close(), pools?.watches.close()]);
  }

  /** Renews refused credentials. The first of several refused calls renews, and the others take its result. */
  #renewed(refused: Credentials): Promise<Credentials> {
    const isDone = this.#used !== refused && !isDeepStrictEqual(this.#used, refused);
    return isDone ? Promise.resolve(this.#used) : this.#credentialsOf({ renew: true });
  }

  /**
   * Reads the credentials again after a failed handshake: the authority or the client certificate may have been replaced since.
   * Returns credentials with other certificates than `untrusted`. @throws `error` when it is another error, or nothing changed
   */
  async #reread(untrusted: Credentials, error: unknown): Promise<Credentials> {
    if (!isConnectionError(error) || error.code !== "ERR_TLS") throw error;
    const { clock = systemClock } = this.#options;
    const nowMs = clock.elapsed();
    if (hasSameTls(this.#used, untrusted) && nowMs - this.#rereadAt >= TLS_REREAD_MS) {
      this.#rereadAt = nowMs;
      this.#rereading = this.#credentialsOf({ renew: true });
    }
    // The error of the handshake says more than that of the read.
    const found = hasSameTls(this.#used, untrusted) ? await this.#rereading?.catch(() => undefined) : this.#used;
    if (found === undefined || hasSameTls(found, untrusted)) throw error;
    return found;
  }

  async #exchange(request: ApiRequest, credentials: Credentials): Promise<ApiResponse> {
    request.signal?.throwIfAborted();
    this.#used = credentials;
    const pools = await this.#poolsFor(credentials);
    try {
      const options = this.#dispatchOf(request, credentials);
      return request.stream === true
        ? this.#streamOf(request, await pools.watches.request({ ...options, signal: this.#untilClosed(request) }))
        : await requestText(pools.calls, options, request.signal);
    } catch (cause) {
      throw this.#failure(request, cause);
    }
  }

  async #credentialsOf(options: { readonly renew: boolean }): Promise<Credentials> {
    try {
      return await this.#credentials(options);
    } catch (cause) {
      const text = cause instanceof Error ? cause.message : String(cause);
      throw new ConnectionError({
        code: "ERR_CREDENTIALS",
        server: this.server,
        message: `no credentials for ${this.server}: ${text}`,
        cause,
      });
    }
  }

  #dispatchOf(request: ApiRequest, credentials: Credentials): Dispatcher.DispatchOptions {
    const { headersTimeoutMs: headersTimeout = 70_000 } = this.#options;
    return {
      origin: this.#origin,
      path: this.#basePath + request.path,
      method: request.method,
      headers: { ...repeated(request.headers), ...this.#secretHeaders(credentials) },
      body: request.body ?? null,
      headersTimeout,
      // A healthy watch may be quiet. Its reader has a deadline.
      bodyTimeout: request.stream === true ? 0 : headersTimeout,
    };
  }

  #untilClosed({ signal }: ApiRequest): AbortSignal {
    return signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]);
  }

  #streamOf(request: ApiRequest, { statusCode: status, headers, body }: Dispatcher.ResponseData): ApiResponse {
    // The stream may break before it is read, and an "error" event without a listener ends the process.
    body.on("error", () => {});
    return { status, headers: flatten(headers), stream: this.#chunks(request, body) };
  }

  /** Not a generator: the return() of a generator that was never read does nothing, and the connection would stay open. */
  #chunks(request: ApiRequest, body: Dispatcher.ResponseData["body"]): AsyncIterable<string> {
    const iterate = (): AsyncIterator<string, undefined> => {
      // A character may be split between two chunks.
      body.setEncoding("utf8");
      const chunks: AsyncIterator<string, undefined> = body[Symbol.asyncIterator](); // text by setEncoding
      return {
        next: async () => {
          try {
            return await chunks.next();
          } catch (cause) {
            throw this.#failure(request, cause);
          }
        },
        return: async () => {
          body.destroy();
          return { done: true, value: undefined };
        },
      };
    };
    return { [Symbol.asyncIterator]: iterate };
  }

  #secretHeaders(credentials: Credentials): Record<string, string | string[]> {
    if (!this.#isSecure) return NO_HEADERS;
    if (this.#checked?.credentials !== credentials) this.#checked = { credentials, headers: this.#checkedHeaders(credentials) };
    return this.#checked.headers;
  }

  #checkedHeaders({ headers = {} }: Credentials): Record<string, string | string[]> {
    for (const [name, value] of Object.entries(headers)) {
      if (![value].flat().some((text) => NOT_IN_HEADERS.test(text))) continue;
      const message = `no usable credentials for ${this.server}: the ${name} header holds a character that HTTP cannot send, such as a line break`;
      throw new ConnectionError({ code: "ERR_CREDENTIALS", server: this.server, message });
    }
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, typeof value === "string" ? value : [...value]]));
  }

  #failure(request: ApiRequest, cause: unknown): unknown {
    if (request.signal?.aborted === true) return request.signal.reason;
    if (this.#isClosed) return closedError(this.server, cause);
    const error = connectionError(cause, this.server);
    const advice = connectionAdvice(error, this.#circumstances());
    if (advice === "") return error;
    const { code, server, message } = error;
    return new ConnectionError({ code, server: server ?? this.server, message: message + advice, cause: error.cause });
  }

  explainRefusal({ headers }: ApiResponse): string | undefined {
    return loginProblem(headers["date"], this.#circumstances());
  }

  #circumstances(): Circumstances {
    const { source, proxyUrl, clock = systemClock } = this.#options;
    return { credentials: this.#used, source, proxyUrl, nowMs: clock.now() };
  }

  async #poolsFor(credentials: Credentials): Promise<Pools> {
    // A repeated import costs as much as a small request.
    this.#undici ??= await import("./undici-parts.ts");
    if (this.#isClosed) throw closedError(this.server);
    const old = this.#pools;
    if (old !== undefined && hasSameTls(old.credentials, credentials)) return old;
    const undici = this.#undici;
    const make = (connections: number | null): Dispatcher => makePool(undici, this.#options, credentials, connections);
    this.#pools = { credentials, calls: make(CALL_CONNECTIONS), watches: make(null) };
    // Requests in progress finish. Their callers get the failures, so failures are not reported here.
    void old?.calls.close().catch(() => {});
    void old?.watches.close().catch(() => {});
    return this.#pools;
  }
}

function hasSameTls(a: Credentials, b: Credentials): boolean {
  return a === b || (a.ca === b.ca && a.cert === b.cert && a.key === b.key);
}

function parseUrl(what: string, text: string, protocols: readonly string[]): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && protocols.includes(url.protocol)) return url;
  throw new TypeError(
    `the ${what} ${JSON.stringify(shownUrl(text))} is not a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}`,
  );
}

/** Several groups are joined as HTTP joins repeated headers. A server takes each header as one group, so they are sent one by one. */
function repeated(headers: Readonly<Record<string, string>>): Record<string, string | string[]> {
  const { [GROUPS]: groups } = headers;
  return groups === undefined ? headers : { ...headers, [GROUPS]: groups.split(", ") };
}

const GROUPS = "impersonate-group";

const NO_HEADERS: Record<string, string | string[]> = {};
