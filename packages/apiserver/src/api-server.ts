/** The API of the in-memory server: its options, and what a test or a program can ask of it. */
import type { ApiRequest, ApiResponse, Clock, CustomResourceDefinitionInput, Kind, Random, Transport } from "@treadle/apimachinery";
import type { ResolveService } from "./admission/webhook-client.ts";
import type { Identity } from "./authorization/identity.ts";
import type { WorkloadOptions } from "./workloads/options.ts";
import type { Workloads } from "./workloads/workloads.ts";

/** A kind to serve: a CRD, or a kind of `defineResource`. A kind without a CRD gets a status and accepts any fields. */
export type ServedResource = Kind | CustomResourceDefinitionInput;

/** Options of {@link createApiServer}. */
export interface ApiServerOptions {
  /** Clock of the server. @defaultValue the system clock */
  readonly clock?: Clock;
  /** Random numbers for generated names and for the times at which watches end. @defaultValue the random numbers of the system */
  readonly random?: Random;
  /** Returns the uid of a new object. @defaultValue random UUIDs */
  readonly uid?: () => string;
  /** Kinds that are served from the start, in addition to the built-in ones. @defaultValue none */
  readonly resources?: readonly ServedResource[];
  /** Called with each request before it is handled. Throw an ApiError to inject a fault: the client gets it as the answer. */
  readonly onRequest?: (request: ApiRequest) => void;
  /** Maximum number of changes of a kind that the server remembers, for watches and for lists of older versions. @defaultValue 10000 */
  readonly historyLimit?: number;
  /**
   * Time between two compactions of the history, in milliseconds. After one to two intervals a version is too old: a list of
   * exactly this version, and the next page of such a list, get 410 Expired. A watch gets 410 from a version that is no longer
   * in the watch cache of a real server. It has the last 100 changes of the kind, and all changes of the last 75 s.
   * With 0 only `historyLimit` limits the history.
   * @defaultValue 0; 300000 for a local cluster, as on a real server
   */
  readonly compactionIntervalMs?: number;
  /** Maximum number of events that may wait for a slow reader of a watch. At one more the server ends the watch. @defaultValue 10000 */
  readonly watchBuffer?: number;
  /** Time between two bookmarks of a watch that allows them, in milliseconds. With 0 there are none. @defaultValue 60000, as on the real server */
  readonly bookmarkIntervalMs?: number;
  /**
   * Whether the garbage collector of kube-controller-manager runs with the server. It deletes objects without living owners,
   * and it implements the propagation policies `Foreground` and `Orphan`.
   * @defaultValue false, as for a kube-apiserver alone
   */
  readonly garbageCollection?: boolean;
  /**
   * Whether the controllers, the scheduler and the kubelets of a cluster are simulated. Deployments, Jobs and the like get the
   * status that they would have in a cluster, at the times of the server's clock. No container runs.
   * @defaultValue false
   */
  readonly workloads?: boolean | WorkloadOptions;
  /**
   * Authorization of requests. With `"RBAC"` each request needs a right, and the default roles of a cluster exist. With
   * `"none"` each request is allowed.
   * @defaultValue "none"
   */
  readonly authorization?: "RBAC" | "none";
  /** Bearer tokens and their users, for the HTTP fronts. Tokens of service accounts need no entry. @defaultValue none */
  readonly tokens?: Readonly<Record<string, Identity>>;
  /**
   * Issuer of the tokens of service accounts, and the audience of this server. With an `https` URL the server also serves
   * `/.well-known/openid-configuration`, by which other programs can check tokens.
   * @defaultValue "https://kubernetes.default.svc.cluster.local", as in most clusters
   */
  readonly serviceAccountIssuer?: string;
  /** Admission plugins to enable in addition to those that are always enabled. @defaultValue none */
  readonly admissionPlugins?: readonly "OwnerReferencesPermissionEnforcement"[];
  /**
   * Finds the Service that a webhook names: its URL, or a function that answers without a socket. A `clientConfig` with a
   * `url` is always called over the network.
   * @defaultValue none: calls of webhooks with a Service fail
   */
  readonly webhookServices?: ResolveService;
}

/** Options of {@link ApiServer.transport}. */
export interface TransportOptions {
  /** Sender of the requests. @defaultValue the administrator, a member of `system:masters` */
  readonly as?: Identity;
}

/** An in-memory Kubernetes API server. */
export interface ApiServer {
  /**
   * Answers one request of `sender`, which is the administrator by default. The promise never rejects. The stream of a watch
   * ends with the signal of the request or with the server.
   */
  handle(request: ApiRequest, sender?: Identity): Promise<ApiResponse>;
  /** Returns the user of a bearer token, or `undefined` for an unknown or expired token. */
  authenticate(token: string): Identity | undefined;
  /** Accepts a bearer token as a user, until the returned function is called. */
  acceptToken(token: string, identity: Identity): () => void;
  /**
   * Does the work of kube-controller-manager on Secrets of type `kubernetes.io/service-account-token`, until the returned
   * function is called: fills them at the end of the request that creates or changes them, and deletes those whose account
   * does not exist.
   * @param caPem The value of their `ca.crt`
   */
  fillTokenSecrets(caPem: string): () => void;
  /** Returns a transport that calls this server without a socket. Its `close` ends its own requests, not the server. */
  transport(options?: TransportOptions): Transport;
  /** Creates or replaces the CRD of a kind, so that the kind is served. Has no effect for a built-in kind. @throws Error when the CRD is refused */
  install(resource: ServedResource): void;
  /** Calls `observe` with each request, until the returned function is called. */
  onRequest(observe: (request: ApiRequest) => void): () => void;
  /** Forgets the history. Older watches and continue tokens get 410. */
  compact(): void;
  /**
   * Resolves when the garbage collector and the simulated workloads have no work that is due now. All their writes are stored
   * then; readers of watches may not have read them yet. Work that is due later is not awaited, see `workloads.nextDue`.
   */
  settled(): Promise<void>;
  /** Controls of the simulated workloads. @throws Error when the server was created without `workloads` */
  readonly workloads: Workloads;
  /** Whether requests need rights (`authorization: "RBAC"`). */
  readonly isRestricted: boolean;
  /** Newest resourceVersion. */
  readonly resourceVersion: string;
  /** Number of open watches. */
  readonly watchCount: number;
  /** Ends all watches. Later requests get 503. */
  close(): Promise<void>;
}
