/** Decides whether applying the desired state would change the object, without asking the server. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { type Body, digestOf } from "./body.ts";
import type { Context } from "./context.ts";
import { digestAnnotation, digestOfKept, managerOf, refTo } from "./marks.ts";
import type { ObjectMemory } from "./memory.ts";
import { appliedFields, extractOwned, firstDifference } from "./owned-fields.ts";
import { formerNames, formerUnits } from "./ownership.ts";
import type { Policy } from "./plan.ts";

interface Sides {
  readonly body: Body;
  readonly live: KubernetesObject;
  readonly memory: ObjectMemory;
}

/** Where applying would change something, as a path or a sentence; `undefined` where nothing would change. */
export function differenceOf(context: Context, policy: Policy, { body, live: given, memory }: Sides): string | undefined {
  const { uid, resourceVersion } = given.metadata;
  const live = withManagedFields(context, policy, given);
  if (claimedNames(context, live).length > 0) return "in what its handler left there under a former name";
  const known = memory.applied;
  const digest = digestOf(body);
  const isKnown = known?.uid === uid && known?.wanted === digest;
  if (isKnown && known?.resourceVersion !== undefined && known.resourceVersion === resourceVersion) return undefined;
  const owned = appliedFields(live, managerOf(context));
  if (owned === undefined) return "in whom its fields belong to";
  if (formerUnits(context, policy, live).length > 0) return `in what another ${context.unitNoun} left there`;
  const key = digestAnnotation(context.handlerName);
  const wasApplied = body.metadata.annotations?.[key];
  const isOurs = wasApplied !== undefined;
  const path = (trust: boolean): string | undefined => firstDifference(body, live, { owned, trust });
  // The desired state is another one than what was applied, and fields that a user added by our manager are reverted.
  const applied = live.metadata.annotations?.[key];
  const isKept = isOurs && policy.onImmutable === "ignore" && applied === digestOfKept(wasApplied);
  if (isOurs && applied !== wasApplied && !isKept) return `at ${path(false) ?? "what was applied"}`;
  const stored = digestOf(extractOwned(live, owned));
  const difference = isKnown && known?.stored === stored ? undefined : path(isOurs);
  if (difference !== undefined) return `at ${difference}`;
  memory.applied = { uid, wanted: digest, stored: isKnown ? known?.stored : stored, resourceVersion };
  return undefined;
}

/** Remembers what the server made of `body`. */
export function noteApplied(context: Context, { body, live, memory }: Sides): void {
  const owned = appliedFields(live, managerOf(context));
  const { uid, resourceVersion } = live.metadata;
  const stored = owned === undefined ? undefined : digestOf(extractOwned(live, owned));
  memory.applied = { uid, wanted: digestOf(body), stored, resourceVersion };
}

/** The former names of the handler whose fields must be removed in this pass. */
export function claimedNames(context: Context, live: KubernetesObject): readonly string[] {
  const names = formerNames(context, live);
  return names.length > 0 && context.claims(`dependent ${context.unit}`) ? names : [];
}

/** Fetched objects come without managedFields; the metadata in the cache has ours, if it is of the same version. */
export function withManagedFields({ cache }: Context, { kind, isWatched }: Policy, live: KubernetesObject): KubernetesObject {
  if (live.metadata.managedFields !== undefined || kind.cachedAs !== "metadata" || !isWatched) return live;
  const cached: KubernetesObject | undefined = cache.get(kind, refTo(live));
  const managedFields = cached?.metadata.resourceVersion === live.metadata.resourceVersion ? cached?.metadata.managedFields : undefined;
  return managedFields === undefined ? live : { ...live, metadata: { ...live.metadata, managedFields } };
}
