/** Decides what a user may do: by the roles and bindings in the store, or everything. */
import { goQuote, isObject } from "../internal/json.ts";
import { listAt } from "../internal/read.ts";
import { keyFor, type Store } from "../storage/store.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import type { Attributes } from "./attributes.ts";
import { accountName, MASTERS, type UserInfo } from "./identity.ts";
import { type PolicyRule, ruleAllows } from "./rules.ts";

export interface Decision {
  readonly isAllowed: boolean;
  /** Reason in the words of the real server; may be empty. */
  readonly reason: string;
}

export interface Authorizer {
  authorize(user: UserInfo, attributes: Attributes): Decision;
  /** Returns the rules of a user in a namespace, and the errors of roles that could not be read. */
  rulesFor(user: UserInfo, namespace: string): { readonly rules: readonly PolicyRule[]; readonly errors: readonly string[] };
}

/** Allows everything. */
export const ALLOW_ALL: Authorizer = {
  authorize: () => ({ isAllowed: true, reason: "" }),
  rulesFor: () => ({
    rules: [
      { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
      { verbs: ["*"], nonResourceURLs: ["*"] },
    ],
    errors: [],
  }),
};

export const ROLES = "roles.rbac.authorization.k8s.io";
export const ROLE_BINDINGS = "rolebindings.rbac.authorization.k8s.io";
export const CLUSTER_ROLES = "clusterroles.rbac.authorization.k8s.io";
export const CLUSTER_ROLE_BINDINGS = "clusterrolebindings.rbac.authorization.k8s.io";

export interface RoleRef {
  readonly kind?: string;
  readonly name?: string;
  readonly apiGroup?: string;
}

interface Subject {
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
}

/** The rules that a binding gives, or the reason why it gives none. */
interface Grant {
  readonly source: string;
  readonly rules: readonly PolicyRule[] | string;
}

/** Reads the store for each decision, so a right is effective as soon as its objects are stored. */
export class RbacAuthorizer implements Authorizer {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  authorize(user: UserInfo, attributes: Attributes): Decision {
    if (user.groups.includes(MASTERS)) return { isAllowed: true, reason: "" };
    const errors: string[] = [];
    for (const { source, rules } of this.#grants(user, "namespace" in attributes ? attributes.namespace : "")) {
      if (typeof rules === "string") errors.push(rules);
      else if (rules.some((rule) => ruleAllows(rule, attributes))) return { isAllowed: true, reason: `RBAC: allowed by ${source}` };
    }
    return { isAllowed: false, reason: errors.length === 0 ? "" : `RBAC: ${aggregated(errors)}` };
  }

  rulesFor(user: UserInfo, namespace: string): { readonly rules: readonly PolicyRule[]; readonly errors: readonly string[] } {
    const grants = [...this.#grants(user, namespace)];
    return {
      rules: grants.flatMap(({ rules }) => (typeof rules === "string" ? [] : rules)),
      errors: grants.flatMap(({ rules }) => (typeof rules === "string" ? [rules] : [])),
    };
  }

  *#grants(user: UserInfo, namespace: string): Generator<Grant> {
    for (const { object } of this.#store.collection(CLUSTER_ROLE_BINDINGS).all()) yield* grantOf(this.#store, user, object, "");
    if (namespace === "") return;
    for (const entry of this.#store.collection(ROLE_BINDINGS).all())
      if (entry.namespace === namespace) yield* grantOf(this.#store, user, entry.object, namespace);
  }
}

/** Returns the rules of a role, or the reason why there are none. */
export function rulesOfRole(store: Store, { kind = "", name = "" }: RoleRef, namespace: string): readonly PolicyRule[] | string {
  if (kind !== "Role" && kind !== "ClusterRole") return `unsupported role reference kind: ${goQuote(kind)}`;
  const collection = kind === "Role" ? ROLES : CLUSTER_ROLES;
  const role = store.collection(collection).get(keyFor(kind === "Role" ? namespace : "", name));
  if (role === undefined) return `${kind.toLowerCase()}.rbac.authorization.k8s.io ${goQuote(name)} not found`;
  return rulesIn(role.object);
}

export function rulesIn(role: { readonly [field: string]: unknown }): readonly PolicyRule[] {
  return listAt(role, "rules");
}

/** Joins several errors as Go's `NewAggregate` does. */
export function aggregated(errors: readonly string[]): string {
  const different = [...new Set(errors)];
  return different.length === 1 ? (different[0] ?? "") : `[${different.join(", ")}]`;
}

function* grantOf(store: Store, user: UserInfo, binding: StoredObject, namespace: string): Generator<Grant> {
  const subjects = Array.isArray(binding["subjects"]) ? (binding["subjects"] as readonly Subject[]) : []; // decoded by its schema
  const subject = subjects.find((one) => isMeant(one, user, namespace));
  if (subject === undefined) return;
  const roleRef = isObject(binding["roleRef"]) ? (binding["roleRef"] as RoleRef) : {}; // decoded by its schema
  const { name } = binding.metadata;
  const [kind, shown] = namespace === "" ? ["ClusterRoleBinding", name] : ["RoleBinding", `${name}/${namespace}`];
  const source = `${kind} ${goQuote(shown)} of ${roleRef.kind} ${goQuote(roleRef.name ?? "")} to ${describeSubject(subject, namespace)}`;
  yield { source, rules: rulesOfRole(store, roleRef, namespace) };
}

function isMeant(subject: Subject, user: UserInfo, namespace: string): boolean {
  const { kind, name = "" } = subject;
  if (kind === "User") return user.name === name;
  if (kind === "Group") return user.groups.includes(name);
  const of = subject.namespace || namespace;
  return kind === "ServiceAccount" && of !== "" && user.name === accountName(of, name);
}

function describeSubject({ kind = "", name = "", namespace }: Subject, ofBinding: string): string {
  return `${kind} ${goQuote(kind === "ServiceAccount" ? `${name}/${namespace || ofBinding}` : name)}`;
}
