/** What was asked of the API server, as a test wants to count it. */
import { type ApiRequest, type ApiResponse, isApiError, type Kind, type Transport } from "@treadle/apimachinery";
import { answerOf } from "./faults/answers.ts";

export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "apply" | "delete" | "other";

/** One request, as the API server's audit log would name it. */
export interface RecordedRequest {
  readonly verb: Verb;
  readonly group: string;
  readonly version: string;
  /** The plural of the kind, e.g. `secrets`; empty for paths that are no resource, e.g. `/version`. */
  readonly resource: string;
  readonly namespace: string | undefined;
  /** Absent for a collection. */
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  /** HTTP status of the answer; 0 when none came (yet). */
  readonly status: number;
  readonly path: string;
  /** The body as JSON; undefined without one. */
  readonly body: unknown;
}

/** Which requests; everything given must fit. */
export interface RequestFilter {
  readonly verb?: Verb | readonly Verb[];
  readonly kind?: Pick<Kind, "group" | "plural">;
  /** The plural, of whatever group: `secrets`. */
  readonly resource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly subresource?: string;
}

/** Requests in the order in which they were sent. */
export interface RequestLog extends Iterable<RecordedRequest> {
  readonly length: number;
  /** Those that fit `filter`. */
  filter(filter: RequestFilter): readonly RecordedRequest[];
  /** How many fit `filter`. @defaultValue all */
  count(filter?: RequestFilter): number;
  /** Those that write. */
  readonly writes: readonly RecordedRequest[];
  /** How many of each, e.g. `{ "patch widgets/status": 2, "watch secrets": 1 }`. */
  summary(): Readonly<Record<string, number>>;
  /** Forgets what was recorded so far. */
  clear(): void;
}

/**
 * Told of a request of the operator before it is sent. An ApiError that it throws is the answer in place of the server's;
 * any other error is a connection that breaks. A promise that it returns holds the request until it is resolved.
 */
export type RequestObserver = (request: Omit<RecordedRequest, "status">) => unknown;

const WRITES: ReadonlySet<Verb> = new Set(["create", "update", "patch", "apply", "delete"]);

/** Records the requests that go through a transport. */
export class Recorder implements RequestLog {
  #requests: RecordedRequest[] = [];
  #pending = 0;
  readonly #observers = new Set<RequestObserver>();

  /** `transport`, recorded. */
  through(transport: Transport): Transport {
    return {
      request: async (request) => {
        const recorded = this.#begin(request);
        this.#pending++;
        try {
          const answer = this.#told(recorded);
          const fault = answer instanceof Promise ? await answer : answer;
          const response = fault ?? (await transport.request(request));
          recorded.status = response.status;
          return response;
        } finally {
          this.#pending--;
        }
      },
      close: async () => await transport.close(),
    };
  }

  /** Calls `observe` before each request until the returned function is called. */
  observe(observe: RequestObserver): () => void {
    this.#observers.add(observe);
    return () => void this.#observers.delete(observe);
  }

  /** Requests that have no answer yet; an open watch has one. */
  get pending(): number {
    return this.#pending;
  }

  get length(): number {
    return this.#requests.length;
  }

  get writes(): readonly RecordedRequest[] {
    return this.filter({ verb: [...WRITES] });
  }

  filter(filter: RequestFilter): readonly RecordedRequest[] {
    return this.#requests.filter((request) => fits(request, filter));
  }

  count(filter: RequestFilter = {}): number {
    return this.filter(filter).length;
  }

  summary(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { verb, resource, subresource, path } of this.#requests) {
      const what = `${verb} ${resource === "" ? path : resource}${subresource === undefined ? "" : `/${subresource}`}`;
      counts[what] = (counts[what] ?? 0) + 1;
    }
    return counts;
  }

  clear(): void {
    this.#requests = [];
  }

  [Symbol.iterator](): Iterator<RecordedRequest> {
    return this.#requests[Symbol.iterator]();
  }

  /** What an observer answers in place of the server. @throws what it throws, unless that is an ApiError */
  #told(request: RecordedRequest): ApiResponse | undefined | Promise<undefined> {
    const answers: Promise<unknown>[] = [];
    try {
      for (const observe of this.#observers) {
        const answer = observe(request);
        if (answer instanceof Promise) answers.push(answer);
      }
    } catch (error) {
      if (isApiError(error)) return answerOf(error);
      throw error;
    }
    // Not awaited where nobody asks for it: a turn more would change the order of requests.
    return answers.length === 0 ? undefined : Promise.all(answers).then(() => undefined);
  }

  #begin(request: ApiRequest): { -readonly [K in keyof RecordedRequest]: RecordedRequest[K] } {
    const recorded = { ...describeRequest(request), status: 0 };
    this.#requests.push(recorded);
    return recorded;
  }
}

/** Whether a request is one of those that `filter` means. */
export function fits(request: Omit<RecordedRequest, "status">, filter: RequestFilter): boolean {
  const { verb, kind, resource, name, namespace, subresource } = filter;
  const verbs = verb === undefined ? undefined : typeof verb === "string" ? [verb] : verb;
  return (
    (verbs === undefined || verbs.includes(request.verb)) &&
    (kind === undefined || (kind.group === request.group && kind.plural === request.resource)) &&
    (resource === undefined || resource === request.resource) &&
    (name === undefined || name === request.name) &&
    (namespace === undefined || namespace === request.namespace) &&
    (subresource === undefined || subresource === request.subresource)
  );
}

/** A request in the words of the API. */
export function describeRequest(request: ApiRequest): Omit<RecordedRequest, "status"> {
  const [path = "", query = ""] = request.path.split("?", 2);
  const target = resourceOf(path);
  return { ...target, verb: verbOf(request, target, query), path: request.path, body: bodyOf(request.body) };
}

type Target = Pick<RecordedRequest, "group" | "version" | "resource" | "namespace" | "name" | "subresource">;

const NO_RESOURCE: Target = { group: "", version: "", resource: "", namespace: undefined, name: undefined, subresource: undefined };

function resourceOf(path: string): Target {
  const [root, ...rest] = path.split("/").filter(Boolean).map(decodeURIComponent);
  const group = root === "apis" ? rest.shift() : root === "api" ? "" : undefined;
  const version = rest.shift();
  if (group === undefined || version === undefined || rest.length === 0) return NO_RESOURCE;
  // `namespaces/NAME` is itself a resource unless another one follows; its own subresources are status and finalize.
  const isWithin = rest[0] === "namespaces" && rest.length > 2 && rest[2] !== "status" && rest[2] !== "finalize";
  const namespace = isWithin ? rest[1] : undefined;
  const [resource = "", name, subresource] = isWithin ? rest.slice(2) : rest;
  return { group, version, resource, namespace, name, subresource };
}

function verbOf(request: ApiRequest, target: Target, query: string): Verb {
  if (target.resource === "") return "other";
  switch (request.method) {
    case "GET":
      if (/(^|&)watch=(true|1)(&|$)/.test(query)) return "watch";
      return target.name === undefined ? "list" : "get";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return request.headers["content-type"]?.startsWith("application/apply-patch") === true ? "apply" : "patch";
    case "DELETE":
      return "delete";
  }
}

function bodyOf(body: string | undefined): unknown {
  if (body === undefined || body === "") return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
