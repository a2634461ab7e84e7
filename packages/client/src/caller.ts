/**
 * The common part of all calls: headers, retries, and the reading of answers and errors.
 */
import {
  type ApiRequest,
  type ApiResponse,
  apiVersionOf,
  groupKindOf,
  groupResourceOf,
  isMetadataOnly,
  type Kind,
  type KubernetesList,
  type KubernetesObject,
  type ObjectOf,
  orAborted,
  systemClock,
  systemRandom,
  type Transport,
} from "@treadle/apimachinery";
import { parseJson, problemOf } from "./answer.ts";
import type { CallOptions, RawContext, WatchEvent, WriteOptions } from "./client.ts";
import { closedError, isConnectionError } from "./connection-error.ts";
import type { ClientOptions } from "./client-options.ts";
import { type ExchangeEnvironment, exchange } from "./exchange.ts";
import { apiError, type CallContext, callError, invalidBody } from "./failure.ts";
import type { HttpTransport } from "./http-transport.ts";
import { cutManagedFields } from "./managed-fields-cut.ts";
import { METADATA_ACCEPT } from "./metadata-only.ts";
import { objectBody, writeQuery } from "./query.ts";
import { secretValues } from "./secrets.ts";
import { shownUrl } from "./shown-url.ts";
import { Warnings } from "./warnings.ts";
import { watchEvents } from "./watch-stream.ts";

/** A call before it becomes a request. */
export interface Call<K extends Kind> {
  readonly verb: string;
  readonly kind: K;
  readonly method: ApiRequest["method"];
  readonly path: string;
  /** The object of the call, for errors. */
  readonly text: string;
  readonly body?: string | undefined;
  readonly contentType?: string;
  readonly options: CallOptions;
  readonly subresource?: string | undefined;
  readonly secrets?: readonly string[];
  readonly isRepeatable?: boolean;
  /** Of a list or watch: {@link ListOptions.managedFieldsOf}. */
  readonly managedFieldsOf?: readonly string[] | undefined;
}

/** Sends calls and reads their answers. */
export class Caller {
  readonly #environment: ExchangeEnvironment;
  readonly #closing = new AbortController();
  readonly #userAgent: string;
  readonly #fieldManager: string | undefined;
  readonly #credentialSource: string | undefined;
  readonly #explain: ((answer: ApiResponse) => string | undefined) | undefined;

