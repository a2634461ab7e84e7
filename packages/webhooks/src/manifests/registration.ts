/** The entries of the webhook configurations, and the conversion of a CRD. */
import { type ConversionWebhook, crdOf, type CustomResourceDefinition, type Kind } from "@treadle/apimachinery";
import type { AnyWebhooks } from "../definition.ts";
import { type CallType, callPath, entryName } from "../paths.ts";
import type { Operation, WebhookSelector } from "../types.ts";

/** The webhooks of one configuration entry. */
export interface WebhookEntry {
  /** The name, which is unique in the configuration. */
  readonly name: string;
  /** How the API server reaches the webhook. */
  readonly clientConfig: ConversionWebhook;
  /** Which requests are reviewed. */
  readonly rules: readonly [EntryRule];
  /** What happens without an answer. */
  readonly failurePolicy: "Fail" | "Ignore";
  /** Requests of other versions are reviewed as well; the API server converts their objects. */
  readonly matchPolicy: "Equivalent";
  /** The labels of namespaces; absent: all. */
  readonly namespaceSelector?: WebhookSelector;
  /** The labels of objects; absent: all. */
  readonly objectSelector?: WebhookSelector;
  /** Whether the webhook has side effects. */
  readonly sideEffects: "None" | "NoneOnDryRun";
  /** How long the API server waits, in seconds. */
  readonly timeoutSeconds: number;
  /** The versions of AdmissionReview. */
  readonly admissionReviewVersions: readonly ["v1"];
  /** CEL expressions that must all be true; absent: none. */
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
  /** Whether the webhook is asked again; only of mutating webhooks. */
  readonly reinvocationPolicy?: "Never" | "IfNeeded";
}

/** The requests that an entry reviews. */
export interface EntryRule {
  /** What clients do. */
  readonly operations: readonly Operation[];
  /** The group of the kind. */
  readonly apiGroups: readonly [string];
  /** The version of the kind. */
  readonly apiVersions: readonly [string];
  /** The plural of the kind, and its subresources. */
  readonly resources: readonly string[];
  /** Whether objects are in namespaces. */
  readonly scope: "Namespaced" | "Cluster";
}

/** What the API server must know of the webhooks of one kind. */
export interface WebhookRegistration {
  /** The entry of the MutatingWebhookConfiguration; `undefined` without `fill`. */
  readonly mutating: WebhookEntry | undefined;
  /** The entry of the ValidatingWebhookConfiguration; `undefined` without `problems`. */
  readonly validating: WebhookEntry | undefined;
  /** The CRD of an own kind, with its conversion; `undefined` for kinds of others, and for own kinds without `convert`. */
  readonly definition: CustomResourceDefinition | undefined;
}

/** What the entries depend on besides the webhooks. */
export interface RegistrationEnv {
  /** Returns how the API server calls a path. */
  clientConfig(path: string): ConversionWebhook;
  /** Namespaces that webhooks of kinds of others do not review by default. */
  readonly excluded: readonly string[];
}

/** Returns the registration of webhooks. */
export function registrationOf(webhooks: AnyWebhooks, env: RegistrationEnv): WebhookRegistration {
  const { kind, convert, fill, problems } = webhooks;
  const config = (type: CallType): ConversionWebhook => env.clientConfig(callPath(type, webhooks));
  const entry = (type: "mutate" | "validate"): WebhookEntry => entryOf(webhooks, config(type), { type, excluded: env.excluded });
  return {
    mutating: fill === undefined ? undefined : entry("mutate"),
    validating: problems === undefined ? undefined : entry("validate"),
    definition: Object.keys(convert).length === 0 ? undefined : crdOf(kind, { conversion: config("convert") }),
  };
}

/** Returns the operations of the entry for `fill`, which is not asked for others: they have no object to complete. */
function filledOperations({ on }: Pick<AnyWebhooks, "on">): readonly Operation[] {
  return on.filter((operation) => operation !== "DELETE" && operation !== "CONNECT");
}

function entryOf(
  webhooks: AnyWebhooks,
  clientConfig: ConversionWebhook,
  { type, excluded }: { readonly type: "mutate" | "validate"; readonly excluded: readonly string[] },
): WebhookEntry {
  const { kind, subresources, matchConditions, objectSelector, namespaceSelector = defaultNamespaces(kind, excluded) } = webhooks;
  const rule: EntryRule = {
    operations: type === "mutate" ? filledOperations(webhooks) : webhooks.on,
    apiGroups: [kind.group],
    apiVersions: [kind.version],
    resources: [kind.plural, ...subresources.map((subresource) => `${kind.plural}/${subresource}`)],
    scope: kind.scope,
  };
  return {
    name: entryName(webhooks),
    clientConfig,
    rules: [rule],
    failurePolicy: webhooks.failurePolicy,
    matchPolicy: "Equivalent",
    ...(namespaceSelector === undefined ? {} : { namespaceSelector }),
    ...(objectSelector === undefined ? {} : { objectSelector }),
    ...(matchConditions.length === 0 ? {} : { matchConditions }),
    sideEffects: webhooks.sideEffects,
    timeoutSeconds: webhooks.timeoutSeconds,
    admissionReviewVersions: ["v1"],
    ...(type === "mutate" ? { reinvocationPolicy: webhooks.reinvocation } : {}),
  };
}

/**
 * A namespace in which an own kind is not reviewed would be a way around its rules. For a kind of others, webhooks that fail must not keep
 * the cluster, or the operator itself, from coming up. Objects without a namespace have no labels of one, except namespaces.
 */
function defaultNamespaces(kind: Kind, excluded: readonly string[]): WebhookSelector | undefined {
  const isNamespace = kind.group === "" && kind.plural === "namespaces";
  if (kind.resource !== undefined || excluded.length === 0 || (kind.scope === "Cluster" && !isNamespace)) return undefined;
  return { matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "NotIn", values: [...new Set(excluded)].toSorted() }] };
}
