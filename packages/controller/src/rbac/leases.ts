/** What an operator with leader election may do with its leases, and no others. */
import { Lease } from "@treadle/apimachinery/kinds";
import type { InspectedManager } from "../inspect-managers.ts";
import { leaseNames } from "../leader-election/place.ts";
import type { Right } from "./rights.ts";
import type { PolicyRule } from "./rules.ts";

export interface Leases {
  readonly names: readonly string[];
  /** @defaultValue where the operator runs */
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

export function leaseRights({ names }: Leases): readonly Right[] {
  const because = "only one replica works: leader election";
  return [
    ...(["get", "list", "watch", "update"] as const).map((verb) => ({ kind: Lease, names, verb, because })),
    // What is not there yet has no name that a rule could give.
    { kind: Lease, verb: "create", because },
  ];
}

export function leaseRules({ names }: Leases): readonly PolicyRule[] {
  const common = { apiGroups: [Lease.group], resources: [Lease.plural] };
  return [
    { ...common, verbs: ["create"] },
    { ...common, verbs: ["get", "list", "watch", "update"], resourceNames: [...new Set(names)].sort() },
  ];
}
