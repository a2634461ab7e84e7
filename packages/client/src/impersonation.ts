/** Acting as somebody else, which RBAC must allow to whom the credentials belong (the verb `impersonate`). */
import type { CredentialSource } from "./credentials.ts";

/** Whom to act as. */
export interface Impersonation {
  /** E.g. `system:serviceaccount:ns/name`. */
  readonly user: string;
  readonly groups?: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The headers of a request by somebody else. Empty lists are none. */
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
 * The same credentials, acting as somebody else; whoever they acted as before is left out.
 * @throws TypeError for an impersonation of nobody: it would have the rights of the credentials
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

/** Names of headers take few signs; the server decodes the others. */
function headerPart(key: string): string {
  return encodeURIComponent(key).replace(/[()]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}
