/** The scopes of quotas that select by a name: `PriorityClass` and `VolumeAttributesClass`. */
import type { JsonObject } from "../internal/json.ts";
import { listAt, textAt, textsAt } from "../internal/read.ts";

/** A scope of a quota. */
export interface Scope {
  readonly scopeName: string;
  readonly operator: string;
  readonly values: readonly string[];
}

/** Returns the scopes of a quota. An object must be in all of them. */
export function scopesOf(quota: unknown): readonly Scope[] {
  const named = textsAt(quota, "spec", "scopes").map((scopeName) => ({ scopeName, operator: "Exists", values: [] }));
  const selected = listAt(quota, "spec", "scopeSelector", "matchExpressions").map((one: JsonObject) => ({
    scopeName: textAt(one, "scopeName"),
    operator: textAt(one, "operator"),
    values: textsAt(one, "values"),
  }));
  return [...named, ...selected];
}

/** Reports whether a scope selects one of the names. An object without a name counts as one that has none. */
export function selectsName({ operator, values }: Scope, names: readonly string[]): boolean {
  switch (operator) {
    case "Exists":
      return names.length > 0;
    case "DoesNotExist":
      return names.length === 0;
    case "In":
      return names.some((name) => values.includes(name));
    default:
      return names.length === 0 || names.some((name) => !values.includes(name));
  }
}
