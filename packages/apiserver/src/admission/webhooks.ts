/** Which webhooks of the stored configurations a request must pass, in the order in which they are called. */
import { type LabelSelector, matchesLabels } from "@treadle/apimachinery";
import { isObject, type JsonObject } from "../internal/json.ts";
import type { Served, ServedVersion } from "../registry.ts";
import type { Store, StoredObject } from "../storage.ts";

export type Operation = "CREATE" | "UPDATE" | "DELETE";

export type Phase = "mutating" | "validating";

/** A webhook as it is configured, with the defaults of the API. */
export interface Webhook {
  readonly name: string;
  /** Of its configuration and itself, unique. */
  readonly id: string;
  readonly isMutating: boolean;
  readonly clientConfig: ClientConfig;
  readonly rules: readonly JsonObject[];
  readonly failsOpen: boolean;
  readonly isExact: boolean;
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector: LabelSelector;
  readonly matchConditions: readonly { readonly name: string; readonly expression: string }[];
  readonly sideEffects: string;
  readonly timeoutSeconds: number;
  readonly isReinvoked: boolean;
  readonly reviewVersions: readonly string[];
}

export interface ClientConfig {
  readonly url?: string;
  readonly service?: { readonly namespace: string; readonly name: string; readonly path?: string; readonly port?: number };
  /** Base64 of PEM. */
  readonly caBundle?: string;
}

/** What is to be done, as webhooks see it. */
export interface Wanted {
  readonly operation: Operation;
  readonly served: Served;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly object: JsonObject | undefined;
  readonly oldObject: StoredObject | undefined;
}

/** A webhook that is to be called, and the version of the kind in which it wants the objects. */
export interface Invocation {
  readonly hook: Webhook;
  readonly version: ServedVersion;
}

const GROUP = "admissionregistration.k8s.io";
const CONFIGURATIONS: Readonly<Record<Phase, string>> = {
  mutating: `mutatingwebhookconfigurations.${GROUP}`,
  validating: `validatingwebhookconfigurations.${GROUP}`,
};

/** Whether there is any configuration: most servers have none. */
export function hasWebhooks(store: Store, phase: Phase): boolean {
  return store.collection(CONFIGURATIONS[phase]).size > 0;
}

/** The webhooks of a phase by the names of their configurations, in the order in which each lists them. */
export function webhooksOf(store: Store, phase: Phase): readonly Webhook[] {
  return store
    .collection(CONFIGURATIONS[phase])
    .all()
    .flatMap(({ object }) => {
      const { webhooks } = object;
      const hooks = Array.isArray(webhooks) ? webhooks.filter(isObject) : [];
      return hooks.map((raw, index) => toWebhook(raw, `${phase}/${object.metadata.name}/${index}`, phase === "mutating"));
    });
}

/** How a webhook is to be called, or undefined where it does not concern the request; its conditions are asked elsewhere. */
export function invocationOf(store: Store, hook: Webhook, wanted: Wanted): Invocation | undefined {
  // A webhook must not be able to keep itself from being removed.
  if (wanted.served.type.group === GROUP) return undefined;
  const version = versionFor(hook, wanted);
  if (version === undefined || !matchesNamespace(store, hook, wanted)) return undefined;
  const selects = (object: { readonly [field: string]: unknown } | undefined): boolean =>
    object !== undefined && matchesLabels(hook.objectSelector, labelsOf(object));
  return selects(wanted.object) || selects(wanted.oldObject) ? { hook, version } : undefined;
}

function toWebhook(raw: JsonObject, id: string, isMutating: boolean): Webhook {
  const conditions = Array.isArray(raw["matchConditions"]) ? raw["matchConditions"].filter(isObject) : [];
  return {
    name: text(raw, "name"),
    id,
    isMutating,
    clientConfig: isObject(raw["clientConfig"]) ? raw["clientConfig"] : {},
    rules: Array.isArray(raw["rules"]) ? raw["rules"].filter(isObject) : [],
    failsOpen: raw["failurePolicy"] === "Ignore",
    isExact: raw["matchPolicy"] === "Exact",
    namespaceSelector: isObject(raw["namespaceSelector"]) ? raw["namespaceSelector"] : {},
    objectSelector: isObject(raw["objectSelector"]) ? raw["objectSelector"] : {},
    matchConditions: conditions.map((one) => ({ name: text(one, "name"), expression: text(one, "expression") })),
    sideEffects: text(raw, "sideEffects"),
    timeoutSeconds: typeof raw["timeoutSeconds"] === "number" ? raw["timeoutSeconds"] : 10,
    isReinvoked: raw["reinvocationPolicy"] === "IfNeeded",
    reviewVersions: texts(raw, "admissionReviewVersions"),
  };
}

/** The version that a rule names: that of the request, else another one of the kind, unless only the exact one counts. */
function versionFor(hook: Webhook, wanted: Wanted): ServedVersion | undefined {
  const { type, version } = wanted.served;
  const fits = (one: ServedVersion): boolean => hook.rules.some((rule) => ruleMatches(rule, wanted, one));
  if (fits(version)) return version;
  return hook.isExact ? undefined : type.versions.find((one) => one.served && one !== version && fits(one));
}

function ruleMatches(rule: JsonObject, { served: { type }, operation, subresource, namespace }: Wanted, version: ServedVersion): boolean {
  const has = (field: string, value: string): boolean => texts(rule, field).some((one) => one === "*" || one === value);
  const { scope } = rule;
  const isNamespaced = type.id !== "namespaces" && namespace !== "";
  if ((scope === "Namespaced" && !isNamespaced) || (scope === "Cluster" && isNamespaced)) return false;
  if (!has("operations", operation) || !has("apiGroups", type.group) || !has("apiVersions", version.version)) return false;
  return texts(rule, "resources").some((pattern) => {
    const [resource, sub = ""] = pattern.split("/");
    return (resource === "*" || resource === type.plural) && (sub === "*" || sub === subresource);
  });
}

/** Objects without a namespace are not selected by one, but for namespaces, which have their own labels. */
function matchesNamespace(store: Store, { namespaceSelector }: Webhook, wanted: Wanted): boolean {
  const { served, namespace, object, oldObject } = wanted;
  if (served.type.id === "namespaces") return matchesLabels(namespaceSelector, labelsOf(object ?? oldObject ?? {}));
  if (namespace === "") return true;
  return matchesLabels(namespaceSelector, store.collection("namespaces").get(namespace)?.object.metadata.labels);
}

function labelsOf(object: { readonly [field: string]: unknown }): Readonly<Record<string, string>> {
  const { metadata } = object;
  const labels = isObject(metadata) ? metadata["labels"] : undefined;
  return isObject(labels) ? (labels as Record<string, string>) : {}; // read by readMeta
}

function text(object: JsonObject, field: string): string {
  const value = object[field];
  return typeof value === "string" ? value : "";
}

function texts(object: JsonObject, field: string): readonly string[] {
  const value = object[field];
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
