/** The environment of the demo's stories. */
import type { Client, Condition, KubernetesObject } from "treadle";
import type { Feed } from "./feed.ts";

export interface Stage {
  /** The user's client. */
  readonly client: Client;
  readonly out: Feed;
  /** Whether the objects stay after the story. */
  readonly keep: boolean;
  /** Resolves when the operator is idle. */
  readonly settled: () => Promise<void>;
}

/** Returns the state of a condition as the output shows it: `True` or `False/NotFound`. */
export function conditionOf(object: KubernetesObject | undefined, type: string): string | undefined {
  const { conditions = [] } = ((object ?? {}) as { readonly status?: { readonly conditions?: readonly Condition[] } }).status ?? {};
  const condition = conditions.find((each) => each.type === type);
  if (condition === undefined) return undefined;
  return condition.status === "True" ? "True" : `${condition.status}/${condition.reason}`;
}
