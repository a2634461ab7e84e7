/** Makes RBAC rules of rights: as few as possible, in a stable order, without wildcards. */
import type { Kind } from "@treadle/apimachinery";
import { type AnyHandler, type PermissionVerb } from "@treadle/reconcile";
import { PERMISSION_VERBS } from "@treadle/reconcile/unstable/engine";
import { type Right, rightsOf } from "./rights.ts";

/** A rule of a Role or a ClusterRole. */
export interface PolicyRule {
  /** The API groups; "" is the core group. */
  readonly apiGroups: readonly string[];
  /** The resources, such as `pods` or `pods/log`. */
  readonly resources: readonly string[];
  /** The verbs. */
  readonly verbs: readonly PermissionVerb[];
  /** The names of the objects; absent for all objects. */
  readonly resourceNames?: readonly string[];
}

/** Options of {@link rbacRules}. */
export interface RbacRulesOptions {
  /** The namespaces that the manager watches, as in `createManager({ namespaces })`. @defaultValue all: every rule is in `cluster` */
  readonly namespaces?: readonly string[];
  /** Whether the operator writes events; false: as in `createManager({ events: false })`. @defaultValue true */
  readonly events?: boolean;
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
 * `state` and `permissions` of their steps. Pure: the same handlers give the same rules in the same order.
 *
 * The rules of cluster-scoped kinds are in `cluster`, whatever the namespaces.
 * @throws TypeError for an empty list of namespaces
 */
export function rbacRules(handlers: AnyHandler | readonly AnyHandler[], options: RbacRulesOptions = {}): RbacRules {
  const { namespaces, events = true } = options;
  if (namespaces?.length === 0) throw new TypeError("rbacRules: namespaces is empty: name one, or leave it out for all");
  const rights = rightsOf(handlers, { events });
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
    const names = right.names === undefined ? undefined : [...new Set(right.names)].sort();
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
  readonly verbs: Set<PermissionVerb>;
}

function resourceOf({ plural }: Kind, subresource: string | undefined): string {
  return subresource === undefined ? plural : `${plural}/${subresource}`;
}

function sorted(verbs: Iterable<PermissionVerb>): readonly PermissionVerb[] {
  return [...verbs].sort((a, b) => PERMISSION_VERBS.indexOf(a) - PERMISSION_VERBS.indexOf(b));
}
