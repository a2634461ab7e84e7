/**
 * The shared informers of a process. Each kind is listed and watched once, however many readers it has. The cache reads only
 * from informers that exist: a read never starts an informer.
 */
import {
  type Cache,
  type Clock,
  formatFieldSelector,
  formatLabelSelector,
  groupKindOf,
  isMetadataOnly,
  type Kind,
  kindIdOf,
  labelRequirements,
  metadataOnly,
  parseFieldSelector,
  parseLabelSelector,
  type Random,
} from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import type { Informer } from "./informer.ts";
import type { InformerErrorSource, InformerOptions } from "./informer-options.ts";
import { sharedParts } from "./internal/shared-parts.ts";
import { createSharingInformer } from "./internal/store-informer.ts";
import type { InformerWarning } from "./warnings.ts";

/** The options of {@link createInformers}. */
export interface InformersOptions {
  /** Client that lists and watches. */
  readonly client: Pick<Client, "list" | "watch">;
  /** Source of the time. @defaultValue systemClock */
  readonly clock?: Clock;
  /** Source of the jitter in pauses. @defaultValue systemRandom */
  readonly random?: Random;
  /** Namespaces of informers that name none themselves; see {@link Informers.setNamespaces}. @defaultValue all namespaces */
  readonly namespaces?: readonly string[];
  /** Maximum number of objects on a page of a list. @defaultValue as in {@link InformerOptions.pageSize} */
  readonly pageSize?: number;
  /** Called for every failure of every informer. @defaultValue as in {@link InformerOptions.onError} */
  readonly onError?: (error: unknown, where: InformerErrorSource, kind: Kind) => void;
  /** Called for warnings; see {@link InformerOptions.onWarning}. */
  readonly onWarning?: (warning: InformerWarning, kind: Kind) => void;
  /**
   * Memory that the process may use, in bytes. While a list is being read, the informer warns if the caches may need more
   * than half of it. @defaultValue the heap limit of V8, or the memory limit of the container if that is lower
   */
  readonly memoryLimitBytes?: number;
  /** Called after each complete list of an informer; see {@link InformerOptions.onListed}. */
  readonly onListed?: (kind: Kind) => void;
  /** Called when an informer works again; see {@link InformerOptions.onRecovered}. */
  readonly onRecovered?: (kind: Kind) => void;
  /** Maximum pause while a kind is not served; see {@link InformerOptions.kindRetryMs}. @defaultValue 10_000 */
  readonly kindRetryMs?: number;
}

/** The options that distinguish two informers of one kind, and `ingest`, which reduces their objects. */
export type InformerScope<K extends Kind = Kind> = Pick<
  InformerOptions<K>,
  "namespaces" | "labelSelector" | "fieldSelector" | "ingest" | "managedFieldsOf"
>;

/** The shared informers of a process. */
export interface Informers {
  /**
   * Returns the one informer of this kind, version and scope. It is made at the first call, and started if the others are.
   * Selectors and namespaces are compared by meaning, in any order.
   * @throws when the informer exists with another `ingest`, or SelectorError for a selector that cannot be parsed
   */
  for<K extends Kind>(kind: K, scope?: InformerScope<K>): Informer<K>;
  /**
   * Returns the informer of this kind, if there is one: the one without a scope, else the first that was made. For
   * a kind of metadata only, an informer of whole objects is returned if there is no other.
   */
  get<K extends Kind>(kind: K): Informer<K> | undefined;
  /** Returns all informers, in the order in which they were made. */
  all(): readonly Informer[];
  /** Starts all informers, and from now on each new one when it is made. */
  startAll(): void;
  /** Resolves when all present informers have synced. Rejects with the signal's reason. */
  synced(signal?: AbortSignal): Promise<void>;
  /**
   * Changes the namespaces of all informers that name none themselves, also of later ones; see
   * {@link Informer.setNamespaces}. Resolves when each of them has listed.
   */
  setNamespaces(namespaces: readonly string[] | undefined, signal?: AbortSignal): Promise<void>;
  /** Stops `informer` and removes it. The next call of `for` with its kind makes a new one. */
  remove(informer: Informer): Promise<void>;
  /** Stops all informers. New ones are not started. */
  stop(): Promise<void>;
  /** Reads from the informers that {@link get} returns. A read throws when there is no informer of the kind. */
  readonly cache: Cache;
}

