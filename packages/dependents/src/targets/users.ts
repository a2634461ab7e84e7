/** The user as whom the objects of an owner are written, and what a name from a resource must not be. */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { Impersonation } from "@treadle/client";
import type { TargetAllowance, TargetUser } from "./types.ts";

/** Options of {@link serviceAccount}. */
export interface ServiceAccountOptions {
  /** The namespace of the service account. It must come from code, and never from a resource. @defaultValue the namespace of the owner */
  readonly namespace?: string;
}

/** Names a service account for the option `as` of a target. */
export function serviceAccount(name: string, { namespace }: ServiceAccountOptions = {}): TargetUser {
  return { type: "service-account", name, namespace };
}

/** Names a user for the option `as` of a target. A name that begins with `system:` must be in `allow.users`. */
export function user(name: string): TargetUser {
  return { type: "user", name };
}

/** A user that may be impersonated, or why not. */
export type Resolved = { readonly type: "allowed"; readonly as: Impersonation } | { readonly type: "refused"; readonly message: string };

/** Decides whether the objects of `owner` may be written as `given`. */
export function resolveUser(
  owner: KubernetesObject,
  given: TargetUser,
  options: { readonly groups: readonly string[]; readonly allow: TargetAllowance | undefined },
): Resolved {
  const { groups, allow } = options;
  const bad = groups.map((group) => groupProblem(group, allow?.groups)).find((problem) => problem !== undefined);
  if (bad !== undefined) return refused(bad);
  const named = given.type === "user" ? userName(given.name, allow?.users) : accountName(owner, given, allow?.serviceAccounts);
  if (named.type === "refused") return named;
  return { type: "allowed", as: { user: named.name, ...(groups.length === 0 ? {} : { groups }) } };
}

type Named = { readonly type: "named"; readonly name: string } | { readonly type: "refused"; readonly message: string };

function accountName(
  owner: KubernetesObject,
  { name, namespace = owner.metadata.namespace }: { readonly name: string; readonly namespace: string | undefined },
  allowed: readonly string[] | undefined,
): Named {
  if (!isName(name)) return refused(`${shown(name)} is not the name of a service account: write the name only, without ":" and "/"`);
  if (namespace === undefined)
    return refused(
      `the service account ${shown(name)} has no namespace: ${owner.kind} ${owner.metadata.name} has none; give one in code: serviceAccount(name, { namespace })`,
    );
  if (!isName(namespace)) return refused(`${shown(namespace)} is not the name of a namespace`);
  if (allowed !== undefined && !allowed.includes(name)) return refused(notListed("service account", name, "serviceAccounts"));
  return { type: "named", name: `system:serviceaccount:${namespace}:${name}` };
}

function userName(name: string, allowed: readonly string[] | undefined): Named {
  if (!isHeaderText(name)) return refused(`${shown(name)} is not the name of a user: write it in visible ASCII`);
  if (allowed !== undefined && !allowed.includes(name)) return refused(notListed("user", name, "users"));
  if (allowed === undefined && name.startsWith("system:")) return refused(`the user ${shown(name)} is not allowed: ${SYSTEM} "users"`);
  return { type: "named", name };
}

function groupProblem(group: string, allowed: readonly string[] | undefined): string | undefined {
  if (!isHeaderText(group) || group.includes(","))
    return `${shown(group)} is not the name of a group: write it in visible ASCII, without ","`;
  if (allowed !== undefined) return allowed.includes(group) ? undefined : notListed("group", group, "groups");
  return group.startsWith("system:") ? `the group ${shown(group)} is not allowed: ${SYSTEM} "groups"` : undefined;
}

const SYSTEM = `names that begin with "system:" must be listed in the operator's code: allow`;

function notListed(what: string, name: string, option: keyof TargetAllowance): string {
  return `the ${what} ${shown(name)} is not allowed: the operator's code lists others in allow.${option}`;
}

/** RFC 1123, as the server checks names of service accounts and namespaces. */
function isName(name: unknown): name is string {
  return typeof name === "string" && name.length <= 253 && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name);
}

/** Servers cut white space off the ends of a header, so that " system:masters" would be another group. */
function isHeaderText(text: unknown): text is string {
  return typeof text === "string" && text.length <= 1024 && /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text);
}

function shown(name: unknown): string {
  return JSON.stringify(typeof name === "string" ? name.slice(0, 100) : String(name).slice(0, 100));
}

function refused(message: string): { readonly type: "refused"; readonly message: string } {
  return { type: "refused", message };
}
