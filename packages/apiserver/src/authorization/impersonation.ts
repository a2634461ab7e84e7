/** Impersonation: the `Impersonate-*` headers, each of which needs a right. */
import type { ApiRequest } from "@treadle/apimachinery";
import { goQuote } from "../internal/json.ts";
import { badRequest } from "../errors/status-errors.ts";
import { forbidden, type ResourceAttributes } from "./attributes.ts";
import type { Authorizer } from "./authorizer.ts";
import { accountOf, AUTHENTICATED, groupsOfAccount, UNAUTHENTICATED, userInfoOf, type UserInfo } from "./identity.ts";

const EXTRA = "impersonate-extra-";

/** Returns the user that the request acts as: the sender, or the user in the headers. @throws StatusError 400, 403 */
export function actingUser({ headers }: Pick<ApiRequest, "headers">, requester: UserInfo, authorizer: Authorizer): UserInfo {
  const name = headers["impersonate-user"] ?? "";
  const uid = headers["impersonate-uid"] ?? "";
  const groups = splitHeader(headers["impersonate-group"]);
  const extra = extraOf(headers);
  if (name === "" && uid === "" && groups.length === 0 && extra.length === 0) return requester;
  if (name === "") throw badRequest(`requested ${described(groups, extra, uid)} without impersonating a user name`);
  const require = (wanted: Partial<ResourceAttributes> & { readonly resource: string }): void => {
    const nothing = { group: "", version: "", subresource: "", namespace: "", name: "" };
    const attributes: ResourceAttributes = { ...nothing, verb: "impersonate", ...wanted };
    const { isAllowed, reason } = authorizer.authorize(requester, attributes);
    if (!isAllowed) throw forbidden(requester, attributes, reason);
  };
  const account = accountOf(name);
  if (account === undefined) require({ resource: "users", name });
  else require({ resource: "serviceaccounts", ...account });
  for (const group of groups) require({ resource: "groups", name: group });
  for (const [key, value] of extra) require({ ...AUTHENTICATION, resource: "userextras", subresource: key, name: value });
  if (uid !== "") require({ ...AUTHENTICATION, resource: "uids", name: uid });
  const given = groups.length === 0 ? groupsOfAccount(name) : groups;
  const isTold = given.includes(AUTHENTICATED) || given.includes(UNAUTHENTICATED);
  const info = userInfoOf({ user: name, groups: given, uid, extra: grouped(extra) });
  return isTold && name !== "system:anonymous" ? { ...info, groups: given } : info;
}

const AUTHENTICATION = { group: "authentication.k8s.io", version: "v1" } as const;

/** Splits the values of several headers with one name, which arrive joined by commas. */
function splitHeader(value: string | undefined): readonly string[] {
  return value === undefined ? [] : value.split(",").flatMap((one) => (one.trim() === "" ? [] : [one.trim()]));
}

function extraOf(headers: ApiRequest["headers"]): readonly (readonly [string, string])[] {
  return Object.keys(headers)
    .filter((name) => name.startsWith(EXTRA))
    .flatMap((name) => splitHeader(headers[name]).map((value) => [decoded(name.slice(EXTRA.length)), value] as const));
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

function grouped(extra: readonly (readonly [string, string])[]): Readonly<Record<string, readonly string[]>> {
  const byKey: Record<string, string[]> = {};
  for (const [key, value] of extra) (byKey[key] ??= []).push(value);
  return byKey;
}

/** Returns the text that Go prints for a `user.DefaultInfo`. */
function described(groups: readonly string[], extra: readonly (readonly [string, string])[], uid: string): string {
  const texts = (values: readonly string[]): string => (values.length === 0 ? "[]string(nil)" : goList(values));
  const entries = Object.entries(grouped(extra)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const map = entries.map(([key, values]) => `${goQuote(key)}:${goList(values)}`).join(", ");
  const extras = entries.length === 0 ? "map[string][]string(nil)" : `map[string][]string{${map}}`;
  return `&user.DefaultInfo{Name:"", UID:${goQuote(uid)}, Groups:${texts(groups)}, Extra:${extras}}`;
}

function goList(values: readonly string[]): string {
  return `[]string{${values.map(goQuote).join(", ")}}`;
}
