/** The places of a step with a target: the target of the pass, and a cluster that the objects leave. */
import type { Kind, KubernetesObject, Ref } from "@treadle/apimachinery";
import type { Client, KindName } from "@treadle/client";
import type { KindWatch, ReqClient } from "@treadle/reconcile";
import { clientFor, isKind, watchIdOf } from "@treadle/reconcile/unstable/engine";
import type { ObjectCache } from "../../core/context.ts";
import type { Place } from "../../place.ts";
import type { HeldTarget } from "./held-target.ts";

/** What {@link TargetPlace} needs besides the connection. */
export interface PlaceOptions {
  /** The req of the step. */
  readonly req: unknown;
  /** Identifies the owner and the step. */
  readonly key: string;
  /** The labels by which the objects of the owner are watched. */
  readonly ownerLabels: Readonly<Record<string, string>>;
  /** The names whose applied fields are needed. */
  readonly managers: readonly string[];
  /** The kind of the owner, which is not in the target. */
  readonly ownerKind: Kind;
  /** The namespaces of the placement, where the credential may not list all. */
  readonly namespaces: readonly string[];
  readonly cacheKindOf: (kind: Kind) => Kind;
  wake(cause: string): void;
}

/** The target of a step in one pass. Its kinds are watched as soon as the pass asks for them. */
export class TargetPlace implements Place {
  readonly client: ReqClient;
  readonly raw: Client;
  readonly cache: ObjectCache;
  readonly #held: HeldTarget;
  readonly #options: PlaceOptions;
  readonly #asked = new Set<string>();

  constructor(held: HeldTarget, options: PlaceOptions) {
    const { connection } = held;
    this.#held = held;
    this.#options = options;
    this.client = clientFor(options.req, {
      client: connection.client,
      observe: (kind, object) => connection.watches.observe(kind, object),
      observeDelete: (kind, ref, uid) => connection.watches.observeDelete(kind, ref, uid),
    });
    this.raw = connection.client;
    this.cache = cacheIn(held, options);
  }

  /**
   * The watches have objects with the label of an owner only: one that is to be adopted is not among them. And the credential may not allow
   * a watch of the namespace. Then the object is read by requests.
   */
  isSelected(kind: Kind, { metadata }: KubernetesObject): boolean {
    const isLabelled = Object.keys(this.#options.ownerLabels).some((label) => metadata.labels?.[label] !== undefined);
    return isLabelled && this.cache.covers(kind, metadata.namespace ?? "*");
  }

  watch(kind: Kind | KindName): KindWatch {
    const { key, ownerLabels, managers, namespaces, wake } = this.#options;
    const id = watchIdOf(kind);
    this.#asked.add(id);
    this.#held.watched.add(id);
    const watch = this.#held.connection.watches.hold(kind, { key, ownerLabels, managers, namespaces, wake });
    return "kind" in watch && isKind(kind) ? { ...watch, kind } : watch;
  }

  /** Releases the watches that the pass did not ask for. Only for a pass that came to its end. */
  settle(): void {
    for (const id of this.#held.watched) {
      if (this.#asked.has(id)) continue;
      this.#held.watched.delete(id);
      this.#held.connection.watches.release(id, this.#options.key);
    }
  }
}

function cacheIn({ connection: { watches } }: HeldTarget, { cacheKindOf, ownerKind, namespaces }: PlaceOptions): ObjectCache {
  const cached = <K extends Kind>(kind: K): K => cacheKindOf(kind) as K; // A kind and its metadata have one type here.
  return {
    get: (kind, ref) => (watches.covers(cached(kind), ref.namespace ?? "*") ? watches.cache.get(cached(kind), ref) : undefined),
    list: (kind, select) => {
      if (select?.namespace !== undefined || watches.covers(cached(kind), "*")) return watches.cache.list(cached(kind), select);
      // The credential may list in some namespaces only.
      const covered = namespaces.filter((namespace) => watches.covers(cached(kind), namespace));
      return covered.flatMap((namespace) => watches.cache.list(cached(kind), { ...select, namespace }));
    },
    // For objects that are not watched the core asks about their owners. Here each namespace in which objects are is known by its name.
    covers: (kind, namespace) => (kind === ownerKind ? namespace !== "*" : watches.covers(cached(kind), namespace)),
  };
}

/**
 * A cluster that the objects of a step leave. Nothing is watched there any more: each pass lists what is left.
 * @param isWhole whether each list is of all namespaces: those of the objects are not known
 */
export function formerPlace(client: Place["client"], raw: Client, isWhole: () => boolean = () => false): Place {
  return {
    client,
    raw,
    cache: {
      get: (_kind: Kind, _ref: Ref): undefined => undefined,
      list: (): readonly never[] => [],
      covers: (_kind: Kind, namespace: string) => namespace !== "*" || isWhole(),
    },
    isSelected: () => true,
    watch: (kind) => {
      const reason = "the objects of the step leave this cluster, and are not watched any more";
      // State has the whole kind of each object.
      return isKind(kind) ? { type: "unwatchable", kind, reason } : { type: "not-served", reason };
    },
  };
}

/** Returns the client of a step for a connection that it only leaves. */
export function clientOfFormer(req: unknown, { connection }: HeldTarget): ReqClient {
  return clientFor(req, {
    client: connection.client,
    observe: (kind: Kind, object: KubernetesObject) => connection.watches.observe(kind, object),
    observeDelete: (kind, ref, uid) => connection.watches.observeDelete(kind, ref, uid),
  });
}
