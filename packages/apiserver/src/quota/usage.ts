/** What the objects of a namespace use of a quota. */
import { type Amounts, sum } from "../builtin/demands.ts";
import { quantityNanos } from "../builtin/quantity.ts";
import type { JsonObject } from "../internal/json.ts";
import { objectAt } from "../internal/read.ts";
import type { ResourceType } from "../storage/registry.ts";
import type { Store } from "../storage/store.ts";
import { evaluatorOf } from "./evaluators.ts";
import { scopesOf } from "./scopes.ts";

/** Counts the objects of all kinds that `spec.hard` limits. Resources of kinds that are not served are not counted. */
export function usageOf(
  quota: { readonly metadata: { readonly namespace?: string } },
  { store, types, nowMs }: { readonly store: Store; readonly types: readonly ResourceType[]; readonly nowMs: number },
): Amounts {
  const hard = Object.keys(objectAt(quota, "spec", "hard"));
  const scopes = scopesOf(quota);
  let used: Amounts = {};
  for (const type of types) {
    const evaluator = evaluatorOf(type);
    const resources = evaluator === undefined ? [] : hard.filter((resource) => evaluator.counts(resource));
    if (evaluator === undefined || resources.length === 0) continue;
    let ofKind: Amounts = Object.fromEntries(resources.map((resource) => [resource, "0"]));
    for (const entry of store.collection(type.id).all()) {
      if (entry.namespace !== quota.metadata.namespace) continue;
      const object = entry.object as unknown as JsonObject; // a stored object is JSON
      if (!scopes.every((scope) => evaluator.isIn(object, scope))) continue;
      const counted = Object.entries(evaluator.usage(object, nowMs)).filter(([name]) => resources.includes(name));
      ofKind = sum(ofKind, Object.fromEntries(counted));
    }
    used = { ...used, ...ofKind };
  }
  return used;
}

/** Reports whether both have the same resources with equal quantities, in whatever units. */
export function isSameAmounts(a: Amounts, b: Amounts): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => b[name] !== undefined && quantityNanos(a[name]) === quantityNanos(b[name]))
  );
}
