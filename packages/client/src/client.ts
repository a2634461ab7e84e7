/**
 * The client: typed calls to one API server over a {@link Transport}. Objects are plain JSON in both directions.
 * It caches nothing and keeps no connection of its own; see the informer package for cached reads.
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

/** What every call takes. */
export interface CallOptions {
  /** Ends the call, retries included; it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** False: one attempt, whatever its answer asks for; for callers with a back-off of their own. @defaultValue that of the client */
  readonly retry?: boolean;
  /** Called before each attempt; what it throws ends the call, and nothing is sent. */
  readonly beforeAttempt?: () => void;
}

/** A part of an object that is read and written by itself; which ones a kind has, discovery tells. */
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

export interface GetOptions extends CallOptions {
  /** Reads a subresource of the object instead of the object. */
  readonly subresource?: Subresource;
}

export interface ListOptions extends CallOptions {
  /** Absent: all namespaces. */
  readonly namespace?: string;
  /** In the syntax of `kubectl -l`, or equality pairs. */
  readonly labelSelector?: string | Readonly<Record<string, string>>;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
}

export interface WatchOptions extends CallOptions {
  readonly namespace?: string;
  readonly labelSelector?: string | Readonly<Record<string, string>>;
  readonly fieldSelector?: string;
  /** Events after this version; absent: begins with the present state as ADDED events. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "NotOlderThan";
  /** Asks for periodic BOOKMARK events. @defaultValue true */
  readonly allowBookmarks?: boolean;
  /** Asks the server to stream the present state first and to mark its end with an annotated bookmark (WatchList). */
  readonly sendInitialEvents?: boolean;
  /** After this time the server ends the watch. */
  readonly timeoutSeconds?: number;
}

/** One event of a watch. `ERROR` ends it; a clean end of the stream proves nothing about completeness. */
export type WatchEvent<T> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  | {
      readonly type: "BOOKMARK";
      readonly object: { readonly metadata: { readonly resourceVersion: string; readonly annotations?: Readonly<Record<string, string>> } };
    }
  | { readonly type: "ERROR"; readonly object: Status };

export interface WriteOptions extends CallOptions {
  /** Who is recorded in managedFields. @defaultValue the client's own */
  readonly fieldManager?: string;
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
  readonly dryRun?: boolean;
  /** Writes a subresource of the object instead of the object. */
  readonly subresource?: Subresource;
}

export interface DeleteOptions extends CallOptions {
  /** A precondition that is undefined is none. */
  readonly preconditions?: { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined };
  readonly propagationPolicy?: "Foreground" | "Background" | "Orphan";
  readonly gracePeriodSeconds?: number;
  readonly dryRun?: boolean;
}

/** What became of a deletion. */
export type Deletion<T extends KubernetesObject = KubernetesObject> =
  /** It is no more; `uid` as far as the server or the precondition says it. */
  | { readonly type: "gone"; readonly uid: string | undefined }
  /** It is marked, and goes when its finalizers and its grace period are over. */
  | { readonly type: "going"; readonly object: T };

export type Patch =
  /** RFC 7386. Lists are replaced whole; `metadata.resourceVersion` in it makes it conditional (409). */
  | { readonly type: "merge"; readonly body: object }
  /** RFC 6902. A failed `test` answers 422. */
  | { readonly type: "json"; readonly body: readonly JsonPatchOperation[] }
  /** Built-in kinds only: lists are merged by their keys, `$patch` and its like direct it. For others 415. */
  | { readonly type: "strategic"; readonly body: object };

/** What a raw request is about, in the words of errors and observers. */
export interface RawContext {
  /** @defaultValue the method for errors, `raw` for observers */
  readonly verb?: string;
  /** E.g. `log of Pod ns/name`. @defaultValue the path */
  readonly target?: string;
  readonly kind?: Kind;
  readonly subresource?: string;
  /** False: one attempt. @defaultValue that of the client */
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
  /** @defaultValue that of the kind */
  readonly apiVersion?: string;
  /** @defaultValue that of the kind */
  readonly kind?: string;
  /** Absent, or without a name. A namespaced kind needs a namespace. */
  readonly metadata?: { readonly namespace?: string; readonly generateName?: string };
  readonly [field: string]: unknown;
}

export interface Client {
  /** The live object, or `undefined` when it does not exist. @throws ApiError, also when the kind is not served. */
  get<K extends Kind>(kind: K, ref: Ref, options?: GetOptions): Promise<ObjectOf<K> | undefined>;
  /** One page, or everything without `limit`. */
  list<K extends Kind>(kind: K, options?: ListOptions): Promise<KubernetesList<ObjectOf<K>>>;
  /** Rejects when the watch cannot be opened; iterating throws when the stream breaks. Never reconnects by itself. */
  watch<K extends Kind>(kind: K, options?: WatchOptions): Promise<AsyncIterable<WatchEvent<ObjectOf<K>>>>;
  /** Creates an object and returns it as the server stored it. @throws ApiError 409 (`isAlreadyExists`) when its name is taken */
  create<K extends Kind>(kind: K, object: NewObjectOf<K>, options?: WriteOptions): Promise<ObjectOf<K>>;
  /** Replaces the object; with `metadata.resourceVersion` only that version of it (409 otherwise). */
  update<K extends Kind>(kind: K, object: WriteOf<K> | ObjectOf<K>, options?: WriteOptions): Promise<ObjectOf<K>>;
  patch<K extends Kind>(kind: K, ref: Ref, patch: Patch, options?: WriteOptions): Promise<ObjectOf<K>>;
  /**
   * Server-side apply as `fieldManager`: creates the object, or sets the fields given and removes those that this manager gave
   * before and does not give now. @throws ApiError 409 when another manager owns one of them with another value (`conflictsOf`
   * names them), unless `force` takes them over
   */
  apply<K extends Kind>(kind: K, object: object, options?: WriteOptions & { readonly force?: boolean }): Promise<ObjectOf<K>>;
  /**
   * Deletes; an object that does not exist is a success. Says whether it is gone, or is going: finalizers or a grace period
   * may hold it. @throws ApiError on a failed precondition (409).
   */
  delete<K extends Kind>(kind: K, ref: Ref, options?: DeleteOptions): Promise<Deletion<ObjectOf<K>>>;
  /** A request of the caller's own making, with this client's credentials and retries. An answer of any status resolves. */
  raw(request: ApiRequest, about?: RawContext): Promise<ApiResponse>;
  close(): Promise<void>;
}
