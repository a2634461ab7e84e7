/** Calls webhooks over TLS or in this process, for admission and for conversion. Failures have the texts of Go's HTTP client. */
import type { Clock } from "@treadle/apimachinery";
import { goQuote } from "../internal/json.ts";

/** A Service that the configuration of a webhook names. */
export interface WebhookService {
  /** Namespace of the Service. */
  readonly namespace: string;
  /** Name of the Service. */
  readonly name: string;
  /** Port of the Service, 443 when the configuration has none. */
  readonly port: number;
}

/**
 * Answers the calls of a Service in this process, without a socket.
 *
 * `path` is the path of the configuration, `/` by default. `review` is a copy of the AdmissionReview or ConversionReview,
 * and the result is copied, too. `signal` aborts when the timeout of the call has passed by the server's clock. A rejection is
 * a failed call, like the status 500 with its message.
 */
export type AnswerReview = (path: string, review: unknown, signal: AbortSignal) => Promise<unknown>;

/**
 * Finds a Service. Returns the URL at which it listens, such as `https://127.0.0.1:9443`, or a function that answers for it,
 * or `undefined` when there is no such Service.
 */
export type ResolveService = (service: WebhookService) => string | AnswerReview | undefined;

/** `clientConfig` of a webhook: its URL or its Service. */
export interface ClientConfig {
  readonly url?: string;
  readonly service?: { readonly namespace: string; readonly name: string; readonly path?: string; readonly port?: number };
  /** CA certificates in PEM, base64-encoded. */
  readonly caBundle?: string;
}

/** One call of a webhook. */
export interface WebhookCall {
  readonly clientConfig: ClientConfig;
  readonly body: object;
  readonly timeoutSeconds: number;
}

/** A call without a usable answer. The message is the cause. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
}

/** Sends requests to webhooks. Timeouts follow the clock of the server. */
export class WebhookClient {
  readonly #clock: Clock;
  readonly #resolve: ResolveService;

  constructor(clock: Clock, resolve: ResolveService = () => undefined) {
    this.#clock = clock;
    this.#resolve = resolve;
  }

  /** Returns the JSON that the webhook answers. @throws WebhookError */
  async post({ clientConfig, body, timeoutSeconds }: WebhookCall): Promise<unknown> {
    const { url, service } = clientConfig;
    const port = service?.port ?? 443;
    const host = service === undefined ? undefined : `${service.name}.${service.namespace}.svc`;
    const shown = new URL(host === undefined ? (url ?? "") : `https://${host}:${port}${service?.path ?? "/"}`);
    shown.searchParams.set("timeout", `${timeoutSeconds}s`);
    const name = host === undefined ? shown.href : `https://${host}:${port}${shown.pathname}${shown.search}`;
    const fail = (cause: string): WebhookError => new WebhookError(`Post ${goQuote(name)}: ${cause}`);
    let target = shown;
    if (service !== undefined) {
      const base = this.#resolve({ namespace: service.namespace, name: service.name, port });
      if (base === undefined) throw fail(`service ${goQuote(service.name)} not found`);
      if (typeof base === "function") return this.#answered(base, shown.pathname, { body, timeoutSeconds, fail });
      target = new URL(shown.pathname + shown.search, base);
    }
    const { status, text, isText } = await this.#exchange(target, host, clientConfig, { body, timeoutSeconds, fail });
    if (status < 200 || status > 206) throw new WebhookError(refusal(status, isText ? text : ""));
    return parsed(text);
  }

