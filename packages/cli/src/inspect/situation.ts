/** What was read around one object: a tree of objects with their health, events, leases and the namespace. Plain data for pure rules. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { type Health, health } from "@treadle/apimachinery/health";
import type { ObjectName } from "../cluster/object-name.ts";
import type { Unread } from "../cluster/reader.ts";

/** How an object belongs to the one above it. */
export type Relation =
  /** The object that the user named. */
  | { readonly type: "root" }
  /** An owner reference or an owner-id label names the object above. */
  | { readonly type: "owned" }
  /** An entry of `status.dependents` of the object above names it. */
  | { readonly type: "dependent"; readonly entry: Entry }
  /** The object above names it in its spec or status. */
  | { readonly type: "named"; readonly path: string }
  /** A condition or an event of the object above mentions it. */
  | { readonly type: "mentioned"; readonly by: string };

/** An entry of `status.dependents`. */
export interface Entry {
  readonly step: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly since: string | undefined;
  /** Wave of a set. */
  readonly wave: string | undefined;
}

/** A condition of a status, as far as its fields have the right types. */
export interface StatusCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration: number | undefined;
}

/** An event about an object, of either API. */
export interface EventNote {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly lastMs: number;
  readonly reporter: string;
}

/** An object near the one that the user named. */
export interface Node {
  readonly name: ObjectName;
  readonly relation: Relation;
  /** `refused`: it could not be read. `unserved`: the server does not serve its kind. */
  readonly state: "found" | "missing" | "refused" | "unserved";
  /** The object; metadata only where contents are not needed. */
  readonly object: KubernetesObject | undefined;
  readonly health: Health;
  /** When the health last changed, as far as the object tells. */
  readonly since: string | undefined;
  readonly conditions: readonly StatusCondition[];
  /** Newest first. Only those of objects that are not ready are read. */
  readonly events: readonly EventNote[];
  readonly children: readonly Node[];
}

/** A lease that shows whether the operator of the object runs. */
export interface LeaseNote {
  readonly namespace: string;
  readonly name: string;
  /** Empty: no process holds it. */
  readonly holder: string;
  readonly renewedMs: number | undefined;
  readonly durationMs: number;
}

/** Everything that is known about an object. */
export interface Situation {
  readonly root: Node;
  /** The owners of the object, the nearest first. */
  readonly owners: readonly Node[];
  /** The namespace of the object, if it could be read. */
  readonly namespace: KubernetesObject | undefined;
  /** The leases of the operator that writes the status. */
  readonly leases: readonly LeaseNote[];
  /** Whether an operator of Treadle writes the status. */
  readonly isOfTreadle: boolean;
  readonly unread: readonly Unread[];
  readonly nowMs: number;
}

/** Returns the nodes of a tree, parents before children. */
export function* nodesOf(root: Node): Generator<Node> {
  yield root;
  for (const child of root.children) yield* nodesOf(child);
}

/** Judges a workload with the pods below it, for a better reason. */
export function healthOf(object: KubernetesObject, pods: readonly KubernetesObject[]): Health {
  return health(object, pods.length === 0 ? {} : { pods });
}
