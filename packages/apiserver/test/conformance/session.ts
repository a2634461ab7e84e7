/**
 * One run of the scenarios against one server: sends what a scenario asks for and writes down each answer.
 * Scenarios talk in requests, not in calls of a client, since what is compared is the answer on the wire.
 */
import type { ApiRequest, ApiResponse, Transport } from "@treadle/apimachinery";

export interface Json {
  // Scenarios look into answers freely; what is missing shows as a difference.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly [field: string]: any;
}

/** One answer as it came. */
export interface Recorded {
  readonly scenario: string;
  readonly step: string;
  readonly request: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed where it is JSON. Of a watch: its events. */
  readonly body: unknown;
}

export interface Send {
  readonly query?: string;
  /** An object is sent as JSON, a text as it is. */
  readonly body?: unknown;
  /** Beside `content-type: application/json` and `user-agent: conformance/1.0`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A watch that needs headers of its own. */
export interface Watched {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a scenario works with. */
export interface Session {
  /** A namespace of its own, the same on both servers. */
  readonly namespace: string;
  /** Path of the gadgets in the namespace. */
  readonly gadgets: string;
  /** Sends a request and records the answer as `step`; one that is no JSON object is `{}` to the scenario. */
  send(step: string, method: ApiRequest["method"], path: string, options?: Send): Promise<Json>;
  /** As {@link send}, for what only prepares: not recorded. */
  quietly(method: ApiRequest["method"], path: string, options?: Send): Promise<Json>;
  /** Records the events of a watch: `act` runs when it is open, and it ends with `count` events or after two seconds. */
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

/** How long a watch may take to show what was done. */
const WATCH_MS = 2000;

export function session({ transport, namespace, scenario, record }: SessionOptions): Session {
  const exchange = async (step: string | undefined, method: ApiRequest["method"], path: string, options: Send = {}): Promise<Json> => {
    const full = options.query === undefined ? path : `${path}?${options.query}`;
    // A connection that breaks is an answer too: a server that panics gives no other.
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

/** Makes an object an update of what is at `path` now: custom resources are not updated without a version. */
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
