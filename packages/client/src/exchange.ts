/**
 * One call over a transport, with its retries:
 * - 429, 503 and 504 with Retry-After: every verb, up to 10 times, after exactly that time (client-go `withRetry`).
 * - 429 without Retry-After, and connections that could not be opened: every verb, since the server did nothing.
 * - Other 5xx, lost connections and timeouts: only calls that can be repeated without harm.
 * The last two are repeated up to 4 times, after 100 ms doubling to 2 s with jitter.
 */
import { type ApiRequest, type ApiResponse, type Clock, orAborted, type Random, type Transport } from "@treadle/apimachinery";
import { type ConnectionError, connectionError, isProgrammingError } from "./connection-error.ts";
import { retryAfterMs } from "./failure.ts";
import { wait } from "./wait.ts";
import type { Warnings } from "./warnings.ts";

/** Describes one attempt of a call, for metrics. */
export interface Exchange {
  /** HTTP method. */
  readonly method: ApiRequest["method"];
  /** Verb as in RBAC: get, list, watch, create, update, patch, apply, delete; `raw` for custom requests. */
  readonly verb: string;
  /** Kind with its group, `Kind.group`; absent for raw requests. */
  readonly groupKind?: string | undefined;
  /** Resource with its group, `plural.group`; absent for raw requests. */
  readonly resource?: string | undefined;
  /** Subresource, such as `status`. */
  readonly subresource?: string | undefined;
  /** Base URL of the server, where known. */
  readonly server?: string | undefined;
  /** HTTP status of the answer; absent when no answer came. */
  readonly status?: number | undefined;
  /** Reason why no answer came. An aborted attempt, and a bug of the transport, have neither status nor error. */
  readonly error?: ConnectionError | undefined;
  /** Number of the attempt; 0 is the first one. */
  readonly attempt: number;
  /** Time until the answer was complete, or the watch was open, in milliseconds. */
  readonly durationMs: number;
  /** Size of the request body; 0 without one. */
  readonly requestBytes: number;
  /** Size of the response body before compression; absent for streams and when no answer came. */
  readonly responseBytes?: number | undefined;
}

export interface ExchangeEnvironment {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly server: string | undefined;
  readonly onExchange: ((exchange: Exchange) => void) | undefined;
  readonly warnings?: Warnings;
  readonly isRetrying: boolean;
  /** Aborted with the error to throw when the client is closed, so that waits for another attempt end. */
  readonly closing: AbortSignal;
}

/** What the caller knows about a request besides its bytes. */
export interface Intent {
  readonly verb: string;
  readonly groupKind?: string | undefined;
  readonly resource?: string | undefined;
  readonly subresource?: string | undefined;
  /** Whether two executions have the same effect as one. */
  readonly isRepeatable: boolean;
  /** Whether failed attempts are repeated. @defaultValue the setting of the environment */
  readonly isRetrying?: boolean | undefined;
  readonly beforeAttempt?: (() => void) | undefined;
}

type Outcome =
  | { readonly response: ApiResponse; readonly error?: undefined }
  | { readonly response?: undefined; readonly error: ConnectionError };

/** client-go `maxRetries`. */
const MAX_RETRY_AFTER = 10;
/** Longest Retry-After that a call waits for. The page of a load balancer during an outage may ask for hours. */
const RETRY_AFTER_MAX_MS = 60_000;
const MAX_BACKOFF = 4;
const BACKOFF_BASE_MS = 100;
const BACKOFF_MAX_MS = 2000;

/** Sends `request` and resolves with an answer of any status. @throws ConnectionError, the signal's reason, or an unchanged bug of the transport */
export async function exchange(environment: ExchangeEnvironment, request: ApiRequest, intent: Intent): Promise<ApiResponse> {
  const done = { asked: 0, unasked: 0 };
  const isRetrying = intent.isRetrying ?? environment.isRetrying;
  for (let attempt = 0; ; attempt++) {
    const outcome = await attemptOnce(environment, request, intent, attempt);
    const next = isRetrying ? nextAttempt(environment, outcome, intent, done) : undefined;
    if (next === undefined) {
      if (outcome.error !== undefined) throw outcome.error;
      return outcome.response;
    }
    done[next.because]++;
    await discard(outcome.response);
    const { closing } = environment;
    await wait(environment.clock, next.delayMs, request.signal === undefined ? closing : AbortSignal.any([request.signal, closing]));
  }
}

