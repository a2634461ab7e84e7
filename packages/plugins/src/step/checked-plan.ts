/** The objects in an answer of a plugin, checked against what the plugin may give. Nothing of an answer with an error is applied. */
import { apiVersionOf, groupOf, isDns1123Subdomain, type Kind, type KubernetesObject } from "@treadle/apimachinery";
import { configured, type ConfiguredObject, type DependentState } from "@treadle/dependents";
import { truncate } from "@treadle/reconcile/unstable/engine";
import { PluginError } from "../plugin-error.ts";
import { printable } from "../shown.ts";
import type { GrantedKinds } from "../types.ts";
import { MAX_STATE_TEXT_LENGTH } from "../wire/codec.ts";
import type { PlannedDependent } from "../wire/messages.ts";

/** What an answer is checked against. */
export interface PlanRules {
  /** The name of the plugin. */
  readonly plugin: string;
  /** The kinds that this plugin may give. */
  readonly granted: GrantedKinds;
  readonly owner: KubernetesObject;
  readonly ownerKind: Kind;
  /** Prefixes of annotations that set policies: the operator decides these. */
  readonly reserved: readonly string[];
  /** Returns a text without the values of Secrets: a plugin may have them in names. */
  hide(text: string): string;
}

/** Returns the objects for the set. @throws PluginError NotGranted or InvalidAnswer */
export function checkedPlan(dependents: readonly PlannedDependent[], rules: PlanRules): readonly ConfiguredObject[] {
  const ids = new Map<string, string>();
  return dependents.map(({ id, object, config, state }) => {
    const refuse: Refuse = (code, problem) => refusal(rules.plugin, rules.hide(id), code, rules.hide(problem));
    const { apiVersion, kind } = object as { readonly apiVersion: string; readonly kind: string }; // The connection has checked both.
    const { granted, plugin } = rules;
    if (granted !== "any" && !granted.some((each) => each.kind === kind && apiVersionOf(each) === apiVersion))
      throw refuse("NotGranted", `is a ${kind} of ${apiVersion}, which is not granted: add the kind to kinds["${plugin}"] of pluginHost()`);
    // The server writes the token of any ServiceAccount into such a Secret, and the plugin would be sent it.
    if (apiVersion === "v1" && kind === "Secret" && object["type"] === "kubernetes.io/service-account-token")
      throw refuse("NotGranted", "is a Secret for the token of a ServiceAccount, which no plugin may give");
    const metadata = metadataOf(id, object["metadata"] ?? {}, rules, refuse);
    const isOwner =
      groupOf(apiVersion) === rules.ownerKind.group && kind === rules.ownerKind.kind && metadata.name === rules.owner.metadata.name;
    if (isOwner) throw refuse("InvalidAnswer", `is its owner, ${kind} ${metadata.name}: give it another name`);
    const key = [groupOf(apiVersion), kind, metadata.name].join(" ");
    const other = ids.get(key);
    if (other !== undefined) throw refuse("InvalidAnswer", `is ${kind} ${metadata.name}, as object "${other}": give it another name`);
    ids.set(key, id);
    return configured({ ...object, apiVersion, kind, metadata }, { ...config, id, state: state && printableState(state, rules.hide) });
  });
}

/** The status of the owner shows the state, on terminals as well. Values of Secrets are hidden before a cut, which would leave a part. */
function printableState({ attributes, ...state }: DependentState, hide: PlanRules["hide"]): DependentState {
  const short = (text: string): string => truncate(printable(hide(text)), MAX_STATE_TEXT_LENGTH);
  const message = short(state.message);
  if (attributes === undefined) return { ...state, message };
  return { ...state, message, attributes: attributes.map(({ name, value }) => ({ name: short(name), value: short(value) })) };
}

type RefusalCode = "NotGranted" | "InvalidAnswer";
type Refuse = (code: RefusalCode, problem: string) => Error;

/** Returns the error of an answer with such an object. */
export function refusal(plugin: string, id: string | undefined, code: RefusalCode, problem: string): PluginError {
  return new PluginError(code, `the answer of plugin "${plugin}" is refused, and nothing is applied: object "${id}" ${problem}`);
}

interface Metadata {
  readonly name: string;
  readonly namespace: string;
}

function metadataOf(id: string, given: unknown, { owner, reserved, hide }: PlanRules, refuse: Refuse): Metadata {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw refuse("InvalidAnswer", "has metadata that is not an object");
  const { namespace, name, labels, annotations, ...rest } = given as { readonly [field: string]: unknown };
  const { metadata } = owner;
  const others = Object.keys(rest);
  if (others.length > 0)
    throw refuse(
      "InvalidAnswer",
      `sets metadata.${hide(others[0] ?? "").slice(0, 100)}: only name, namespace, labels and annotations may be set`,
    );
  if (namespace !== undefined && namespace !== "" && namespace !== metadata.namespace)
    throw refuse("NotGranted", `is in namespace ${JSON.stringify(namespace)}: leave it out, objects are in the namespace of their owner`);
  const chosen = name === undefined || name === "" ? `${metadata.name}-${id}` : name;
  if (typeof chosen !== "string" || !isDns1123Subdomain(chosen))
    throw refuse(
      "InvalidAnswer",
      `has the name ${hide(JSON.stringify(chosen)).slice(0, 300)}, which is not valid: write a name such as "db-server"`,
    );
  const policy = Object.keys(annotations ?? {}).find((key) => reserved.some((prefix) => key.startsWith(`${prefix}/`)));
  if (policy !== undefined)
    throw refuse("NotGranted", `has the annotation ${policy}, which only the operator sets: use the config of the object`);
  return {
    name: chosen,
    namespace: metadata.namespace ?? "",
    ...(labels === undefined || labels === null ? {} : { labels }),
    ...(annotations === undefined || annotations === null ? {} : { annotations }),
  };
}
