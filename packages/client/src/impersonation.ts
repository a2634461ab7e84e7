/** Impersonation. RBAC must give the user of the credentials the right `impersonate`. */
import type { CredentialSource } from "./credentials.ts";

/** Names the user to act as. */
export interface Impersonation {
  /** Name of the user, such as `system:serviceaccount:ns:name`. */
  readonly user: string;
  /** Groups of the user. @defaultValue none */
  readonly groups?: readonly string[];
  /** Uid of the user. @defaultValue none */
  readonly uid?: string;
  /** Extra attributes of the user. @defaultValue none */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The headers of an impersonated request. Empty lists give no header. */
export function impersonationHeaders({ user, groups = [], uid, extra = {} }: Impersonation): Record<string, string | readonly string[]> {
  return {
    "impersonate-user": user,
    ...(uid === undefined ? {} : { "impersonate-uid": uid }),
    ...(groups.length === 0 ? {} : { "impersonate-group": groups }),
    ...Object.fromEntries(
      Object.entries(extra).flatMap(([key, values]) => (values.length === 0 ? [] : [[`impersonate-extra-${headerPart(key)}`, values]])),
    ),
  };
}

/**
 * Returns a source of the same credentials that acts as another user. It replaces an earlier impersonation.
 * @throws TypeError for an empty user name: the requests would have the rights of the credentials
 */
export function impersonating(source: CredentialSource, as: Impersonation): CredentialSource {
  if (typeof as.user !== "string" || as.user === "") throw new TypeError("cannot impersonate: user is empty; name the user to act as");
  const added = impersonationHeaders(as);
  return async (options) => {
    const credentials = await source(options);
    const own = Object.entries(credentials.headers ?? {}).filter(([name]) => !name.startsWith("impersonate-"));
    return { ...credentials, headers: { ...Object.fromEntries(own), ...added } };
  };
}

/** Header names allow few characters; the server decodes the others. */
function headerPart(key: string): string {
  return encodeURIComponent(key).replace(/[()]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}
