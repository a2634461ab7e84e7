/**
 * The client: typed calls to one API server over a {@link Transport}. Objects are plain JSON in both directions.
 * A client caches nothing. For cached reads see `@treadle/informer`.
 */
import type {
  ApiRequest,
  ApiResponse,
  JsonPatchOperation,
  Kind,
  KubernetesList,
  KubernetesObject,
  ObjectOf,
  Ref,
  Status,
  UntypedObject,
  WriteOf,
} from "@treadle/apimachinery";

/** Options of every call. */
export interface CallOptions {
  /** Ends the call and its retries. The call rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Whether failed attempts are repeated. Callers with a custom backoff set it to false. @defaultValue the setting of the client */
  readonly retry?: boolean;
  /** Called before each attempt. An error that it throws ends the call, and nothing is sent. */
  readonly beforeAttempt?: () => void;
}

/** Names a part of an object that is read and written separately. {@link discovery} tells which ones a kind has. */
export type Subresource =
  | "status"
  | "scale"
  | "eviction"
  | "token"
  | "resize"
  | "ephemeralcontainers"
  | "approval"
  | "binding"
  | "finalize";

/** Options of {@link Client.get}. */
export interface GetOptions extends CallOptions {
  /** Reads a subresource of the object instead of the object. */
  readonly subresource?: Subresource;
}

/** Options of {@link Client.list}. */
export interface ListOptions extends CallOptions {
  /** Namespace of the objects. @defaultValue all namespaces */
  readonly namespace?: string;
  /** Label selector, in the syntax of `kubectl -l` or as pairs that must be equal. */
  readonly labelSelector?: string | Readonly<Record<string, string>>;
  /** Field selector, such as `metadata.name=a`. */
  readonly fieldSelector?: string;
  /** Maximum number of objects in the answer. {@link pages} reads the other pages. @defaultValue all objects */
  readonly limit?: number;
  /** Continue token of the page before. */
  readonly continue?: string;
  /** Version to list, as `resourceVersionMatch` says. @defaultValue the newest version */
  readonly resourceVersion?: string;
  /** Meaning of `resourceVersion`. */
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
  /**
   * Field managers whose entries in managedFields the caller reads. For a kind of metadata only, those of others may be left out
   * before the answer is parsed, which takes a third of the time. @defaultValue all entries are returned
   */
  readonly managedFieldsOf?: readonly string[];
}

/** Options of {@link Client.watch}. */
export interface WatchOptions extends CallOptions {
  /** Namespace of the objects. @defaultValue all namespaces */
  readonly namespace?: string;
  /** Label selector, in the syntax of `kubectl -l` or as pairs that must be equal. */
  readonly labelSelector?: string | Readonly<Record<string, string>>;
  /** Field selector, such as `metadata.name=a`. */
  readonly fieldSelector?: string;
  /** Version after which events are sent. @defaultValue the current state is sent first, as ADDED events */
  readonly resourceVersion?: string;
  /** Meaning of `resourceVersion`. The server requires it with `sendInitialEvents`, and the client adds it. */
  readonly resourceVersionMatch?: "NotOlderThan";
  /** Whether the server sends periodic BOOKMARK events. @defaultValue true */
  readonly allowBookmarks?: boolean;
  /** Whether the server first streams the current state and marks its end with an annotated bookmark (WatchList). */
  readonly sendInitialEvents?: boolean;
  /** Time after which the server ends the watch, in seconds. */
  readonly timeoutSeconds?: number;
  /**
   * Field managers whose entries in managedFields the caller reads. For a kind of metadata only, those of others may be left out
   * before the events are parsed, which takes a third of the time. @defaultValue all entries are returned
   */
  readonly managedFieldsOf?: readonly string[];
}

/** Describes one event of a watch. An `ERROR` ends the watch. A clean end of the stream does not prove that it was complete. */
export type WatchEvent<T> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  | {
      readonly type: "BOOKMARK";
      readonly object: { readonly metadata: { readonly resourceVersion: string; readonly annotations?: Readonly<Record<string, string>> } };
    }
  | { readonly type: "ERROR"; readonly object: Status };

/** Options of {@link Client.create}, {@link Client.update}, {@link Client.patch} and {@link Client.apply}. */
export interface WriteOptions extends CallOptions {
  /** Name of the writer in managedFields. @defaultValue that of the client */
  readonly fieldManager?: string;
  /** What the server does about fields that the kind does not have. @defaultValue the server's, `Warn` */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
  /** Whether the server checks and answers the write without storing it. @defaultValue false */
  readonly dryRun?: boolean;
  /** Writes a subresource of the object instead of the object. */
  readonly subresource?: Subresource;
}

/** Options of {@link Client.delete}. */
export interface DeleteOptions extends CallOptions {
  /** Uid or version that the object must have (409 otherwise). An undefined value is not checked. */
  readonly preconditions?: { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined };
  /** What happens to the objects that this one owns. @defaultValue that of the kind, mostly `Background` */
  readonly propagationPolicy?: "Foreground" | "Background" | "Orphan";
  /** Time for the object to stop, in seconds. @defaultValue that of the object */
  readonly gracePeriodSeconds?: number;
  /** Whether the server checks and answers the deletion without doing it. @defaultValue false */
  readonly dryRun?: boolean;
}

