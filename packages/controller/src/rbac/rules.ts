/** Makes RBAC rules of rights: as few as possible, in a stable order. A wildcard is in them only if a step asks for all rights. */
import type { Kind } from "@treadle/apimachinery";
import { type AnyHandler, type PermissionVerb } from "@treadle/reconcile";
import { PERMISSION_VERBS } from "@treadle/reconcile/unstable/engine";
import { type Right, rightsOf, type RightsOptions } from "./rights.ts";

/** A rule of a Role or a ClusterRole. */
export interface PolicyRule {
  /** The API groups; "" is the core group. */
  readonly apiGroups: readonly string[];
  /** The resources, such as `pods` or `pods/log`. */
  readonly resources: readonly string[];
  /** The verbs; `*`: all. */
  readonly verbs: readonly (PermissionVerb | "*")[];
  /** The names of the objects; absent for all objects. */
  readonly resourceNames?: readonly string[];
}

/** Options of {@link rbacRules}. */
export interface RbacRulesOptions extends RightsOptions {
  /** The namespaces that the manager watches, as in `createManager({ namespaces })`. @defaultValue all: every rule is in `cluster` */
  readonly namespaces?: readonly string[];
}

/** The rules of an operator, by scope. */
export interface RbacRules {
  /** The rules of a ClusterRole that is bound in the whole cluster. */
  readonly cluster: readonly PolicyRule[];
  /** The rules of a Role in each namespace; empty without `namespaces`. */
  readonly namespaced: readonly PolicyRule[];
}

/**
 * Makes exactly the rules that an operator of these handlers needs, from `reads`, `owns`, `watch`, `cleanup`, `writes`,
 * `state` and `permissions` of their steps. Pure: the same handlers give the same rules in the same order. A step that asks for
 * all rights gets a rule of wildcards, beside the rules that it would have without it.
 *
 * The rules of cluster-scoped kinds are in `cluster`, whatever the namespaces.
 * @throws TypeError for an empty list of namespaces
 */
export function rbacRules(handlers: AnyHandler | readonly AnyHandler[], options: RbacRulesOptions = {}): RbacRules {
  const { namespaces, ...of } = options;
  if (namespaces?.length === 0) throw new TypeError("rbacRules: namespaces is empty: name one, or leave it out for all");
  const rights = rightsOf(handlers, of);
  if (namespaces === undefined) return { cluster: rulesOf(rights), namespaced: [] };
  const isWide = ({ kind }: Right): boolean => kind.scope === "Cluster";
  return { cluster: rulesOf(rights.filter(isWide)), namespaced: rulesOf(rights.filter((right) => !isWide(right))) };
}

/** Rights of one resource become one entry; entries of one group with the same verbs become one rule. */
function rulesOf(rights: readonly Right[]): readonly PolicyRule[] {
  const entries = new Map<string, Entry>();
  for (const right of rights) {
    const { kind, subresource, verb } = right;
    const resource = resourceOf(kind, subresource);
    const names = right.names === undefined ? undefined : sortedNames(right.names);
    const id = JSON.stringify([kind.group, resource, names]);
    const entry = entries.get(id) ?? { group: kind.group, resource, names, verbs: new Set() };
    entries.set(id, entry);
    entry.verbs.add(verb);
  }
  const rules = new Map<string, { readonly entry: Entry; readonly resources: string[] }>();
  for (const entry of entries.values()) {
    const id = JSON.stringify([entry.group, entry.names, sorted(entry.verbs)]);
    const rule = rules.get(id) ?? { entry, resources: [] };
    rules.set(id, rule);
    rule.resources.push(entry.resource);
  }
  return [...rules.values()].map(({ entry: { group, names, verbs }, resources }) => ({
    apiGroups: [group],
    resources,
    verbs: sorted(verbs),
    ...(names === undefined ? {} : { resourceNames: names }),
  }));
}

interface Entry {
  readonly group: string;
  readonly resource: string;
  readonly names: readonly string[] | undefined;
  readonly verbs: Set<Right["verb"]>;
}

/**
 * Returns the comments of a rule: what the authors of steps say about its rights, one line for each reason, such as
 * `escalate roles.rbac.authorization.k8s.io: ...`. Pass the rights that the rule was made of.
 */
export function rbacComments(rule: PolicyRule, given: readonly Right[]): readonly string[] {
  const verbsByText = new Map<string, Set<Right["verb"]>>();
  const isIn = ({ kind, subresource, verb, names }: Right): boolean =>
    rule.apiGroups.includes(kind.group) &&
    rule.resources.includes(resourceOf(kind, subresource)) &&
    rule.verbs.includes(verb) &&
    sortedNames(names).join() === sortedNames(rule.resourceNames).join();
  for (const right of given) {
    if (right.isExplained !== true || !isIn(right)) continue;
    const text = `${rightTarget(right)}: ${right.because}`;
    verbsByText.set(text, (verbsByText.get(text) ?? new Set()).add(right.verb));
  }
  return [...verbsByText].map(([text, verbs]) => `${sorted(verbs).join(", ")} ${text}`);
}

/** Returns the resource of a right as a text for people, such as `deployments.apps/scale`. */
export function rightTarget({ kind: { group, plural }, subresource }: Pick<Right, "kind" | "subresource">): string {
  return `${plural}${group === "" ? "" : `.${group}`}${subresource === undefined ? "" : `/${subresource}`}`;
}

function sortedNames(names: readonly string[] | undefined): readonly string[] {
  return [...new Set(names)].toSorted();
}

function resourceOf({ plural }: Kind, subresource: string | undefined): string {
  return subresource === undefined ? plural : `${plural}/${subresource}`;
}

function sorted(verbs: Iterable<Right["verb"]>): readonly Right["verb"][] {
  const place = (verb: Right["verb"]): number => (verb === "*" ? -1 : PERMISSION_VERBS.indexOf(verb));
  return [...verbs].sort((a, b) => place(a) - place(b));
}
