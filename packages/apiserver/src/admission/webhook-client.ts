/** Calls webhooks over TLS or in this process, for admission and for conversion. Failures have the texts of Go's HTTP client. */
import type { Clock } from "@treadle/apimachinery";
import { goQuote } from "../internal/json.ts";
import { brokenBody, goCause, readReview, refusal, WebhookError, type WebhookResponse } from "./webhook-errors.ts";

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
    const response = await this.#exchange(target, host, clientConfig, { body, timeoutSeconds, fail });
    if (response.status < 200 || response.status > 206) throw new WebhookError(refusal(response));
    return readReview(response, body);
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
        reject(new WebhookError(refusal({ ...TEXT, text: error instanceof Error ? error.message : String(error) })));
      void answered.then(resolve, failed).finally(() => timer.cancel());
    });
    return readReview({ ...ANSWER, text: (await inTime) ?? "" }, body);
  }

  #exchange(
    target: URL,
    host: string | undefined,
    { caBundle }: ClientConfig,
    { body, timeoutSeconds, fail }: Pick<WebhookCall, "body" | "timeoutSeconds"> & { readonly fail: (cause: string) => WebhookError },
  ): Promise<WebhookResponse> {
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
        ...(caBundle === undefined || caBundle === "" ? {} : { ca: Buffer.from(caBundle, "base64").toString("utf8") }),
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
      let hasBegun = false;
      const timer = this.#clock.after(timeoutSeconds * 1000, () => {
        const late = "context deadline exceeded";
        reject(hasBegun ? new WebhookError(brokenBody(late)) : fail(late));
        sent.destroy();
      });
      const end = (settle: () => void): void => {
        timer.cancel();
        settle();
      };
      sent.once("error", (error: NodeJS.ErrnoException) => end(() => reject(fail(goCause(error, target)))));
      sent.once("response", (response) => {
        hasBegun = true;
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (text += chunk));
        response.once("error", () => end(() => reject(new WebhookError(brokenBody("unexpected EOF")))));
        response.once("end", () =>
          end(() => resolve({ status: response.statusCode ?? 0, contentType: response.headers["content-type"], text })),
        );
      });
      sent.end(content);
    });
  }
}

/** What a function of this process answers. */
const ANSWER = { status: 200, contentType: "application/json" } as const;
/** A function of this process that throws. */
const TEXT = { status: 500, contentType: "text/plain" } as const;
