/** The context of the core for one step in one pass, made from the req and the pass of the step. */
import type { Kind, KubernetesObject, Ref } from "@treadle/apimachinery";
import { type ExtendedHandler, KindNotInstalled, servedVersionOf } from "@treadle/reconcile/unstable/engine";
import type { CleanupReq, DoReq, KindWatch, Logger } from "@treadle/reconcile";
import type { Client, KindName } from "@treadle/client";
import type { Context, ObjectCache, UnitInfo } from "./core/context.ts";
import type { DependentsMemory } from "./core/memory.ts";
import { Timing } from "./core/timing.ts";
import type { DependentData, DependentPass } from "./extension/data.ts";
import type { Place } from "./place.ts";

export type AnyDoReq = DoReq<KubernetesObject, object>;
export type AnyCleanupReq = CleanupReq<KubernetesObject>;

/** The constant parts of the contexts of a step. */
export interface ContextSource {
  /** The name of the step. */
  readonly name: string;
  /** Returns the kind under which the cache has the objects of `kind`: its metadata for confidential ones. */
  readonly cacheKindOf: (kind: Kind) => Kind;
  /** Returns further marks that the objects of the step carry. @defaultValue none */
  readonly marksOf?: (handler: ExtendedHandler<unknown>) => Context["extraMarks"];
}

/** A class, because one is made for each step of each pass: getters of a prototype cost nothing until they are used. */
export class StepContext implements Context, Place {
  readonly unitNoun = "step";
  readonly unit: string;
  readonly owner: KubernetesObject;
  readonly handlerName: string;
  readonly handlerNames: readonly string[];
  readonly memory: DependentsMemory;
  readonly extraMarks: Context["extraMarks"];
  readonly #source: ContextSource;
  readonly #req: AnyDoReq | AnyCleanupReq;
  readonly #pass: DependentPass;
  readonly #elsewhere: Place | undefined;
  #cache: ObjectCache | undefined;
  #timing: Timing | undefined;

  /** @param elsewhere where the step keeps its objects; `undefined`: the cluster of the operator */
  constructor(source: ContextSource, req: AnyDoReq | AnyCleanupReq, pass: DependentPass, elsewhere?: Place) {
    this.unit = source.name;
    this.extraMarks = source.marksOf?.(pass.handler);
    this.owner = pass.object;
    this.handlerName = pass.handler.name;
    this.handlerNames = pass.handler.names;
    this.memory = pass.memory;
    this.#source = source;
    this.#req = req;
    this.#pass = pass;
    this.#elsewhere = elsewhere;
  }

  /** Whether the objects are in another cluster, or are written as another user. Then all kinds are watched there by `watch()`. */
  get isElsewhere(): boolean {
    return this.#elsewhere !== undefined;
  }

  get units(): readonly UnitInfo[] {
    return unitsOf(this.#pass);
  }

  get ownerKind(): Kind {
    return this.#pass.handler.kind;
  }

  get replacedManagers(): readonly string[] {
    return this.#pass.handler.replacedManagers;
  }

  get client(): Context["client"] {
    return this.#elsewhere?.client ?? this.#req.client;
  }

  get raw(): Client {
    return this.#elsewhere?.raw ?? this.#pass.client;
  }

  get cache(): ObjectCache {
    this.#cache ??= this.#elsewhere?.cache ?? cacheOf(this.#pass, this.#source.cacheKindOf);
    return this.#cache;
  }

  watch(kind: Kind | KindName): KindWatch {
    return this.#elsewhere?.watch(kind) ?? this.#req.watch(kind);
  }

  get clock(): Context["clock"] {
    return this.#pass.clock;
  }

  /** Whether a function of the author may have used the time. */
  get isTimed(): boolean {
    return this.#timing !== undefined;
  }

  get timing(): Timing {
    this.#timing ??= new Timing(this.#pass.clock, `step "${this.unit}"`);
    return this.#timing;
  }

  get log(): Logger {
    return this.#req.log;
  }

  claims(what: string): boolean {
    return this.#pass.claim(what, { isNeededByOld: true });
  }

  isSelected(kind: Kind, object: KubernetesObject): boolean {
    return (this.#elsewhere ?? this.#pass).isSelected(kind, object);
  }

  async requireKindGone(kind: Kind): Promise<void> {
    const servedAs = await servedVersionOf(this.raw, kind, this.#req.signal);
    if (servedAs !== undefined) throw new KindNotInstalled({ name: this.unit }, kind, servedAs);
  }
}

/** All dependents of the handler, in list order. */
function unitsOf({ handler }: DependentPass): readonly UnitInfo[] {
  return handler.steps.map(({ name, data }) => ({
    unit: name,
    keeps: (owner, kind, ref) => keeps(data, owner, { kind, ref }),
  }));
}

/** Returns `undefined`, for unknown, also for a name that cannot be computed. */
function keeps(
  data: DependentData,
  owner: KubernetesObject,
  { kind, ref }: { readonly kind: Kind; readonly ref: Ref },
): boolean | undefined {
  try {
    return data.keeps(owner, kind, ref);
  } catch {
    return undefined;
  }
}

/** Returns the cache of the handler. Of kinds with confidential objects it may hold metadata only. */
function cacheOf({ cache }: DependentPass, cacheKindOf: (kind: Kind) => Kind): ObjectCache {
  const cached = <K extends Kind>(kind: K): K => cacheKindOf(kind) as K; // A kind and its metadata have one type here.
  return {
    get: (kind, ref) => cache.get(cached(kind), ref),
    list: (kind, select) => cache.list(cached(kind), select),
    covers: (kind, namespace) => {
      try {
        // No namespace and no object has the name "-": only a cache of all namespaces accepts it, and a list would read all objects.
        cache.get(cached(kind), kind.scope === "Cluster" ? { name: "-" } : { name: "-", namespace: namespace === "*" ? "-" : namespace });
        return true;
      } catch {
        return false;
      }
    },
  };
}
