/** Makes the informers of a manager: one for each kind that its handlers need, limited by `cache` and `namespaces`. */
import {
  apiVersionOf,
  groupKindOf,
  keepOwnManagedFields,
  type Kind,
  kindIdOf,
  type KubernetesObject,
  type UntypedObject,
} from "@treadle/apimachinery";
import { createInformers, type Informers, type InformerScope, projection } from "@treadle/informer";
import type { AnyHandler } from "@treadle/reconcile";
import { type AnyRead, managersOf, optionalKindsOf, pipelineOf, watchedKindsOf } from "@treadle/reconcile/unstable/engine";
import type { CachedKind } from "../cached.ts";
import { ManagerError } from "../manager-error.ts";
import { logFailures } from "./informer-failures.ts";
import type { Services } from "../manager/services.ts";
import { KindPresence } from "./kind-presence.ts";

type InformerServices = Pick<Services, "client" | "clock" | "random" | "log" | "options" | "onChange">;

/** What the informers of a manager are for. */
export interface InformersOptions {
  readonly handlers: readonly AnyHandler[];
  /** The reads besides those of the handlers. */
  readonly reads: readonly AnyRead[];
  /** The namespaces that are watched at the start; undefined: all. */
  readonly namespaces: readonly string[] | undefined;
  /** Called when the server begins or ceases to serve a kind, or to allow its watch. */
  readonly presenceChanged: (kind: Kind) => void;
  /** Called when a complete list of a kind is in its cache. */
  readonly onListed: () => void;
  /** Called when an informer of the kind has listed, failed or recovered. */
  readonly kindChanged: (kind: Kind) => void;
}

/**
 * Makes the informers; they are not started.
 * @throws ManagerError ERR_CACHE for a projection of a kind that the engine needs whole
 */
export function makeInformers(
  { client, clock, random, log, options: { cache = [], kindRetryMs = 10_000 }, onChange }: InformerServices,
  { handlers, reads, namespaces, presenceChanged, onListed, kindChanged }: InformersOptions,
): {
  readonly informers: Informers;
  readonly presence: KindPresence;
  readonly scopeOf: (kind: Kind) => InformerScope<Kind>;
} {
  checkProjections(cache, handlers);
  const logFailure = logFailures(log, clock);
  const optional = optionalKindsOf(handlers, reads);
  const presence = new KindPresence({
    client,
    clock,
    random,
    log,
    informerOf: (kind) => informers.get(kind),
    isOptional: (kind) => optional.has(kindIdOf(kind)),
    onChange(kind) {
      presenceChanged(kind);
      onChange();
    },
  });
  const informers: Informers = createInformers({
    client,
    clock,
    random,
    ...(namespaces === undefined ? {} : { namespaces }),
    kindRetryMs,
    onError(error, where, kind) {
      presence.failed(error, where, kind);
      // The missing kind was logged above, once; the end of its watch is not news.
      if (presence.isServed(kind)) logFailure(error, where, kind);
      kindChanged(kind);
    },
    onWarning: ({ type, message }, kind) => log.warn({ informer: groupKindOf(kind), warning: type }, message),
    onListed(kind) {
      presence.listed(kind);
      onListed();
      kindChanged(kind);
    },
    onRecovered(kind) {
      presence.recovered(kind);
      kindChanged(kind);
    },
  });
  const scopeOf = scopes(cache, handlers);
  const wanted = [...handlers.map(({ kind }) => kind), ...watchedKindsOf(handlers, reads)]; // Primaries first.
  for (const kind of wanted) informers.for<Kind>(kind, scopeOf(kind));
  const ids = new Set(wanted.map(kindIdOf));
  for (const { kind } of cache)
    if (!ids.has(kindIdOf(kind)))
      log.warn(
        { kind: kind.kind, apiVersion: apiVersionOf(kind) },
        `cached(${kind.kind}) is of no effect: no handler reads, owns or watches ${groupKindOf(kind)} (${kind.version})`,
      );
  return { informers, presence, scopeOf };
}

/** Returns the same scope for the same kind each time, because an informer is identified by it. */
function scopes(cache: readonly CachedKind[], handlers: readonly AnyHandler[]): (kind: Kind) => InformerScope<Kind> {
  // Of managedFields the cache keeps the conditions and the applied fields of our handlers.
  const managers = new Set(handlers.flatMap((handler) => [...managersOf(pipelineOf(handler).before)]));
  const ingest = (object: KubernetesObject): KubernetesObject => keepOwnManagedFields(object, managers);
  const managedFieldsOf = [...managers];
  const byKind = new Map(
    cache.map(({ kind, labelSelector, fieldSelector, keep }) => {
      const cut = keep === undefined ? undefined : projection<UntypedObject>(keep);
      return [
        kindIdOf(kind),
        {
          ...(labelSelector === undefined ? {} : { labelSelector }),
          ...(fieldSelector === undefined ? {} : { fieldSelector }),
          managedFieldsOf,
          ingest: cut === undefined ? ingest : (object: KubernetesObject): KubernetesObject => cut(ingest(object) as UntypedObject),
        },
      ];
    }),
  );
  return (kind) => byKind.get(kindIdOf(kind)) ?? { ingest, managedFieldsOf };
}

function checkProjections(cache: readonly CachedKind[], handlers: readonly AnyHandler[]): void {
  for (const { kind, keep } of cache) {
    if (keep === undefined) continue;
    const id = kindIdOf(kind);
    for (const handler of handlers) {
      const { name, kind: primary } = handler;
      const owner = pipelineOf(handler).leaves.find(({ owns }) => owns.some((owned) => kindIdOf(owned) === id));
      const because =
        kindIdOf(primary) === id
          ? `handler "${name}" reconciles it`
          : owner === undefined
            ? undefined
            : `step "${owner.name}" of "${name}" owns it`;
      if (because !== undefined)
        throw new ManagerError(
          "ERR_CACHE",
          `cannot start: cached(${kind.kind}, { keep }) drops parts of ${groupKindOf(kind)}, but ${because}, which needs the whole: leave keep out, and use a labelSelector or fieldSelector`,
        );
    }
  }
}
