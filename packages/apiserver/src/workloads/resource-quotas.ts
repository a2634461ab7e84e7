/**
 * The ResourceQuota controller: copies the limits of a quota to its status, and counts again what its namespace uses. What
 * new objects use is added by admission (`quota/admission.ts`), so only what ends must be counted here.
 */
import { jsonEqual, keyOf } from "@treadle/apimachinery";
import { ResourceQuota } from "@treadle/apimachinery/kinds";
import type { JsonObject } from "../internal/json.ts";
import { evaluatorOf } from "../quota/evaluators.ts";
import { isSameAmounts, usageOf } from "../quota/usage.ts";
import type { Change } from "../storage/store.ts";
import type { Context, Controller } from "./controller.ts";

const NAME = "resourcequota-controller";

export function resourceQuotas({ clock, objects, store, registry, as }: Context): Controller {
  const write = as(NAME);
  return {
    name: NAME,
    kind: ResourceQuota,
    // Its own writes, and those of admission, change the status only.
    isFor: (quota: ResourceQuota, previous: ResourceQuota | undefined) =>
      previous === undefined || !isSameAmounts(quota.spec?.hard ?? {}, previous.spec?.hard ?? {}),
    follows(id, change) {
      // A new CRD brings a kind that a quota may count.
      if (id === DEFINITIONS) return objects.list(ResourceQuota).map(({ metadata }) => keyOf(metadata));
      const quotas = change.type === "ADDED" ? [] : objects.list(ResourceQuota, change.entry.namespace);
      if (quotas.length === 0 || !isRelease(id, change)) return [];
      return quotas.map(({ metadata }) => keyOf(metadata));
    },
    async sync(key) {
      const quota = objects.get(ResourceQuota, key);
      if (quota === undefined) return undefined;
      const hard = quota.spec?.hard ?? {};
      const before = quota.status?.used ?? {};
      const counted = usageOf(quota, { store, types: [...registry.types()], nowMs: clock.now() });
      const used = Object.fromEntries(Object.entries({ ...before, ...counted }).filter(([name]) => hard[name] !== undefined));
      const isKnown = quota.status?.hard !== undefined && quota.status.used !== undefined;
      if (isKnown && jsonEqual(quota.status?.hard, hard) && isSameAmounts(before, used)) return undefined;
      await write.updateStatus(ResourceQuota, { ...quota, status: { hard, used } } as ResourceQuota);
      return undefined;
    },
  };

  /** Reports whether a change can let its namespace use less. */
  function isRelease(id: string, { type, entry, previous }: Change): boolean {
    const served = registry.type(id);
    const evaluator = served === undefined ? undefined : evaluatorOf(served);
    if (type === "DELETED") return evaluator !== undefined;
    // Stored objects are JSON.
    const [object, before] = [entry.object, previous?.object] as unknown as readonly [JsonObject, JsonObject];
    return evaluator?.releases?.(object, before, clock.now()) === true;
  }
}

const DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io";