async function attemptOnce(environment: ExchangeEnvironment, request: ApiRequest, intent: Intent, attempt: number): Promise<Outcome> {
  request.signal?.throwIfAborted();
  intent.beforeAttempt?.();
  const started = environment.clock.now();
  const report = (result: Pick<Exchange, "status" | "error" | "responseBytes">): void =>
    environment.onExchange?.({
      method: request.method,
      verb: intent.verb,
      groupKind: intent.groupKind,
      resource: intent.resource,
      subresource: intent.subresource,
      server: environment.server,
      attempt,
      durationMs: environment.clock.now() - started,
      requestBytes: request.body === undefined ? 0 : Buffer.byteLength(request.body),
      ...result,
    });
  try {
    const response = await orAborted(environment.transport.request(request), request.signal);
    const { status, body, headers } = response;
    if (headers["warning"] !== undefined) environment.warnings?.note(headers["warning"]);
    // Counting reads the whole text, so it is done only for a listener.
    if (environment.onExchange !== undefined) report({ status, ...(body === undefined ? {} : { responseBytes: Buffer.byteLength(body) }) });
    return { response };
  } catch (cause) {
    if (request.signal?.aborted === true) {
      report({});
      throw request.signal.reason;
    }
    if (isProgrammingError(cause)) {
      report({});
      throw cause;
    }
    const error = connectionError(cause, environment.server);
    report({ error });
    return { error };
  }
}

/** The delay before the next attempt and its reason; `undefined` when there is no other attempt. */
function nextAttempt(
  environment: ExchangeEnvironment,
  { response, error }: Outcome,
  intent: Intent,
  done: { readonly asked: number; readonly unasked: number },
): { readonly because: "asked" | "unasked"; readonly delayMs: number } | undefined {
  if (response !== undefined && response.status < 300) return undefined;
  if (response !== undefined && ASKING_STATUS.has(response.status)) {
    const delayMs = retryAfterMs(response, environment.clock.now());
    if (delayMs !== undefined) {
      const isObeyed = done.asked < MAX_RETRY_AFTER && delayMs <= RETRY_AFTER_MAX_MS;
      return isObeyed ? { because: "asked", delayMs } : undefined;
    }
  }
  const isHarmless =
    response === undefined
      ? isHarmlessAfter(error, intent)
      : response.status === 429 || (intent.isRepeatable && PASSING_STATUS.has(response.status));
  if (!isHarmless || done.unasked >= MAX_BACKOFF) return undefined;
  const backoffMs = Math.min(BACKOFF_MAX_MS, BACKOFF_BASE_MS * 2 ** done.unasked);
  return { because: "unasked", delayMs: Math.round(backoffMs * (0.5 + environment.random.next() / 2)) };
}

/** Statuses whose Retry-After is obeyed for every verb. */
const ASKING_STATUS: ReadonlySet<number> = new Set([429, 503, 504]);
/** Statuses of failures that may be temporary. */
const PASSING_STATUS: ReadonlySet<number> = new Set([500, 502, 503, 504]);

function isHarmlessAfter(error: ConnectionError, intent: Intent): boolean {
  return !LASTING.has(error.code) && (!error.isOutcomeUnknown || intent.isRepeatable);
}

/** Errors that an immediate retry cannot fix. */
const LASTING: ReadonlySet<string> = new Set([
  "ERR_TLS",
  "ERR_CREDENTIALS",
  "ERR_INVALID_REQUEST",
  "ERR_INVALID_RESPONSE",
  "ERR_CLOSED",
  "ERR_ADDRESS_REFUSED",
]);

/** Releases the connection of an answer that is not read. */
export async function discard(response: ApiResponse | undefined): Promise<void> {
  if (response?.stream !== undefined) await response.stream[Symbol.asyncIterator]().return?.();
}
