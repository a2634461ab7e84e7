/** The parts of the watches of one connection: who holds them, and where they watch. */
import type { Kind } from "@treadle/apimachinery";
import type { KindName } from "@treadle/client";
import type { RunTimeWatches } from "@treadle/controller/unstable/driver";
import type { Informer } from "@treadle/informer";
import type { KindWatch } from "@treadle/reconcile";
import { watchIdOf } from "@treadle/reconcile/unstable/engine";

/** Where a watch is in all namespaces. */
export const ALL = "*";

/** Who holds watches: the owner's label, and what its events call. */
export interface Holder {
  readonly label: string;
  /** The key of the map of holders by owner. */
  readonly owner: string;
  wake: (cause: string) => void;
  /** The ids of the watches that it holds. */
  readonly ids: Set<string>;
}

/** An informer of a scope. */
export interface Opened {
  readonly id: string;
  readonly scope: Scope;
  readonly informer: Informer;
  readonly isMetadata: boolean;
}

/** The watches with one label in one namespace, or in all. */
export interface Scope {
  readonly id: string;
  readonly label: string;
  readonly namespace: string | undefined;
  readonly watches: RunTimeWatches;
  readonly opened: Set<Opened>;
  /** The holds: id of the watch and key of the holder. */
  readonly holds: Set<string>;
}

/** Holds a watch in a scope. */
export function holdIn(scope: Scope, kind: Kind | KindName, key: string): KindWatch {
  scope.holds.add(`${watchIdOf(kind)} ${key}`);
  return scope.watches.hold(kind, key);
}

/** Whether the contents of the kind are never cached. */
export function isSecret({ group, kind }: Kind): boolean {
  return group === "" && kind === "Secret";
}

/** Whether an informer has the objects of a namespace. */
export function coversIn(scope: Scope, informer: Informer, namespace: string): boolean {
  if (informer.kind.scope === "Cluster" || scope.namespace === undefined) return true;
  return namespace !== ALL && scope.namespace === namespace;
}

/** The state of several watches of a kind: the one that is furthest from `synced`. */
export function joined(states: readonly KindWatch[]): KindWatch {
  const order: readonly KindWatch["type"][] = ["refused", "not-served", "unwatchable", "pending", "synced"];
  const [worst] = [...states].toSorted((a, b) => order.indexOf(a.type) - order.indexOf(b.type));
  return worst ?? { type: "pending", reason: "no namespace is watched" };
}
