/**
 * The requests to one remote target. All go over one transport, which limits their rate, sends nothing while the target is away, and takes
 * from each answer what must not be shown.
 */
import { type ApiRequest, type ApiResponse, type Clock, sleep, type Transport } from "@treadle/apimachinery";
import { type AllowAddress, ConnectionError, httpTransport, type Impersonation, impersonating, isConnectionError } from "@treadle/client";
import type { KubeconfigText } from "@treadle/client/unstable/kubeconfig";
import { RateLimit, type TokenBucket } from "@treadle/workqueue";
import { AnswerSizes } from "./answer-sizes.ts";
import { plainAnswer, plainError } from "./answers.ts";
import type { Health, Probed } from "./health.ts";

/** Maximum time until an answer begins, and between its parts, in milliseconds: a target must not hold the workers. */
const REQUEST_MS = 10_000;
/** Maximum time of a whole read, in milliseconds: a target that sends its answer in small parts must not hold them either. */
const READ_MS = 30_000;
/** Time after which a request that its pass gave up counts as a failure of the target, in milliseconds. */
const SLOW_MS = 5_000;
/** Maximum time to open a connection, in milliseconds. */
const CONNECT_MS = 5_000;
/** Maximum size of an answer. A page of a list has 250 objects, and an object 1.5 MiB at most, mostly much less. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/** Who sends a request: a pass, the watches, or the probe of the health. */
export type Sender = "pass" | "watch" | "probe";

/** The options of {@link Remote}. */
export interface RemoteOptions {
  readonly config: KubeconfigText;
  readonly as: Impersonation | undefined;
  readonly clock: Clock;
  readonly rate: TokenBucket | undefined;
  readonly allowAddress: AllowAddress;
  readonly health: () => Health;
  /** Replaces the transport, in tests. @defaultValue over HTTP */
  readonly transport?: ((config: KubeconfigText, as: Impersonation | undefined) => Transport) | undefined;
}

/** Why a target refuses the credential, for a condition. */
const UNAUTHORIZED =
  "the target cluster does not accept the credential: it is wrong, expired or revoked; replace the kubeconfig in the Secret";

/** The path of the probe. It needs the credential, and any answer of an API server shows that the target works. */
const PROBE_PATH = "/api/v1/namespaces/kube-system";

/** The one transport of a remote target. */
export class Remote {
  readonly #options: RemoteOptions;
  readonly #inner: Transport;
  readonly #rate: RateLimit | undefined;
  readonly #sizes = new AnswerSizes();

  constructor(options: RemoteOptions) {
    this.#options = options;
    const { rate, clock } = options;
    this.#inner = options.transport?.(options.config, options.as) ?? transportOf(options);
    // One key and no backoff: the delay is that of the bucket. The turns of `provider()` do not fit: there a pass without a token returns,
    // and here a request in the middle of a pass waits in place.
    this.#rate = rate === undefined ? undefined : new RateLimit({ baseMs: 0, maxMs: 0, bucket: rate }, clock);
  }

  /** Returns the transport for requests of one kind of sender. @param sent called for each attempt that is sent */
  transport(sender: Sender, sent: () => void): Transport {
    return { request: (request) => this.#request(request, sender, sent), close: async () => undefined };
  }

  /** Asks the target whether it works. Never rejects. */
  async probe(sent: () => void): Promise<Probed> {
    const deadline = new AbortController();
    const timer = this.#options.clock.after(REQUEST_MS, () => deadline.abort());
    try {
      const request: ApiRequest = { method: "GET", path: PROBE_PATH, headers: { accept: "application/json" }, signal: deadline.signal };
      const { status } = await this.#request(request, "probe", sent);
      if (status === 401) return { type: "failed", message: UNAUTHORIZED };
      if (status >= 200 && status <= 299) return { type: "answered" };
      // The namespace may be hidden, or not exist.
      if (status === 403 || status === 404 || status === 429) return { type: "answered" };
      return { type: "failed", message: `the target cluster answers ${status}` };
    } catch (error) {
      if (deadline.signal.aborted) return { type: "failed", message: "the target cluster did not answer in time" };
      return { type: "failed", message: isConnectionError(error) ? error.message : "the target cluster cannot be asked" };
    } finally {
      timer.cancel();
    }
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }

  async #request(request: ApiRequest, sender: Sender, sent: () => void): Promise<ApiResponse> {
    const { clock, health } = this.#options;
    if (sender !== "probe") {
      const waitMs = this.#rate?.next("") ?? 0;
      if (waitMs > 0) await sleep(clock, waitMs, request.signal);
      const { awayBecause } = health();
      if (awayBecause !== undefined) throw awayError(awayBecause);
    }
    let answer: ApiResponse;
    const beganAtMs = clock.elapsed();
    try {
      answer = await this.#send(request, sent);
    } catch (error) {
      if (request.signal?.aborted === true) {
        if (sender === "pass" && clock.elapsed() - beganAtMs >= SLOW_MS) health().failed(timeoutError().message);
        throw error;
      }
      const plain = plainError(error);
      if (sender !== "probe" && isConnectionError(plain)) this.#noteFailure(plain);
      throw plain;
    }
    if (sender !== "probe") this.#noteAnswer(answer, sender);
    const counted = sender === "watch" ? this.#sizes.counted(request, answer) : answer;
    return counted.stream === undefined ? counted : { ...counted, stream: plainStream(counted.stream) };
  }