  /** Returns the answer of a function. @throws WebhookError when it takes too long, throws, or answers what is not JSON */
  async #answered(
    answer: AnswerReview,
    path: string,
    { body, timeoutSeconds, fail }: Pick<WebhookCall, "body" | "timeoutSeconds"> & { readonly fail: (cause: string) => WebhookError },
  ): Promise<unknown> {
    const ended = new AbortController();
    const answered = (async () => JSON.stringify(await answer(path, JSON.parse(JSON.stringify(body)), ended.signal)))();
    const inTime = new Promise<string | undefined>((resolve, reject) => {
      const timer = this.#clock.after(timeoutSeconds * 1000, () => {
        reject(fail("context deadline exceeded"));
        ended.abort();
      });
      const failed = (error: unknown): void =>
        reject(new WebhookError(refusal(500, error instanceof Error ? error.message : String(error))));
      void answered.then(resolve, failed).finally(() => timer.cancel());
    });
    return parsed((await inTime) ?? "");
  }

  #exchange(
    target: URL,
    host: string | undefined,
    { caBundle }: ClientConfig,
    { body, timeoutSeconds, fail }: Pick<WebhookCall, "body" | "timeoutSeconds"> & { readonly fail: (cause: string) => WebhookError },
  ): Promise<{ readonly status: number; readonly text: string; readonly isText: boolean }> {
    return new Promise((resolve, reject) => {
      const content = JSON.stringify(body);
      const headers = {
        accept: "application/json, */*",
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(content)),
        "user-agent": "kube-apiserver-admission",
        ...(host === undefined ? {} : { host }),
      };
      const servername = host ?? target.hostname;
      const tls = {
        ...(caBundle === undefined ? {} : { ca: Buffer.from(caBundle, "base64").toString("utf8") }),
        // RFC 6066 allows no address as a server name. The certificate is checked against the address.
        ...(host === undefined ? {} : { servername }),
        agent: false,
      } as const;
      const options = { method: "POST", headers };
      // Loaded at the first call, as in `front/http.ts`.
      const { getBuiltinModule: load } = process;
      const sent =
        target.protocol === "http:"
          ? load("node:http").request(target, options)
          : load("node:https").request(target, { ...options, ...tls });
      const timer = this.#clock.after(timeoutSeconds * 1000, () => {
        reject(fail("context deadline exceeded"));
        sent.destroy();
      });
      const end = (settle: () => void): void => {
        timer.cancel();
        settle();
      };
      sent.once("error", (error: NodeJS.ErrnoException) => end(() => reject(fail(goCause(error, target)))));
      sent.once("response", (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (text += chunk));
        response.once("error", () => end(() => reject(fail("unexpected EOF"))));
        response.once("end", () =>
          end(() => resolve({ status: response.statusCode ?? 0, text, isText: isTextual(response.headers["content-type"]) })),
        );
      });
      sent.end(content);
    });
  }
}

/** Parses the body of an answer. @throws WebhookError */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new WebhookError(`couldn't get version/kind; json parse error: ${(error as SyntaxError).message}`);
  }
}

/** Only the text of readable bodies is part of an error. */
function isTextual(contentType: string | undefined): boolean {
  return contentType === undefined || contentType.startsWith("text/");
}

/** Returns Go's text for an error of Node. */
function goCause(error: NodeJS.ErrnoException, target: URL): string {
  const address = `${target.hostname}:${target.port || (target.protocol === "http:" ? "80" : "443")}`;
  switch (error.code) {
    case "ECONNREFUSED":
      return `dial tcp ${address}: connect: connection refused`;
    case "ENOTFOUND":
      return `dial tcp: lookup ${target.hostname}: no such host`;
    case "ECONNRESET":
      return "EOF";
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
    case "SELF_SIGNED_CERT_IN_CHAIN":
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
    case "CERT_SIGNATURE_FAILURE":
      return "tls: failed to verify certificate: x509: certificate signed by unknown authority";
    case "CERT_HAS_EXPIRED":
      return "tls: failed to verify certificate: x509: certificate has expired or is not yet valid";
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return `tls: failed to verify certificate: x509: certificate is not valid for ${target.hostname}`;
    default:
      return error.message;
  }
}

/** Returns client-go's text for a status that is not a success. */
function refusal(status: number, body: string): string {
  if (status === 404) return "the server could not find the requested resource";
  if (status === 503) return "the server is currently unable to handle the request";
  if (status === 400) return "the server rejected our request for an unknown reason";
  if (status === 401) return "the server has asked for the client to provide credentials";
  if (status === 403) return body.trim() === "" ? "unknown" : body.trim();
  if (status >= 500) return `an error on the server (${goQuote(body.trim() || "unknown")}) has prevented the request from succeeding`;
  return `the server responded with the status code ${status} but did not return more information`;
}
