/** Who sends a request, and the names that Kubernetes has for users and groups. */

/** Somebody on whose behalf requests are sent. */
export interface Identity {
  /** E.g. `alice`, or `system:serviceaccount:NAMESPACE:NAME`. */
  readonly user: string;
  /** Beside `system:authenticated`, which everybody but `system:anonymous` is in. @defaultValue of a service account its two groups */
  readonly groups?: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The same with all its groups, as the real server's `user.Info`. */
export interface UserInfo {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export const MASTERS = "system:masters";
export const AUTHENTICATED = "system:authenticated";
export const UNAUTHENTICATED = "system:unauthenticated";
const ANONYMOUS_NAME = "system:anonymous";

/** Who sends requests in this process, unless it says otherwise. */
export const ADMINISTRATOR: Identity = { user: "kubernetes-admin", groups: [MASTERS] };
export const ANONYMOUS: Identity = { user: ANONYMOUS_NAME };

export function userInfoOf({ user, groups, uid = "", extra = {} }: Identity): UserInfo {
  const given = [...(groups ?? groupsOfAccount(user))];
  const everybody = user === ANONYMOUS_NAME ? UNAUTHENTICATED : AUTHENTICATED;
  const isTold = given.includes(everybody) || (user !== ANONYMOUS_NAME && given.includes(UNAUTHENTICATED));
  return { name: user, uid, groups: isTold ? given : [...given, everybody], extra };
}

const ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** Of the name of a service account's user; undefined for others. */
export function accountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, name] = ACCOUNT.exec(user) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

export function accountName(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

export function groupsOfAccount(user: string): readonly string[] {
  const account = accountOf(user);
  return account === undefined ? [] : ["system:serviceaccounts", `system:serviceaccounts:${account.namespace}`];
}