/** The result of a deletion. */
export type Deletion<T extends KubernetesObject = KubernetesObject> =
  /** The object no longer exists. `uid` is known when the server or the precondition named it. */
  | { readonly type: "gone"; readonly uid: string | undefined }
  /** The object is marked. It is deleted when its finalizers are removed and its grace period is over. */
  | { readonly type: "going"; readonly object: T };

/** A change of some fields of an object, in one of the three formats of the API server. */
export type Patch =
  /** A merge patch (RFC 7386). It replaces whole lists. `metadata.resourceVersion` in it makes it conditional (409). */
  | { readonly type: "merge"; readonly body: object }
  /** A JSON patch (RFC 6902). A `test` that fails is answered with 422. */
  | { readonly type: "json"; readonly body: readonly JsonPatchOperation[] }
  /** A strategic merge patch, for built-in kinds only (415 otherwise). It merges lists by their keys and knows `$patch`. */
  | { readonly type: "strategic"; readonly body: object };

/** Describes a raw request for error messages and metrics. */
export interface RawContext {
  /** Verb of the request. @defaultValue the HTTP method in errors, `raw` in metrics */
  readonly verb?: string;
  /** Object of the request, such as `log of Pod ns/name`. @defaultValue the path */
  readonly target?: string;
  /** Kind of the object, for metrics. */
  readonly kind?: Kind;
  /** Subresource of the request, for metrics. */
  readonly subresource?: string;
  /** Whether failed attempts are repeated. @defaultValue the setting of the client */
  readonly retry?: boolean;
}

/**
 * The objects that {@link Client.create} takes for kind `K`. Those of an untyped kind may lack a name, since a server answers
 * some kinds without storing them: `SelfSubjectAccessReview`, `TokenReview`.
 */
export type NewObjectOf<K> =
  | WriteOf<K>
  | (UntypedObject extends WriteOf<K> ? ([WriteOf<K>] extends [UntypedObject] ? UnnamedObject : never) : never);

/** An untyped object without a name. */
export interface UnnamedObject {
  /** The group and version. @defaultValue those of the kind */
  readonly apiVersion?: string;
  /** The name of the kind. @defaultValue that of the kind */
  readonly kind?: string;
  /** Absent, or without a name. A namespaced kind needs a namespace. */
  readonly metadata?: { readonly namespace?: string; readonly generateName?: string };
  readonly [field: string]: unknown;
}

/**
 * Calls one API server. Every verb takes a {@link Kind}, which gives the types of the objects.
 *
 * Guarantees: objects are never changed; an aborted call rejects with the signal's reason; calls that the server certainly did
 * not execute are repeated. Errors: `ApiError` for an answer that is a refusal, `ConnectionError` when no usable answer came.
 */
export interface Client {
  /** Returns the live object, or `undefined` when it does not exist. @throws ApiError, also when the kind is not served */
  get<K extends Kind>(kind: K, ref: Ref, options?: GetOptions): Promise<ObjectOf<K> | undefined>;
  /** Returns one page, or all objects without `limit`. */
  list<K extends Kind>(kind: K, options?: ListOptions): Promise<KubernetesList<ObjectOf<K>>>;
  /** Opens a watch. It rejects when the watch cannot be opened; iterating throws when the stream breaks. It never reconnects. */
  watch<K extends Kind>(kind: K, options?: WatchOptions): Promise<AsyncIterable<WatchEvent<ObjectOf<K>>>>;
  /** Creates an object and returns it as the server stored it. @throws ApiError 409 (`isAlreadyExists`) when its name is taken */
  create<K extends Kind>(kind: K, object: NewObjectOf<K>, options?: WriteOptions): Promise<ObjectOf<K>>;
  /** Replaces an object. With `metadata.resourceVersion` it replaces only that version (409 otherwise). */
  update<K extends Kind>(kind: K, object: WriteOf<K> | ObjectOf<K>, options?: WriteOptions): Promise<ObjectOf<K>>;
  /** Changes the fields that `patch` names. @throws ApiError `isNotFound` when the object does not exist */
  patch<K extends Kind>(kind: K, ref: Ref, patch: Patch, options?: WriteOptions): Promise<ObjectOf<K>>;
  /**
   * Applies an object on the server as `fieldManager`. It creates the object, or sets the given fields and removes those that
   * this manager gave before and no longer gives. @throws ApiError 409 when another manager owns a field with another value
   * (`conflictsOf` names the fields), unless `force` takes the fields over
   */
  apply<K extends Kind>(kind: K, object: object, options?: WriteOptions & { readonly force?: boolean }): Promise<ObjectOf<K>>;
  /**
   * Deletes an object; an object that does not exist is a success. The result says whether the object still exists, held by
   * finalizers or its grace period. @throws ApiError 409 when a precondition fails
   */
  delete<K extends Kind>(kind: K, ref: Ref, options?: DeleteOptions): Promise<Deletion<ObjectOf<K>>>;
  /** Sends a custom request with the credentials and retries of this client. It resolves with an answer of any status. */
  raw(request: ApiRequest, about?: RawContext): Promise<ApiResponse>;
  /** Closes the transport. Calls in progress finish, watches end with an error, and later calls fail with `ERR_CLOSED`. */
  close(): Promise<void>;
}
