/** The rights of an operator with leader election: on its own leases only. */
import { Lease } from "@treadle/apimachinery/kinds";
import type { InspectedManager } from "../inspect-managers.ts";
import { leaseNames } from "../leader-election/place.ts";
import type { Right } from "./rights.ts";
import type { PolicyRule } from "./rules.ts";

/** The leases of an operator. */
export interface Leases {
  /** The names of the leases. */
  readonly names: readonly string[];
  /** The namespace of the leases. @defaultValue that of the operator */
  readonly namespace?: string | undefined;
}

/**
 * The leases of a manager; undefined without leader election.
 *
 * @throws ManagerError ERR_LEASE_NAME when it has several handlers and names none
 */
export function leasesOf({ leaderElection, handlers }: InspectedManager): Leases | undefined {
  if (leaderElection === undefined || leaderElection === false) return undefined;
  const options = leaderElection === true ? {} : leaderElection;
  return { names: leaseNames(options, handlers), namespace: options.namespace };
}

/** The rights on the leases. */
export function leaseRights({ names }: Leases): readonly Right[] {
  const because = "only one replica works: leader election";
  return [
    ...(["get", "list", "watch", "update"] as const).map((verb) => ({ kind: Lease, names, verb, because })),
    // The server does not know the name of an object that is being created.
    { kind: Lease, verb: "create", because },
  ];
}

/** The rules for the rights on the leases. */
export function leaseRules({ names }: Leases): readonly PolicyRule[] {
  const common = { apiGroups: [Lease.group], resources: [Lease.plural] };
  return [
    { ...common, verbs: ["create"] },
    { ...common, verbs: ["get", "list", "watch", "update"], resourceNames: [...new Set(names)].sort() },
  ];
}
