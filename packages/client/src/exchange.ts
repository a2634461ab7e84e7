/**
 * One call over a transport with its retries. What is retried, and when:
 * - 429, 503 and 504 with Retry-After: every verb, up to 10 times, after exactly that time (client-go `withRetry`);
 * - 429 without it, and connections that never came about: every verb, since the server did nothing;
 * - other 5xx, lost connections and timeouts: only calls that can be repeated without harm.
 * The last two up to 4 times, waiting 100 ms doubling to 2 s with jitter.
 */
import { type ApiRequest, type ApiResponse, type Clock, orAborted, type Random, type Transport } from "@treadle/apimachinery";
import { type ConnectionError, connectionError, isProgrammingError } from "./connection-error.ts";
import { retryAfterMs } from "./failure.ts";
import { wait } from "./wait.ts";
import type { Warnings } from "./warnings.ts";

/** One attempt, as an observer sees it. */
export interface Exchange {
  readonly method: ApiRequest["method"];
  /** As RBAC names it: get, list, watch, create, update, patch, apply, delete; `raw` for the caller's own requests. */
  readonly verb: string;
  /** `Kind.group`, absent for raw requests. */
  readonly groupKind?: string | undefined;
  /** `plural.group`, absent for raw requests. */
  readonly resource?: string | undefined;
  readonly subresource?: string | undefined;
  /** Base URL of the server, where known. */
  readonly server?: string | undefined;
  /** HTTP status; absent when no answer came. */
  readonly status?: number | undefined;
  /** Why no answer came. An abort by the caller, or a bug of the transport, has neither status nor error. */
  readonly error?: ConnectionError | undefined;
  /** 0 for the first attempt. */
  readonly attempt: number;
  /** Until the answer was complete; for a watch, until it was open. */
  readonly durationMs: number;
  /** Of the body that was sent; 0 without one. */
  readonly requestBytes: number;
  /** Of the body that came, before it was compressed; absent for streams and where no answer came. */
  readonly responseBytes?: number | undefined;
}

export interface ExchangeEnvironment {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly server: string | undefined;
  readonly observe: ((exchange: Exchange) => void) | undefined;
  readonly warnings?: Warnings;
  readonly isRetrying: boolean;
  /** Aborted, with the error to throw, when the client is closed: nobody waits for another attempt then. */
  readonly closing: AbortSignal;
}

/** What the caller knows of a request beyond its bytes. */
export interface Intent {
  readonly verb: string;
  readonly groupKind?: string | undefined;
  readonly resource?: string | undefined;
  readonly subresource?: string | undefined;
  /** Doing it twice is the same as doing it once. */
  readonly isRepeatable: boolean;
  /** @defaultValue that of the environment */
  readonly isRetrying?: boolean | undefined;
  readonly beforeAttempt?: (() => void) | undefined;
}

type Outcome =
  | { readonly response: ApiResponse; readonly error?: undefined }
  | { readonly response?: undefined; readonly error: ConnectionError };

/** client-go `maxRetries`. */
const MAX_RETRY_AFTER = 10;
/** No call sleeps longer: what asks for hours, a page that is served during an outage say, is an error for the caller. */
const RETRY_AFTER_MAX_MS = 60_000;
const MAX_BACKOFF = 4;
const BACKOFF_BASE_MS = 100;
const BACKOFF_MAX_MS = 2000;

/** Sends `request` and resolves with an answer of any status. @throws ConnectionError, the signal's reason, or a bug of the transport as it is. */
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
    environment.observe?.({
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
    const { status, body } = response;
    environment.warnings?.note(response);
    // Counting costs a pass over the text, which nobody pays for who does not observe.
    if (environment.observe !== undefined) report({ status, ...(body === undefined ? {} : { responseBytes: Buffer.byteLength(body) }) });
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

/** When to try again and whose wish that is, or `undefined` when this outcome stands. */
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
  const curveMs = Math.min(BACKOFF_MAX_MS, BACKOFF_BASE_MS * 2 ** done.unasked);
  return { because: "unasked", delayMs: Math.round(curveMs * (0.5 + environment.random.next() / 2)) };
}

/** Those whose Retry-After is obeyed for every verb. */
const ASKING_STATUS: ReadonlySet<number> = new Set([429, 503, 504]);
/** Those that may pass by themselves. */
const PASSING_STATUS: ReadonlySet<number> = new Set([500, 502, 503, 504]);

function isHarmlessAfter(error: ConnectionError, intent: Intent): boolean {
  return !LASTING.has(error.code) && (!error.isOutcomeUnknown || intent.isRepeatable);
}

/** Neither a certificate, credentials, a request nor a proxy's page get better by asking again at once; a closed client stays closed. */
const LASTING: ReadonlySet<string> = new Set(["ERR_TLS", "ERR_CREDENTIALS", "ERR_INVALID_REQUEST", "ERR_INVALID_RESPONSE", "ERR_CLOSED"]);

/** Lets go of an answer that nobody will read. */
export async function discard(response: ApiResponse | undefined): Promise<void> {
  if (response?.stream !== undefined) await response.stream[Symbol.asyncIterator]().return?.();
}
