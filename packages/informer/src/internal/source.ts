/** The server from the view of one reflector: one kind, one namespace or all, one selection. */
import { ApiError, type Kind, keyOf, type KubernetesList, type KubernetesObject, type Ref, type Status } from "@treadle/apimachinery";
import type { Client, ListOptions, WatchEvent, WatchOptions } from "@treadle/client";

/** The selection of a list and watch. Without any field, all objects of the kind. */
export interface Selection {
  readonly namespace?: string;
  readonly labelSelector?: string | Readonly<Record<string, string>>;
  readonly fieldSelector?: string;
  readonly managedFieldsOf?: readonly string[];
}

/** Lists and watches one selection of one kind. */
export interface Source<T extends KubernetesObject> {
  readonly kind: Kind;
  readonly selection: Selection;
  list(options: ListOptions): Promise<KubernetesList<T>>;
  watch(options: WatchOptions): Promise<AsyncIterable<WatchEvent<T>>>;
}

/** Returns the source of a selection. */
export function sourceOf<T extends KubernetesObject>(client: Pick<Client, "list" | "watch">, kind: Kind, selection: Selection): Source<T> {
  return {
    kind,
    selection,
    // One attempt each: the reflector has its own backoff, and pauses inside a call would use up its deadline.
    // Async, so that an exception of the client is a rejection.
    list: async (options) => client.list(kind, { ...selection, ...options, retry: false }),
    watch: async (options) => client.watch(kind, { ...selection, ...options, retry: false }),
  };
}

/** Describes a source for messages: `Widget in namespace "a"`. */
export function describe(source: Pick<Source<KubernetesObject>, "kind" | "selection">): string {
  const { namespace } = source.selection;
  return namespace === undefined ? source.kind.kind : `${source.kind.kind} in namespace ${JSON.stringify(namespace)}`;
}

/** Returns the failure of an ERROR event of a watch. */
export function errorOf(status: Partial<Status> | null | undefined, what: string): ApiError {
  const { message, reason, details, code } = status ?? {};
  return new ApiError({
    message: `watch of ${what} was ended by the server: ${message ?? reason ?? "no reason given"} (${code ?? "no code"})`,
    // Some proxies and servers write the code as text.
    status: Number(code ?? 0) || 0,
    reason,
    details,
  });
}

/**
 * Returns the key of an object that the server sent.
 * @throws when it is not an object with a name
 */
export function checkedKey(object: KubernetesObject, source: Source<KubernetesObject>): string {
  const metadata: Partial<Ref> = (object as Partial<KubernetesObject> | null | undefined)?.metadata ?? {};
  const { name, namespace } = metadata;
  if (typeof name !== "string" || name === "") throw new Error(`the server sent a ${describe(source)} without a name`);
  return keyOf(namespace === undefined ? { name } : { name, namespace });
}

/** Returns the version of an object or bookmark. An empty version counts as absent, because to the server it means any version. */
export function versionOf(object: { readonly metadata?: { readonly resourceVersion?: unknown } } | null | undefined): string | undefined {
  const version = object?.metadata?.resourceVersion;
  return typeof version === "string" && version !== "" ? version : undefined;
}

/**
 * Returns the version of a response.
 * @throws when the response has none
 */
export function versionIn(version: string | undefined, source: Source<KubernetesObject>, what: "list" | "watch"): string {
  if (version !== undefined && version !== "") return version;
  throw new Error(`${what} of ${describe(source)}: the server gave no resourceVersion to watch from`);
}
