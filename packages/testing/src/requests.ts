/** The requests of an operator to the API server, as a test reads and counts them. */
import type { Kind } from "@treadle/apimachinery";

/** The verb of a request, as RBAC names it; `apply` is a patch by server-side apply, `other` a path that is not a resource. */
export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "apply" | "delete" | "other";

/** A request, described as the API server's audit log describes it. */
export interface RecordedRequest {
  /** The verb. */
  readonly verb: Verb;
  /** The API group; empty for the core group. */
  readonly group: string;
  /** The API version, e.g. `v1`. */
  readonly version: string;
  /** The plural of the kind, e.g. `secrets`; empty for a path that is not a resource, e.g. `/version`. */
  readonly resource: string;
  /** The namespace; undefined for a request of all namespaces and for a cluster-scoped kind. */
  readonly namespace: string | undefined;
  /** The name; undefined for a collection. */
  readonly name: string | undefined;
  /** The subresource, e.g. `status`. */
  readonly subresource: string | undefined;
  /** HTTP status of the answer; 0 without an answer (so far). */
  readonly status: number;
  /** Path and query. */
  readonly path: string;
  /** The body as JSON; undefined without a body. */
  readonly body: unknown;
}

/** A selection of requests; a request must match every given member. */
export interface RequestFilter {
  /** One of these verbs. */
  readonly verb?: Verb | readonly Verb[];
  /** Requests for objects of this kind, in any version. */
  readonly kind?: Pick<Kind, "group" | "plural">;
  /** The plural, in any group: `secrets`. */
  readonly resource?: string;
  /** The name of the object. */
  readonly name?: string;
  /** The namespace of the object. */
  readonly namespace?: string;
  /** The subresource, e.g. `status`. */
  readonly subresource?: string;
}

/** The recorded requests, in the order in which they were sent. */
export interface RequestLog extends Iterable<RecordedRequest> {
  /** Number of requests. */
  readonly length: number;
  /** The requests that match `filter`. @defaultValue all */
  filter(filter?: RequestFilter): readonly RecordedRequest[];
  /** Number of requests that match `filter`. @defaultValue all */
  count(filter?: RequestFilter): number;
  /** The requests that write. */
  readonly writes: readonly RecordedRequest[];
  /** Number of requests by verb and resource, e.g. `{ "patch widgets/status": 2, "watch secrets": 1 }`. */
  summary(): Readonly<Record<string, number>>;
  /** Removes the requests recorded so far. */
  clear(): void;
}

/**
 * A function that is called before a request of the operator is sent. An ApiError that it throws becomes the server's answer.
 * Any other error breaks the connection. A promise that it returns holds the request until it is resolved.
 */
export type RequestObserver = (request: Omit<RecordedRequest, "status">) => unknown;
