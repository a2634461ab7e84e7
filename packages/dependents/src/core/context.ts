/**
 * What converging and removing objects needs from outside: who asks, the client, the cache, and the memory of the owner.
 * It names every dependency, so that a caller which is not a step can provide them.
 */
import type { Clock, Kind, KubernetesObject, Ref } from "@treadle/apimachinery";
import type { Cache, Logger, ReqClient } from "@treadle/reconcile";
import type { DependentsMemory } from "./memory.ts";
import type { Timing } from "./timing.ts";

/** A unit of the handler, as the other units see it. */
export interface UnitInfo {
  /** Name of the unit. */
  readonly unit: string;
  /** Whether the unit wants this object for `owner`; `undefined`: that is not known. Must not throw. */
  keeps(owner: KubernetesObject, kind: Kind, ref: Ref): boolean | undefined;
}

/** One unit in one pass. */
export interface Context {
  /** Persistent name of the unit: part of the label on its objects and of its field manager. */
  readonly unit: string;
  /** What messages call a unit, e.g. `step`. */
  readonly unitNoun: string;
  /** All units of the handler that keep objects, in their order, this one included. */
  readonly units: readonly UnitInfo[];
  /** The owner of the objects, as the pass read it. */
  readonly owner: KubernetesObject;
  /** The kind of the owner. */
  readonly ownerKind: Kind;
  /** The present name of the handler. */
  readonly handlerName: string;
  /** The present name first, then the former names. */
  readonly handlerNames: readonly string[];
  /** Field managers of operators that this one replaces. */
  readonly replacedManagers: readonly string[];
  /** Applies as `<handler>/<unit>/<owner uid>`. */
  readonly client: Pick<ReqClient, "list" | "create" | "update" | "patch" | "apply" | "delete">;
  /** The objects that the handler watches. */
  readonly cache: ObjectCache;
  /** What is remembered of the objects of the owner between passes. */
  readonly memory: DependentsMemory;
  /** The time. */
  readonly clock: Pick<Clock, "now">;
  /** The time as the author's functions get it. @defaultValue they get no time */
  readonly timing?: Timing;
  /** Marks that the objects of the unit carry besides those of the core: keys of annotations, and finalizers. @defaultValue none */
  readonly extraMarks?: { readonly annotations: readonly string[]; readonly finalizers: readonly string[] } | undefined;
  /** The log of the unit. */
  readonly log: Logger;
  /**
   * Whether marks of a former name of the handler are removed in this pass. During a rolling update the old version still
   * needs them: then it answers `false`, and asks for a later pass.
   */
  claims(what: string): boolean;
  /** Whether the cache would show `object`; `false` where a selector of the watch leaves it out. */
  isSelected(kind: Kind, object: KubernetesObject): boolean;
  /** Checks that no object of `kind` can exist. @throws Error when the server still has objects of a kind that it does not serve in the version of `kind` */
  requireKindGone(kind: Kind): Promise<void>;
}

/** The objects that the handler watches. Of kinds that are cached as metadata it returns metadata. */
export interface ObjectCache extends Cache {
  /** Whether the objects of `kind` in `namespace` are watched; `"*"`: in all namespaces. */
  covers(kind: Kind, namespace: string): boolean;
}
