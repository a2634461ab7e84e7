/** Identities of the senders of requests, and the names of the users and groups that Kubernetes defines. */

/** The user that a request is sent as. */
export interface Identity {
  /** Name of the user, such as `alice` or `system:serviceaccount:NAMESPACE:NAME`. */
  readonly user: string;
  /**
   * Groups of the user. `system:authenticated` is added for each user except `system:anonymous`.
   * @defaultValue the two groups of a service account, none for other users
   */
  readonly groups?: readonly string[];
  /** Uid of the user, such as that of the ServiceAccount. @defaultValue "" */
  readonly uid?: string;
  /** More attributes of the user, as in `userInfo.extra` of Kubernetes. @defaultValue none */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** An identity with all its groups, as `user.Info` of the real server. */
export interface UserInfo {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Group of administrators, who may do everything. */
export const MASTERS = "system:masters";
/** Group of all users except `system:anonymous`. */
export const AUTHENTICATED = "system:authenticated";
/** Group of `system:anonymous`. */
export const UNAUTHENTICATED = "system:unauthenticated";
const ANONYMOUS_NAME = "system:anonymous";

/** Default sender of requests in this process. */
export const ADMINISTRATOR: Identity = { user: "kubernetes-admin", groups: [MASTERS] };
/** Sender of requests without credentials. */
export const ANONYMOUS: Identity = { user: ANONYMOUS_NAME };

/** Completes an identity with its default groups. */
export function userInfoOf({ user, groups, uid = "", extra = {} }: Identity): UserInfo {
  const given = [...(groups ?? groupsOfAccount(user))];
  const everybody = user === ANONYMOUS_NAME ? UNAUTHENTICATED : AUTHENTICATED;
  const isTold = given.includes(everybody) || (user !== ANONYMOUS_NAME && given.includes(UNAUTHENTICATED));
  return { name: user, uid, groups: isTold ? given : [...given, everybody], extra };
}

const ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** Returns the service account of a user name, or `undefined` for other users. */
export function accountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, name] = ACCOUNT.exec(user) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

/** Returns the user name of a service account. */
export function accountName(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** Returns the groups of a service account's user, none for other users. */
export function groupsOfAccount(user: string): readonly string[] {
  const account = accountOf(user);
  return account === undefined ? [] : ["system:serviceaccounts", `system:serviceaccounts:${account.namespace}`];
}
