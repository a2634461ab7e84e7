/**
 * The cluster in which a step keeps its objects, as one pass sees it. The place of most steps is the cluster of the operator: it is the
 * context of the step itself, and costs nothing. With the option `target` it is another one.
 */
import type { Kind, KubernetesObject } from "@treadle/apimachinery";
import type { Client, KindName } from "@treadle/client";
import type { KindWatch, ReqClient } from "@treadle/reconcile";
import type { ObjectCache } from "./core/context.ts";

/** A cluster in one pass of one step. */
export interface Place {
  /** Reads and writes as the step. */
  readonly client: Pick<ReqClient, "list" | "create" | "update" | "patch" | "apply" | "delete">;
  /** The client behind it, without field manager and deadline: for discovery and facts about the cluster. */
  readonly raw: Client;
  /** The objects that are watched there. */
  readonly cache: ObjectCache;
  /** Whether the cache would show `object`; `false` where a selector of the watch leaves it out. */
  isSelected(kind: Kind, object: KubernetesObject): boolean;
  /** Watches a kind there, and returns the state of the watch. */
  watch(kind: Kind | KindName): KindWatch;
}
