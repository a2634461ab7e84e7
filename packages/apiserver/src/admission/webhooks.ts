/** Finds the webhooks that a request must pass, in the order in which they are called. */
import type { JsonObject } from "../internal/json.ts";
import { listAt, objectAt, textAt, textsAt } from "../internal/read.ts";
import type { ServedVersion } from "../storage/registry.ts";
import type { Store } from "../storage/store.ts";
import type { ClientConfig } from "./webhook-client.ts";
import { ADMISSION_GROUP, isSelected, type Matching, versionFor, type Wanted } from "./matching.ts";

export type Phase = "mutating" | "validating";

/**
 * A configured webhook with the defaults of the API. All webhooks are called in a dry run, because the API only stores those
 * without side effects.
 */
export interface Webhook extends Matching {
  readonly name: string;
  /** Unique id: the name of the configuration and that of the webhook. */
  readonly id: string;
  readonly isMutating: boolean;
  readonly clientConfig: ClientConfig;
  readonly failsOpen: boolean;
  readonly matchConditions: readonly { readonly name: string; readonly expression: string }[];
  readonly timeoutSeconds: number;
  readonly isReinvoked: boolean;
  readonly reviewVersions: readonly string[];
}

/** A webhook to call, and the version in which it gets the objects. */
export interface Invocation {
  readonly hook: Webhook;
  readonly version: ServedVersion;
}

const CONFIGURATIONS: Readonly<Record<Phase, string>> = {
  mutating: `mutatingwebhookconfigurations.${ADMISSION_GROUP}`,
  validating: `validatingwebhookconfigurations.${ADMISSION_GROUP}`,
};

/** Reports whether any configuration exists. Most servers have none. */
export function hasWebhooks(store: Store, phase: Phase): boolean {
  return store.collection(CONFIGURATIONS[phase]).size > 0;
}

/** Returns the webhooks of a phase, by the names of their configurations and in the order within each. */
export function webhooksOf(store: Store, phase: Phase): readonly Webhook[] {
  return store
    .collection(CONFIGURATIONS[phase])
    .all()
    .flatMap(({ object }) => {
      const hooks = listAt(object, "webhooks");
      return hooks.map((raw, index) => toWebhook(raw, `${phase}/${object.metadata.name}/${index}`, phase === "mutating"));
    });
}

/** Returns the invocation of a webhook, or `undefined` when the webhook does not match the request. `matchConditions` are checked later. */
export function invocationOf(store: Store, hook: Webhook, wanted: Wanted): Invocation | undefined {
  if (wanted.served.type.group === ADMISSION_GROUP) return undefined;
  const version = versionFor(hook, wanted);
  return version !== undefined && isSelected(store, hook, wanted) ? { hook, version } : undefined;
}

function toWebhook(raw: JsonObject, id: string, isMutating: boolean): Webhook {
  const conditions = listAt(raw, "matchConditions");
  return {
    name: textAt(raw, "name"),
    id,
    isMutating,
    clientConfig: objectAt(raw, "clientConfig"),
    rules: listAt(raw, "rules"),
    failsOpen: raw["failurePolicy"] === "Ignore",
    isExact: raw["matchPolicy"] === "Exact",
    namespaceSelector: objectAt(raw, "namespaceSelector"),
    objectSelector: objectAt(raw, "objectSelector"),
    matchConditions: conditions.map((one) => ({ name: textAt(one, "name"), expression: textAt(one, "expression") })),
    timeoutSeconds: typeof raw["timeoutSeconds"] === "number" ? raw["timeoutSeconds"] : 10,
    isReinvoked: raw["reinvocationPolicy"] === "IfNeeded",
    reviewVersions: textsAt(raw, "admissionReviewVersions"),
  };
}
