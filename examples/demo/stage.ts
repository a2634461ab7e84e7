/** What the stories of the demo play on. */
import type { Client, Condition, KubernetesObject } from "treadle";
import type { Feed } from "./feed.ts";

export interface Stage {
  /** The user's. */
  readonly client: Client;
  readonly out: Feed;
  /** The objects stay when the story is over. */
  readonly keep: boolean;
  /** Resolves when the operator has nothing to do. */
  readonly settled: () => Promise<void>;
}

/** The state of a condition, as it stands behind its name in the output: `True` or `False/NotFound`. */
export function conditionOf(object: KubernetesObject | undefined, type: string): string | undefined {
  const { conditions = [] } = ((object ?? {}) as { readonly status?: { readonly conditions?: readonly Condition[] } }).status ?? {};
  const condition = conditions.find((each) => each.type === type);
  if (condition === undefined) return undefined;
  return condition.status === "True" ? "True" : `${condition.status}/${condition.reason}`;
}
