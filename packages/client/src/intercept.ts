/**
 * Clients around clients: they replace single verbs, or fill in options. Each is a {@link Client}, so they can be combined, and
 * everything that takes a client (`pages`, `modify`, `evict`, informers, managers) uses them.
 */
import type { ApiRequest, Kind, Ref } from "@treadle/apimachinery";
import type { Client, DeleteOptions, WriteOptions } from "./client.ts";

/**
 * Returns a client with some verbs replaced. `next` is the client below; an override may call it or not. All other verbs go to
 * `client`, {@link Client.close} included.
 *
 * @example
 * ```ts
 * const counting = intercept(client, (next) => ({
 *   get: (kind, ref, options) => (reads.inc(), next.get(kind, ref, options)),
 * }));
 * ```
 */
export function intercept(client: Client, overrides: (next: Client) => Partial<Client>): Client {
  // Not a spread, since the methods of a class instance are on its prototype.
  const through: Client = {
    get: (...given) => client.get(...given),
    list: (...given) => client.list(...given),
    watch: (...given) => client.watch(...given),
    create: (...given) => client.create(...given),
    update: (...given) => client.update(...given),
    patch: (...given) => client.patch(...given),
    apply: (...given) => client.apply(...given),
    delete: (...given) => client.delete(...given),
    raw: (...given) => client.raw(...given),
    close: () => client.close(),
  };
  return { ...through, ...defined(overrides(client)) };
}

/**
 * Returns a client for one namespace. It fills the namespace in where a namespaced kind is read, listed, watched or written without
 * one. Cluster-scoped kinds and raw requests are not changed. This is not a protection; use RBAC for that.
 * @throws TypeError from each call that names another namespace
 */
export function withNamespace(client: Client, namespace: string): Client {
  const place = (verb: string, kind: Kind, given: string | undefined): { readonly namespace?: string } => {
    if (kind.scope === "Cluster") return given === undefined ? {} : { namespace: given };
    if (given === undefined || given === "" || given === namespace) return { namespace };
    throw new TypeError(`cannot ${verb} ${kind.kind} in namespace ${given}: the client is for namespace ${namespace} only`);
  };
  const placed = <T extends object>(verb: string, kind: Kind, object: T): T => {
    const { metadata } = object as { readonly metadata?: Partial<Ref> };
    return { ...object, metadata: { ...metadata, ...place(verb, kind, metadata?.namespace) } };
  };
  const ref = (verb: string, kind: Kind, given: Ref): Ref => ({ ...given, ...place(verb, kind, given.namespace) });
  return intercept(client, (next) => ({
    get: async (kind, given, options) => next.get(kind, ref("get", kind, given), options),
    list: async (kind, options) => next.list(kind, { ...options, ...place("list", kind, options?.namespace) }),
    watch: async (kind, options) => next.watch(kind, { ...options, ...place("watch", kind, options?.namespace) }),
    create: async (kind, object, options) => next.create(kind, placed("create", kind, object as object) as typeof object, options),
    update: async (kind, object, options) => next.update(kind, placed("update", kind, object as object) as typeof object, options),
    patch: async (kind, given, patch, options) => next.patch(kind, ref("patch", kind, given), patch, options),
    apply: async (kind, object, options) => next.apply(kind, placed("apply", kind, object), options),
    delete: async (kind, given, options) => next.delete(kind, ref("delete", kind, given), options),
  }));
}

/** Returns a client whose writes are dry runs: the server checks and answers them, and stores nothing. Raw writes are included. */
export function withDryRun(client: Client): Client {
  const dryRun = { dryRun: true } as const;
  return intercept(client, (next) => ({
    ...writing(next, (options) => ({ ...options, ...dryRun })),
    delete: (kind, ref, options?: DeleteOptions) => next.delete(kind, ref, { ...options, ...dryRun }),
    raw: (request, about) => next.raw(request.method === "GET" ? request : { ...request, path: withDryRunQuery(request) }, about),
  }));
}

/** Returns a client that writes as `fieldManager`, unless the call names another field manager. */
export function withFieldManager(client: Client, fieldManager: string): Client {
  return intercept(client, (next) => writing(next, (options) => ({ ...options, fieldManager: options?.fieldManager ?? fieldManager })));
}

/** Returns a client that writes with `fieldValidation`, unless the call gives another one. `Strict` refuses unknown fields. */
export function withFieldValidation(client: Client, fieldValidation: NonNullable<WriteOptions["fieldValidation"]>): Client {
  return intercept(client, (next) =>
    writing(next, (options) => ({ ...options, fieldValidation: options?.fieldValidation ?? fieldValidation })),
  );
}

/** The writing verbs, with changed options. */
function writing(
  next: Client,
  change: (options: WriteOptions | undefined) => WriteOptions,
): Pick<Client, "create" | "update" | "patch" | "apply"> {
  return {
    create: (kind, object, options) => next.create(kind, object, change(options)),
    update: (kind, object, options) => next.update(kind, object, change(options)),
    patch: (kind, ref, patch, options) => next.patch(kind, ref, patch, change(options)),
    apply: (kind, object, options) => next.apply(kind, object, { ...options, ...change(options) }),
  };
}

function withDryRunQuery({ path }: ApiRequest): string {
  const [resource = "", query = ""] = path.split("?", 2);
  const parameters = new URLSearchParams(query);
  parameters.set("dryRun", "All");
  return `${resource}?${parameters.toString()}`;
}

/** An override that is `undefined` replaces nothing. */
function defined(overrides: Partial<Client>): Partial<Client> {
  return Object.fromEntries(Object.entries(overrides).filter(([, verb]) => verb !== undefined));
}
