/** Compares the rules and selectors of a webhook or a policy with a request. */
import { type LabelSelector, matchesLabels } from "@treadle/apimachinery";
import type { JsonObject } from "../internal/json.ts";
import { objectAt, textsAt } from "../internal/read.ts";
import type { Served, ServedVersion } from "../storage/registry.ts";
import type { Store } from "../storage/store.ts";

export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** The kind of an object. */
export interface ObjectKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A write, as webhooks and policies see it. */
export interface Wanted {
  readonly operation: Operation;
  readonly served: Served;
  readonly subresource: string;
  /** The kind of the objects, for a subresource that has one of its own. They are not converted. */
  readonly kind?: ObjectKind;
  readonly namespace: string;
  readonly name: string;
  readonly object: JsonObject | undefined;
  readonly oldObject: JsonObject | undefined;
}

export interface Matching {
  readonly rules: readonly JsonObject[];
  /** Whether rules match only the version of the request (`matchPolicy: Exact`). */
  readonly isExact: boolean;
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector: LabelSelector;
}

/** The group of webhooks and policies. They never apply to objects of this group, so a wrong one can always be removed. */
export const ADMISSION_GROUP = "admissionregistration.k8s.io";

/**
 * Returns the version of the kind that the rules match: that of the request, or else another one. With several rules the
 * first one decides. `undefined`: no rule matches.
 */
export function versionFor({ rules, isExact }: Pick<Matching, "rules" | "isExact">, wanted: Wanted): ServedVersion | undefined {
  const { type, version } = wanted.served;
  if (rules.some((rule) => ruleMatches(rule, wanted, version))) return version;
  if (isExact) return undefined;
  const others = type.versions.filter((one) => one.served && one !== version);
  return rules.flatMap((rule) => others.find((one) => ruleMatches(rule, wanted, one)) ?? [])[0];
}

/** Reports whether both selectors match. The object selector must match the new or the old object. */
export function isSelected(store: Store, { namespaceSelector, objectSelector }: Matching, wanted: Wanted): boolean {
  if (!matchesNamespace(store, namespaceSelector, wanted)) return false;
  const selects = (object: { readonly [field: string]: unknown } | undefined): boolean =>
    object !== undefined && matchesLabels(objectSelector, labelsOf(object));
  return selects(wanted.object) || selects(wanted.oldObject);
}

function ruleMatches(rule: JsonObject, wanted: Wanted, version: ServedVersion): boolean {
  const { operation, subresource, namespace, name } = wanted;
  const { type } = wanted.served;
  const has = (field: string, value: string): boolean => textsAt(rule, field).some((one) => one === "*" || one === value);
  const { scope } = rule;
  const isNamespaced = type.id !== "namespaces" && namespace !== "";
  if ((scope === "Namespaced" && !isNamespaced) || (scope === "Cluster" && isNamespaced)) return false;
  if (!has("operations", operation) || !has("apiGroups", version.group) || !has("apiVersions", version.version)) return false;
  const names = textsAt(rule, "resourceNames");
  if (names.length > 0 && !names.includes(name)) return false;
  return textsAt(rule, "resources").some((pattern) => {
    const [resource, sub = ""] = pattern.split("/");
    return (resource === "*" || resource === type.plural) && (sub === "*" || sub === subresource);
  });
}

/** A namespace selector matches each object without a namespace. Namespaces are matched by their own labels. */
function matchesNamespace(store: Store, selector: LabelSelector, wanted: Wanted): boolean {
  const { served, namespace, object, oldObject } = wanted;
  if (served.type.id === "namespaces") return matchesLabels(selector, labelsOf(object ?? oldObject ?? {}));
  if (namespace === "") return true;
  return matchesLabels(selector, store.collection("namespaces").get(namespace)?.object.metadata.labels);
}

function labelsOf(object: { readonly [field: string]: unknown }): Readonly<Record<string, string>> {
  return objectAt(object, "metadata", "labels") as Record<string, string>; // read by readMeta
}