  /** Sends a request. A read is sent twice if its connection broke, as one that was idle for long may do. */
  async #send(request: ApiRequest, sent: () => void): Promise<ApiResponse> {
    const once = async (): Promise<ApiResponse> => {
      sent();
      return this.#inTime(request);
    };
    if (request.method !== "GET") return once();
    return once().catch((error: unknown) => {
      if (isConnectionError(error) && error.code === "ERR_CONNECTION_LOST" && request.signal?.aborted !== true) return once();
      throw error;
    });
  }

  /** Sends a request once. The time of a stream ends with its headers, and that of another answer with its last byte. */
  async #inTime(request: ApiRequest): Promise<ApiResponse> {
    const deadline = new AbortController();
    const ms = request.method === "GET" && request.stream !== true ? READ_MS : REQUEST_MS;
    const timer = this.#options.clock.after(ms, () => deadline.abort(timeoutError()));
    const signal = request.signal === undefined ? deadline.signal : AbortSignal.any([request.signal, deadline.signal]);
    try {
      return await plainAnswer(await this.#inner.request({ ...request, signal }));
    } catch (error) {
      throw deadline.signal.aborted && request.signal?.aborted !== true ? deadline.signal.reason : error;
    } finally {
      timer.cancel();
    }
  }

  #noteFailure(error: ConnectionError): void {
    if (OF_TARGET.has(error.code)) this.#options.health().failed(error.message);
    else if (error.code !== "ERR_CLOSED") this.#options.health().suspect();
  }

  #noteAnswer({ status }: ApiResponse, sender: Sender): void {
    const health = this.#options.health();
    if (status === 401) return health.failed(UNAUTHORIZED);
    // A webhook or an aggregated API may fail alone.
    if (status >= 500) return health.suspect();
    if (sender === "pass") health.answered();
  }
}

/** The failures that no other request would escape. Others may be of one connection. */
const OF_TARGET: ReadonlySet<string> = new Set(["ERR_UNREACHABLE", "ERR_TLS", "ERR_TIMEOUT", "ERR_CREDENTIALS", "ERR_ADDRESS_REFUSED"]);

function timeoutError(): ConnectionError {
  return new ConnectionError({ code: "ERR_TIMEOUT", message: "the target cluster did not answer in time" });
}

/** The error of a request that is not sent because the target is away. */
export function awayError(because: string): ConnectionError {
  return new ConnectionError({ code: "ERR_UNREACHABLE", message: because });
}

function transportOf({ config, as, clock, allowAddress }: RemoteOptions): Transport {
  const { server, serverName, proxyUrl, isInsecure } = config;
  const credentials = config.credentials(clock);
  return httpTransport({
    server,
    serverName,
    proxyUrl,
    isInsecure,
    credentials: as === undefined ? credentials : impersonating(credentials, as),
    clock,
    allowAddress,
    headersTimeoutMs: REQUEST_MS,
    connectTimeoutMs: CONNECT_MS,
    maxResponseBytes: MAX_RESPONSE_BYTES,
  });
}

/** The failures of a stream come while it is read. */
function plainStream(stream: AsyncIterable<string>): AsyncIterable<string> {
  return {
    [Symbol.asyncIterator]() {
      const chunks = stream[Symbol.asyncIterator]();
      const ended = async (): Promise<IteratorResult<string>> => (await chunks.return?.()) ?? { done: true, value: undefined };
      return {
        next: () =>
          chunks.next().catch((error: unknown) => {
            throw plainError(error);
          }),
        return: ended,
      };
    },
  };
}
