/** The server as one reflector sees it: one kind, one namespace or all, one selection. */
import { ApiError, type Kind, keyOf, type KubernetesList, type KubernetesObject, type Ref, type Status } from "@treadle/apimachinery";
import type { Client, ListOptions, WatchEvent, WatchOptions } from "@treadle/client";

/** What of a kind is listed and watched. Everything absent: all of it. */
export interface Selection {
  readonly namespace?: string;
  readonly labelSelector?: string | Readonly<Record<string, string>>;
  readonly fieldSelector?: string;
}

export interface Source<T extends KubernetesObject> {
  readonly kind: Kind;
  readonly selection: Selection;
  list(options: ListOptions): Promise<KubernetesList<T>>;
  watch(options: WatchOptions): Promise<AsyncIterable<WatchEvent<T>>>;
}

export function sourceOf<T extends KubernetesObject>(client: Pick<Client, "list" | "watch">, kind: Kind, selection: Selection): Source<T> {
  return {
    kind,
    selection,
    // One attempt each: the reflector has a back-off of its own, and a deadline that waits inside of a call would use up.
    // A client that throws before it returns a promise is a client that failed.
    list: async (options) => client.list(kind, { ...selection, ...options, retry: false }),
    watch: async (options) => client.watch(kind, { ...selection, ...options, retry: false }),
  };
}

/** `Widget in namespace "a"`: for messages. */
export function describe(source: Pick<Source<KubernetesObject>, "kind" | "selection">): string {
  const { namespace } = source.selection;
  return namespace === undefined ? source.kind.kind : `${source.kind.kind} in namespace ${JSON.stringify(namespace)}`;
}

/** The failure that an ERROR event of a watch carries. */
export function errorOf(status: Partial<Status> | null | undefined, what: string): ApiError {
  const { message, reason, details, code } = status ?? {};
  return new ApiError({
    message: `watch of ${what} was ended by the server: ${message ?? reason ?? "no reason given"} (${code ?? "no code"})`,
    // Some proxies and servers write it as text.
    status: Number(code ?? 0) || 0,
    reason,
    details,
  });
}

/** @throws when the server sent something that is no object. */
export function checkedKey(object: KubernetesObject, source: Source<KubernetesObject>): string {
  const metadata: Partial<Ref> = (object as Partial<KubernetesObject> | null | undefined)?.metadata ?? {};
  const { name, namespace } = metadata;
  if (typeof name !== "string" || name === "") throw new Error(`the server sent a ${describe(source)} without a name`);
  return keyOf(namespace === undefined ? { name } : { name, namespace });
}

/** The version of an object or bookmark; an empty one is none, and would mean "any" to the server. */
export function versionOf(object: { readonly metadata?: { readonly resourceVersion?: unknown } } | null | undefined): string | undefined {
  const version = object?.metadata?.resourceVersion;
  return typeof version === "string" && version !== "" ? version : undefined;
}

/** @throws when the server did not say of which version its answer is. */
export function versionIn(version: string | undefined, source: Source<KubernetesObject>, what: "list" | "watch"): string {
  if (version !== undefined && version !== "") return version;
  throw new Error(`${what} of ${describe(source)}: the server gave no resourceVersion to watch from`);
}
