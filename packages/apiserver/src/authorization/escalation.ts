/** Prevents escalation: a user can only give rights that the user has. Checks writes of roles and bindings (kubernetes `registry/rbac`). */
import { jsonEqual } from "@treadle/apimachinery";
import { goQuote, isObject } from "../internal/json.ts";
import { objectAt } from "../internal/read.ts";
import { forbiddenError, notFound, type StatusError } from "../errors/status-errors.ts";
import type { Store } from "../storage/store.ts";
import type { Draft, StoredObject } from "../storage/stored-object.ts";
import type { ResourceAttributes } from "./attributes.ts";
import {
  aggregated,
  type Authorizer,
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  ROLE_BINDINGS,
  ROLES,
  rulesIn,
  rulesOfRole,
} from "./authorizer.ts";
import { MASTERS, type UserInfo } from "./identity.ts";
import { describeRules, goTexts, type PolicyRule, uncovered } from "./rules.ts";

export interface RoleWrite {
  /** Id of the kind that is written. */
  readonly id: string;
  readonly user: UserInfo;
  readonly draft: Draft;
  readonly live: StoredObject | undefined;
  readonly store: Store;
  readonly authorizer: Authorizer;
  /** Name in the path; empty for a create. */
  readonly nameInPath: string;
}

const GROUP = "rbac.authorization.k8s.io";

/** Checks a write of a role or a binding; ignores other kinds. @throws StatusError 403 for rights that the user does not have */
export function checkEscalation(write: RoleWrite): void {
  const { id, user, draft, live } = write;
  const isRole = id === ROLES || id === CLUSTER_ROLES;
  if ((!isRole && id !== ROLE_BINDINGS && id !== CLUSTER_ROLE_BINDINGS) || user.groups.includes(MASTERS)) return;
  if (live !== undefined && isGarbageWork(draft, live)) return;
  if (isRole) checkRole(write);
  else checkBinding(write);
}

function checkRole(write: RoleWrite): void {
  const { id, draft, live } = write;
  const resource = plural(id);
  const escalate = { verb: "escalate", resource, namespace: namespaceOf(draft), name: write.nameInPath };
  if (isAllowed(write, escalate)) return;
  checkHeld(write, rulesIn(draft));
  if (!isAggregated(draft) && (live === undefined || !isAggregated(live))) return;
  if (missing(write, EVERYTHING).length > 0) throw refused(write, "must have cluster-admin privileges to use the aggregationRule");
}

function checkBinding(write: RoleWrite): void {
  const { draft, store } = write;
  const roleRef = objectAt(draft, "roleRef");
  const { kind, name = "" } = roleRef as { readonly kind?: string; readonly name?: string }; // decoded by its schema
  const namespace = namespaceOf(draft);
  const resource = kind === "Role" ? "roles" : "clusterroles";
  if (isAllowed(write, { verb: "bind", resource, namespace, name })) return;
  const rules = rulesOfRole(store, roleRef, namespace);
  if (typeof rules !== "string") return checkHeld(write, rules);
  // Validation refuses a reference to anything but a role.
  if (kind === "Role" || kind === "ClusterRole") throw notFound({ group: GROUP, resource: plural(write.id) }, name);
}

/** Checks that the user has all rights of the rules. @throws StatusError 403 */
function checkHeld(write: RoleWrite, rules: readonly PolicyRule[]): void {
  const { user, authorizer, draft } = write;
  const lacking = missing(write, rules);
  if (lacking.length === 0) return;
  const { errors } = authorizer.rulesFor(user, namespaceOf(draft));
  const resolution = errors.length === 0 ? "" : `; resolution errors: [${aggregated(errors)}]`;
  const who = `user ${goQuote(user.name)} (groups=${goTexts(user.groups)})`;
  const what = describeRules(lacking).join("\n");
  throw refused(write, `${who} is attempting to grant RBAC permissions not currently held:\n${what}${resolution}`);
}

function missing({ user, authorizer, draft }: RoleWrite, rules: readonly PolicyRule[]): readonly PolicyRule[] {
  return uncovered(authorizer.rulesFor(user, namespaceOf(draft)).rules, rules);
}

function isAllowed({ user, authorizer }: RoleWrite, wanted: Pick<ResourceAttributes, "verb" | "resource" | "namespace" | "name">): boolean {
  return authorizer.authorize(user, { group: GROUP, version: "*", subresource: "", ...wanted }).isAllowed;
}

function refused({ id, draft }: RoleWrite, cause: string): StatusError {
  return forbiddenError({ group: GROUP, resource: plural(id) }, draft.metadata.name ?? "", cause);
}

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

function isAggregated(role: { readonly [field: string]: unknown }): boolean {
  const { aggregationRule } = role;
  const selectors = isObject(aggregationRule) ? aggregationRule["clusterRoleSelectors"] : undefined;
  return Array.isArray(selectors) && selectors.length > 0;
}

/** Reports whether only fields changed that the garbage collector writes. These give no rights. */
function isGarbageWork(draft: Draft, live: StoredObject): boolean {
  const rest = ({ metadata, ...fields }: { readonly metadata: object }): unknown => {
    const { ownerReferences: _, finalizers: __, managedFields: ___, ...meta } = metadata as Readonly<Record<string, unknown>>; // any fields
    return { ...fields, metadata: meta };
  };
  return jsonEqual(rest(draft), rest(live));
}

function namespaceOf(draft: Draft): string {
  return draft.metadata.namespace ?? "";
}

function plural(id: string): string {
  return id.slice(0, id.indexOf("."));
}
