/**
 * The listener of the server: paths, bodies and statuses of HTTP. The answers themselves are made elsewhere. Whatever happens in a
 * request, the process and the other requests go on.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { type Clock, orAborted, type TurnBudget } from "@treadle/apimachinery";
import type { Logger } from "@treadle/reconcile";
import { errorFields, statusMessage } from "@treadle/reconcile/unstable/engine";
import { CallError } from "../call.ts";
import { answerText } from "./answer-text.ts";
import { queryTimeoutMs } from "./query-timeout.ts";
import { type BodyOptions, readBody } from "./request-body.ts";
import { reviewFacts } from "./review-facts.ts";
import type { WebhookMetrics } from "./webhook-metrics.ts";

/** What answers the calls of one path. */
export interface Endpoint {
  /** The limits of a body. */
  readonly body: BodyOptions;
  /**
   * Answers a review. `timeoutMs` is how long the API server waits for this call, where it says so.
   * @throws CallError, or what an author's function threw
   */
  answer(review: unknown, signal: AbortSignal, timeoutMs: number | undefined): Promise<object>;
}

/** What the listener needs. */
export interface ListenerOptions {
  /** The endpoints by path. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly metrics: Pick<WebhookMetrics, "began">;
  readonly log: Logger;
  readonly clock: Clock;
  /** How much one turn of the event loop parses and writes. */
  readonly turns: TurnBudget;
}

/** The status that is counted for a client that left, as in the logs of nginx. */
const CLIENT_LEFT = 499;

/**
 * How long a client may take to receive the answer to a conversion, in milliseconds. The API server waits for 30 s. An answer that no client
 * reads would keep its bytes of the budget.
 */
const MAX_SEND_MS = 35_000;

/** Makes the listener. */
export function webhookListener(options: ListenerOptions): RequestListener {
  return (request, response) => void serve(options, request, response); // It never rejects.
}

async function serve(options: ListenerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = pathOf(request);
  const endpoint = options.endpoints.get(path);
  if (endpoint === undefined) return refuse(response, new CallError(404, "ERR_UNKNOWN_PATH", "no webhook has this path"));
  const call = new Call(options, { path, endpoint, request, response });
  const ended = options.metrics.began(path);
  ended(await call.serve());
}

/** One request of a known path. */
class Call {
  readonly #options: ListenerOptions;
  readonly #parts: Parts;
  readonly #left = new AbortController();
  #review: unknown;

  constructor(options: ListenerOptions, parts: Parts) {
    this.#options = options;
    this.#parts = parts;
  }

  /** Answers the request, and returns the status. Never rejects. */
  async serve(): Promise<number> {
    const { request, response } = this.#parts;
    if (request.method !== "POST") return plain(response, 405, "use POST", { allow: "POST" });
    const leave = (): void => this.#left.abort(new Error("the client of the review has left"));
    // Not that of the response: one that waits for the answers to earlier requests of its connection has no end of its own.
    request.socket.once("close", leave);
    if (request.socket.destroyed) leave();
    try {
      await this.#answer();
      return response.statusCode;
    } catch (error) {
      if (this.#left.signal.aborted) return CLIENT_LEFT;
      if (response.headersSent) {
        this.#report(error);
        response.destroy();
        return 500;
      }
      const failure = this.#failureOf(error);
      // The rest of a body that is not read would keep its connection busy.
      refuse(response, failure, !request.complete ? { connection: "close" } : {});
      return failure.status;
    } finally {
      request.socket.off("close", leave);
      // Connections are kept, and remember their last request: it must not keep its review.
      this.#review = undefined;
    }
  }

  async #answer(): Promise<void> {
    const { endpoint, request, response } = this.#parts;
    const { signal } = this.#left;
    if (!isJson(request)) throw new CallError(400, "ERR_INVALID_REVIEW", "the content type is not application/json");
    const body = await readBody(request, endpoint.body, this.#options.turns);
    this.#review = body.value;
    try {
      const answer = await endpoint.answer(body.value, signal, queryTimeoutMs(request.url ?? ""));
      signal.throwIfAborted();
      if (endpoint.body.isList) {
        response.writeHead(200, { "content-type": "application/json" });
        const slow = this.#options.clock.after(MAX_SEND_MS, () => this.#left.abort(new Error("the client does not read the answer")));
        const sent = pipeline(answerText(answer, this.#options.turns), response, { signal });
        // An answer that waits for those to earlier requests of its connection never ends when the connection does.
        await orAborted(sent, signal).finally(() => slow.cancel());
      } else send(response, 200, { "content-type": "application/json" }, JSON.stringify(answer));
    } finally {
      body.release();
    }
  }

  /** Returns the answer to an error. */
  #failureOf(error: unknown): CallError {
    if (!(error instanceof CallError)) {
      this.#report(error);
      return new CallError(500, "ERR_WEBHOOK_FAILED", "the webhook failed: the log of the operator has the error");
    }
    const { log } = this.#options;
    const fields = { webhook: this.#parts.path, code: error.code };
    if (error.status === 503) log.warn(fields, `cannot answer a review: ${error.message}`);
    // What has the status 500 was logged where it failed, with the user and the object.
    else if (error.status !== 500) log.debug(fields, `refused a request: ${error.message}`);
    return error;
  }

  #report(error: unknown): void {
    this.#options.log.error({ webhook: this.#parts.path, ...reviewFacts(this.#review), ...errorFields(error) }, "cannot answer a review");
  }
}

interface Parts {
  readonly path: string;
  readonly endpoint: Endpoint;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

function pathOf({ url = "/" }: IncomingMessage): string {
  // The API server adds its timeout as a query.
  const end = url.indexOf("?");
  return end === -1 ? url : url.slice(0, end);
}

function isJson({ headers }: IncomingMessage): boolean {
  return (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() === "application/json";
}

function refuse(response: ServerResponse, failure: CallError, headers: Readonly<Record<string, string>> = {}): void {
  plain(response, failure.status, `${statusMessage(failure)} (${failure.code})`, headers);
}

function plain(response: ServerResponse, status: number, text: string, headers: Readonly<Record<string, string>> = {}): number {
  const type = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
  send(response, status, { ...type, ...headers }, `${text}\n`);
  return status;
}

function send(response: ServerResponse, status: number, headers: Readonly<Record<string, string>>, text: string): void {
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(text) }).end(text);
}