/** Creates the shared informers of a process. No informer exists, and no request is sent, before `for()` and `startAll()`. */
export function createInformers(options: InformersOptions): Informers {
  const entries = new Map<string, { readonly informer: Informer; readonly ingest: unknown; readonly isCommon: boolean }>();
  const shared = sharedParts(options);
  let { namespaces } = options;
  let state: "made" | "started" | "stopped" = "made";
  /**
   * The results of `get`, until an informer is added or removed: comparing kinds takes too long for every read of every pass.
   * Weak, because a step may make a new kind object for each read.
   */
  let found = new WeakMap<Kind, Informer>();

  const informers: Informers = {
    for<K extends Kind>(kind: K, given: InformerScope<K> = {}): Informer<K> {
      const id = idOf(kind, given);
      const existing = entries.get(id);
      if (existing !== undefined) {
        if (given.ingest !== undefined && given.ingest !== existing.ingest)
          throw new Error(
            `the informer of ${groupKindOf(kind)} exists with another ingest function: pass the same function everywhere, or only the first time`,
          );
        // The id names the kind, so the objects are of this type.
        return existing.informer as unknown as Informer<K>;
      }
      const informer = createSharingInformer<K>({ ...common(kind), ...given, kind }, shared);
      const isCommon = given.namespaces === undefined;
      entries.set(id, { informer: informer as unknown as Informer, ingest: given.ingest, isCommon });
      found = new WeakMap();
      if (state === "started") informer.start();
      return informer;
    },
    get<K extends Kind>(kind: K): Informer<K> | undefined {
      const informer = found.get(kind) ?? find(kind);
      if (informer !== undefined) found.set(kind, informer);
      return informer as unknown as Informer<K> | undefined; // As above.
    },
    all: () => [...entries.values()].map(({ informer }) => informer),
    startAll() {
      if (state !== "made") return;
      state = "started";
      for (const informer of informers.all()) informer.start();
    },
    synced(signal) {
      const all = Promise.all(informers.all().map((informer) => informer.synced(signal))).then(() => undefined);
      all.catch(() => undefined); // Without a handler, a caller that does not await it would end the process.
      return all;
    },
    setNamespaces(wanted, signal) {
      namespaces = wanted;
      const common = [...entries.values()].filter(({ isCommon }) => isCommon);
      const listed = Promise.all(common.map(({ informer }) => informer.setNamespaces(wanted, signal))).then(() => undefined);
      listed.catch(() => undefined); // As above.
      return listed;
    },
    async remove(informer) {
      for (const [id, entry] of entries) if (entry.informer === informer) entries.delete(id);
      found = new WeakMap();
      await informer.stop();
    },
    async stop() {
      state = "stopped";
      await Promise.all(informers.all().map((informer) => informer.stop()));
    },
    cache: {
      get: (kind, ref) => declared(informers, kind).get(ref),
      list: (kind, select) => declared(informers, kind).list(select),
    },
  };

  function find(kind: Kind): Informer | undefined {
    const exact = entries.get(idOf(kind, {}))?.informer;
    const wanted = isMetadataOnly(kind) ? [nameOf(kind), kindIdOf(kind)] : [nameOf(kind)];
    return exact ?? wanted.map((name) => informers.all().find((informer) => nameOf(informer.kind) === name)).find(Boolean);
  }

  function common(kind: Kind): Omit<InformerOptions, "kind"> {
    const { client, pageSize, onError, onWarning, onListed, onRecovered, kindRetryMs } = options;
    return {
      client,
      ...(namespaces === undefined ? {} : { namespaces }),
      ...(pageSize === undefined ? {} : { pageSize }),
      ...(kindRetryMs === undefined ? {} : { kindRetryMs }),
      ...(onWarning === undefined ? {} : { onWarning: (warning: InformerWarning): void => onWarning(warning, kind) }),
      ...(onListed === undefined ? {} : { onListed: (): void => onListed(kind) }),
      ...(onRecovered === undefined ? {} : { onRecovered: (): void => onRecovered(kind) }),
      ...(onError === undefined ? {} : { onError: (error: unknown, where: InformerErrorSource): void => onError(error, where, kind) }),
    };
  }
  return informers;
}

function declared<K extends Kind>(informers: Informers, kind: K): Informer<K> {
  const informer = informers.get(kind);
  if (informer !== undefined) return informer;
  if (informers.get(metadataOnly(kind)) !== undefined)
    throw notDeclared(
      `the whole of ${groupKindOf(kind)} (${kind.version}) is not declared by reads, owns or watch of any step, only its metadata: ask the cache for metadataOnly(${kind.kind}), or read it live with the client`,
    );
  throw notDeclared(
    `Kind ${groupKindOf(kind)} (${kind.version}) is not declared by reads, owns or watch of any step, so there is no cache of it: declare it there, or read it live with the client`,
  );
}

function notDeclared(message: string): Error {
  return Object.assign(new Error(message), { code: "ERR_NOT_DECLARED" });
}

/** A kind of metadata only has another name: a reader of whole objects must not get metadata. */
function nameOf(kind: Kind): string {
  return isMetadataOnly(kind) ? `${kindIdOf(kind)} (metadata only)` : kindIdOf(kind);
}

function idOf(kind: Kind, { namespaces, labelSelector, fieldSelector }: InformerScope): string {
  const namespaceList = kind.scope === "Cluster" || namespaces === undefined ? null : sorted(namespaces);
  return JSON.stringify([nameOf(kind), namespaceList, labelsOf(labelSelector), fieldsOf(fieldSelector)]);
}

/** The requirements of a selector, each in one canonical form. */
function labelsOf(selector: InformerScope["labelSelector"] = ""): string[] {
  const requirements = typeof selector === "string" ? parseLabelSelector(selector) : labelRequirements({ matchLabels: selector });
  return sorted(requirements.map((requirement) => formatLabelSelector([requirement])));
}

function fieldsOf(selector = ""): string[] {
  return sorted(parseFieldSelector(selector).map((requirement) => formatFieldSelector([requirement])));
}

function sorted(parts: readonly string[]): string[] {
  return [...new Set(parts)].sort();
}