  constructor(options: ClientOptions) {
    const { transport, onExchange } = options;
    this.#environment = {
      transport,
      clock: options.clock ?? systemClock,
      random: options.random ?? systemRandom,
      server: serverOf(options),
      onExchange: onExchange === undefined ? undefined : guarded("onExchange", onExchange),
      warnings: new Warnings(guarded("onWarning", options.onWarning ?? emitter(serverOf(options)))),
      isRetrying: options.retry ?? true,
      closing: this.#closing.signal,
    };
    this.#userAgent = options.userAgent ?? "treadle";
    this.#fieldManager = options.fieldManager;
    this.#credentialSource = options.credentialSource;
    this.#explain = explainerOf(transport);
  }

  /** Ends calls that wait for their next attempt. The transport ends the others. */
  async close(): Promise<void> {
    const { transport, server } = this.#environment;
    this.#closing.abort(closedError(server));
    await transport.close();
  }

  async raw(request: ApiRequest, about: RawContext = {}): Promise<ApiResponse> {
    const headers = { "user-agent": this.#userAgent, ...request.headers };
    const { verb, target = request.path, kind, subresource, retry: isRetrying } = about;
    const words = { ...(kind === undefined ? {} : kindWords(kind)), subresource };
    try {
      return await exchange(
        this.#environment,
        { ...request, headers },
        { verb: verb ?? "raw", ...words, isRepeatable: request.method === "GET", isRetrying },
      );
    } catch (cause) {
      throw isConnectionError(cause) ? callError({ verb: verb ?? request.method, target }, cause, this.#environment.server) : cause;
    }
  }

  async write<K extends Kind>(
    given: Omit<Call<K>, "secrets" | "subresource"> & {
      readonly options: WriteOptions;
      readonly object: object;
      readonly force?: boolean | undefined;
    },
  ): Promise<ObjectOf<K>> {
    const { object, force, ...rest } = given;
    const { options, kind } = rest;
    const call = {
      ...rest,
      body: rest.body ?? objectBody(kind, object, options.subresource),
      path: rest.path + writeQuery(options, this.#fieldManager, force),
      secrets: secretValues(kind, object),
      subresource: options.subresource,
    };
    return this.object(call, await this.json(call));
  }

  async watch<K extends Kind>(call: Call<K>): Promise<AsyncIterable<WatchEvent<ObjectOf<K>>>> {
    const response = await this.#send(call, true);
    const { server } = this.#environment;
    if (response.status < 200 || response.status > 299) throw apiError(this.#contextOf(call), response, await this.#text(call, response));
    const { kind, text: target, options } = call;
    return watchEvents<ObjectOf<K>>(response, {
      target,
      signal: options.signal,
      server,
      cut: cutOf(call),
      ...(isMetadataOnly(kind) ? { reduce: (object) => this.object(call, object) } : {}),
    });
  }

  /** The body of a 2xx answer. @throws ApiError for another status, ConnectionError for a body that cannot be the answer */
  async json(call: Call<Kind>): Promise<object> {
    const response = await this.#send(call, false);
    const body = await this.#text(call, response);
    if (!isSuccess(response)) throw apiError(this.#contextOf(call), response, body);
    const answer = parseJson(cutOf(call)?.(body) ?? body);
    const problem = problemOf(answer, call);
    if (problem !== undefined) throw invalidBody(this.#contextOf(call), response, { body, problem, server: this.#environment.server });
    return answer as object; // problemOf() found an object with a kind
  }

  object<K extends Kind>(call: Call<K>, answer: object): ObjectOf<K> {
    const object = answer as KubernetesObject; // as the API of the server promises
    return (isMetadataOnly(call.kind) ? reduce(call.kind, object) : object) as ObjectOf<K>;
  }

  list<K extends Kind>(call: Call<K>, answer: object): KubernetesList<ObjectOf<K>> {
    const list = answer as KubernetesList; // as the API of the server promises
    const identity = { apiVersion: apiVersionOf(call.kind), kind: call.kind.kind };
    const whole = isMetadataOnly(call.kind)
      ? (item: KubernetesObject) => reduce(call.kind, item)
      : (item: KubernetesObject) => (item.kind === undefined ? { ...identity, ...item } : item);
    // The server omits apiVersion and kind in items of built-in kinds, and sends null for some empty lists.
    const items = (list.items ?? []).map(whole) as ObjectOf<K>[];
    return { ...list, metadata: list.metadata ?? {}, items };
  }

  async #text(call: Call<Kind>, response: ApiResponse): Promise<string> {
    try {
      return await textOf(response, call.options.signal);
    } catch (cause) {
      if (call.options.signal?.aborted === true) throw call.options.signal.reason;
      throw callError(this.#contextOf(call), cause, this.#environment.server);
    }
  }

  #contextOf(call: Call<Kind>): CallContext {
    const { clock, server } = this.#environment;
    const login = { server, source: this.#credentialSource, explain: this.#explain };
    return { verb: call.verb, target: call.text, secrets: call.secrets ?? [], nowMs: clock.now(), login };
  }

  async #send(call: Call<Kind>, stream: boolean): Promise<ApiResponse> {
    const { signal, retry: isRetrying, beforeAttempt } = call.options;
    const headers: Record<string, string> = { accept: acceptOf(call), "user-agent": this.#userAgent };
    if (call.body !== undefined) headers["content-type"] = call.contentType ?? "application/json";
    const request: ApiRequest = {
      method: call.method,
      path: call.path,
      headers,
      ...(call.body === undefined ? {} : { body: call.body }),
      ...(signal === undefined ? {} : { signal }),
      ...(stream ? { stream } : {}),
    };
    const { verb, subresource } = call;
    // Callers of watch have a custom backoff.
    const isRepeatable = call.isRepeatable ?? (call.method === "GET" && !stream);
    try {
      const intent = { verb, ...kindWords(call.kind), subresource, isRepeatable, isRetrying, beforeAttempt };
      return await exchange(this.#environment, request, intent);
    } catch (cause) {
      throw isConnectionError(cause) ? callError(this.#contextOf(call), cause, this.#environment.server) : cause;
    }
  }
}

function serverOf({ server, transport }: ClientOptions): string | undefined {
  const given = server ?? ("server" in transport ? transport.server : undefined);
  return typeof given === "string" ? shownUrl(given) : undefined;
}

function kindWords(kind: Kind): { readonly groupKind: string; readonly resource: string } {
  return { groupKind: groupKindOf(kind), resource: groupResourceOf(kind) };
}

/** Only a transport over HTTP knows credentials. */
function explainerOf(transport: Transport): ((answer: ApiResponse) => string | undefined) | undefined {
  const { explainRefusal } = transport as Partial<HttpTransport>;
  return explainRefusal === undefined ? undefined : (answer) => explainRefusal.call(transport as HttpTransport, answer);
}

/** What is cut out of texts before they are parsed. */
function cutOf({ kind, managedFieldsOf }: Call<Kind>): ((text: string) => string) | undefined {
  return managedFieldsOf === undefined || !isMetadataOnly(kind) ? undefined : (text) => cutManagedFields(text, managedFieldsOf);
}

function acceptOf(call: Call<Kind>): string {
  if (!isMetadataOnly(call.kind)) return "application/json";
  return call.verb === "list" ? METADATA_ACCEPT.list : METADATA_ACCEPT.object;
}

function reduce(kind: Kind, object: KubernetesObject): KubernetesObject {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: object.metadata };
}

/** Maximum number of characters that are read of a failed answer. */
const MAX_ERROR_CHARACTERS = 64 * 1024;

/** The body of an answer, also when the transport streams it without being asked to. */
async function textOf(response: ApiResponse, signal: AbortSignal | undefined): Promise<string> {
  if (response.stream === undefined) return response.body;
  const limit = isSuccess(response) ? Number.POSITIVE_INFINITY : MAX_ERROR_CHARACTERS;
  const read = async (): Promise<string> => {
    const chunks: string[] = [];
    let length = 0;
    for await (const chunk of response.stream) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > limit) break;
    }
    return chunks.join("");
  };
  return orAborted(read(), signal);
}

function isSuccess(response: ApiResponse): boolean {
  return response.status >= 200 && response.status < 300;
}

function emitter(server: string | undefined): (text: string) => void {
  return (text) => process.emitWarning(`${server ?? "the server"}: ${text}`, "KubernetesWarning");
}

/** A callback cannot break the call that it is called for. */
function guarded<T>(what: string, callback: (value: T) => void): (value: T) => void {
  return (value) => {
    try {
      callback(value);
    } catch (error) {
      process.emitWarning(`the ${what} of a client threw: ${error instanceof Error ? error.message : String(error)}`, "TreadleWarning");
    }
  };
}
