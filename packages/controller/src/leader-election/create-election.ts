/** Makes the election that a manager's options ask for. */
import type { AnyHandler } from "@treadle/reconcile";
import type { ManagerOptions } from "../manager-options.ts";
import { Election, type ElectionOptions } from "./election.ts";
import { leaseTimes } from "./options.ts";
import { handlerNames, leasePlace } from "./place.ts";

/** Returns undefined when every replica works. @throws ManagerError ERR_LEASE_NAME */
export async function createElection(
  { leaderElection, dryRun = false }: ManagerOptions,
  given: Omit<ElectionOptions, "leases" | "identity" | "handlers" | "times"> & {
    readonly handlers: readonly AnyHandler[];
    readonly namespace: string | undefined;
  },
): Promise<Election | undefined> {
  // A dry run does not write a lease either, so any number of them may run.
  if (leaderElection === undefined || leaderElection === false || dryRun !== false) return undefined;
  const options = leaderElection === true ? {} : leaderElection;
  const { handlers, namespace, ...rest } = given;
  const place = await leasePlace(options, { handlers, namespace });
  return new Election({ ...rest, ...place, handlers: handlerNames(handlers), times: leaseTimes(options) });
}
