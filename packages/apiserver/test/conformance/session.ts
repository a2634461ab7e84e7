/**
 * A run of the scenarios against one server, which sends the requests of a scenario and records each answer. Scenarios make
 * requests and do not use a client, because the answers on the wire are compared.
 */
import type { ApiRequest, ApiResponse, Transport } from "@treadle/apimachinery";

export interface Json {
  // Scenarios look into answers freely; what is missing shows as a difference.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly [field: string]: any;
}

/** A recorded answer. */
export interface Recorded {
  readonly scenario: string;
  readonly step: string;
  readonly request: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON; for a watch its events. */
  readonly body: unknown;
}

export interface Send {
  readonly query?: string;
  /** Objects are sent as JSON, strings as they are. */
  readonly body?: unknown;
  /** Headers in addition to `content-type: application/json` and `user-agent: conformance/1.0`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A watch with its own headers. */
export interface Watched {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The functions that a scenario uses. */
export interface Session {
  /** Namespace of the scenario, the same on both servers. */
  readonly namespace: string;
  /** Path of the gadgets in the namespace. */
  readonly gadgets: string;
  /** Sends a request and records the answer as `step`. Returns `{}` for an answer that is not a JSON object. */
  send(step: string, method: ApiRequest["method"], path: string, options?: Send): Promise<Json>;
  /** As {@link send} without recording, for preparation. */
  quietly(method: ApiRequest["method"], path: string, options?: Send): Promise<Json>;
  /** Returns the text at a path, without recording. */
  read(path: string): Promise<string>;
  /**
   * Waits until the server's cache has the newest version of what is at `path`. A write starts from this cache. If it is behind,
   * the server calls webhooks with an older object, and again after the conflict.
   */
  upToDate(path: string): Promise<void>;
  /** Records a value that the server gave to someone else, such as what a webhook saw. */
  note(step: string, value: unknown): void;
  /** Records the events of a watch. `act` runs when the watch is open. The watch ends after `count` events or two seconds. */
  watch(step: string, what: string | Watched, count: number, act?: () => Promise<unknown>): Promise<void>;
}

export interface Scenario {
  readonly name: string;
  run(session: Session): Promise<void>;
}

export interface SessionOptions {
  readonly transport: Transport;
  readonly namespace: string;
  readonly scenario: string;
  readonly record: (answer: Recorded) => void;
}

/** Time for a watch to show the changes, in milliseconds. */
const WATCH_MS = 2000;

export function session({ transport, namespace, scenario, record }: SessionOptions): Session {
  const exchange = async (step: string | undefined, method: ApiRequest["method"], path: string, options: Send = {}): Promise<Json> => {
    const full = options.query === undefined ? path : `${path}?${options.query}`;
    // A broken connection is an answer, too: it is the only one of a server that panics.
    const response = await transport.request(makeRequest(method, full, options)).catch((error: unknown) => {
      return { status: 0, headers: {}, body: `no answer: ${String(error)}` };
    });
    const body = parse(response.body ?? "");
    if (step !== undefined)
      record({ scenario, step, request: `${method} ${full}`, status: response.status, headers: response.headers, body });
    return isObject(body) ? body : {};
  };
  return {
    namespace,
    gadgets: `/apis/conformance.treadle.dev/v1/namespaces/${namespace}/gadgets`,
    send: exchange,
    quietly: (method, path, options) => exchange(undefined, method, path, options),
    read: async (path) => (await transport.request(makeRequest("GET", path, { headers: { accept: "*/*" } }))).body ?? "",
    async upToDate(path) {
      const { metadata } = await exchange(undefined, "GET", path);
      if (metadata?.resourceVersion !== undefined)
        await exchange(undefined, "GET", path, { query: `resourceVersion=${metadata.resourceVersion}` });
    },
    note: (step, value) => record({ scenario, step, request: "", status: 0, headers: {}, body: value }),
    async watch(step, what, count, act = async () => {}) {
      const { path, headers } = typeof what === "string" ? { path: what, headers: {} } : what;
      const end = new AbortController();
      const response = await transport.request({ ...makeRequest("GET", path, { headers }), stream: true, signal: end.signal });
      const base = { scenario, step, request: `GET ${path}`, status: response.status, headers: response.headers };
      if (response.stream === undefined) return record({ ...base, body: parse(response.body) });
      const reading = events(response.stream, count, end);
      await act();
      record({ ...base, body: await reading });
    },
  };
}

/** Returns a function that makes an object an update of the one at `path`: custom resources need a version. */
export function withVersion(quietly: Session["quietly"], path: string): (object: Json) => Promise<Json> {
  return async (object) => {
    const { metadata } = await quietly("GET", path);
    return { ...object, metadata: { ...object["metadata"], resourceVersion: metadata?.resourceVersion } };
  };
}

async function events(stream: NonNullable<ApiResponse["stream"]>, count: number, end: AbortController): Promise<unknown> {
  const timer = setTimeout(() => end.abort(), WATCH_MS);
  let text = "";
  try {
    for await (const chunk of stream) {
      text += chunk;
      if (text.split("\n").length > count) break;
    }
  } catch (error) {
    if (!end.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
    end.abort();
  }
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map(parse);
}

function makeRequest(method: ApiRequest["method"], path: string, { body, headers }: Send): ApiRequest {
  const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
  return {
    method,
    path,
    headers: {
      "user-agent": "conformance/1.0",
      accept: "application/json",
      ...(text === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(text === undefined ? {} : { body: text }),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
