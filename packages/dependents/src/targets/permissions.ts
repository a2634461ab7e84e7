/** The rights to impersonate that a target needs in the cluster of the operator: for exactly what the code lists. */
import type { Kind } from "@treadle/apimachinery";
import type { Permission } from "@treadle/reconcile";
import type { TargetAllowance } from "./types.ts";

/** What the rights follow from. */
export interface ImpersonationRights {
  /** Whether the users come from a function. */
  readonly hasUser: boolean;
  readonly allow: TargetAllowance | undefined;
  readonly defaultServiceAccount: string | undefined;
}

/** Returns the rights of the operator to act as the users of a target. */
export function impersonationRights({ hasUser, allow, defaultServiceAccount }: ImpersonationRights): readonly Permission[] {
  const known = allow?.serviceAccounts;
  const byDefault = defaultServiceAccount === undefined ? [] : [defaultServiceAccount];
  // A code that lists users and no service accounts needs none of the latter, but for the default.
  const isAny = hasUser && known === undefined && allow?.users === undefined;
  const accounts = [...new Set([...(known ?? []), ...byDefault])];
  return [
    ...(isAny
      ? [right(ServiceAccount, undefined, "the resources name the service accounts as which their objects are written")]
      : accounts.length === 0
        ? []
        : [right(ServiceAccount, accounts, "objects are written as these service accounts")]),
    ...listed(User, allow?.users, "objects are written as these users"),
    ...listed(Group, allow?.groups, "objects are written with these groups"),
  ];
}

function listed(kind: Kind, names: readonly string[] | undefined, because: string): readonly Permission[] {
  return names === undefined || names.length === 0 ? [] : [right(kind, names, because)];
}

function right(kind: Kind, names: readonly string[] | undefined, because: string): Permission {
  return { kind, verbs: ["impersonate"], ...(names === undefined ? {} : { names }), because };
}

/** The resources of impersonation: users and groups are resources for authorization only. */
const ServiceAccount: Kind = { group: "", version: "v1", kind: "ServiceAccount", plural: "serviceaccounts", scope: "Namespaced" };
const User: Kind = { group: "", version: "v1", kind: "User", plural: "users", scope: "Cluster" };
const Group: Kind = { group: "", version: "v1", kind: "Group", plural: "groups", scope: "Cluster" };
