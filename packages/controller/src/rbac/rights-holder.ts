/** What of a loaded program decides its rights. Pure. */
import type { AnyHandler } from "@treadle/reconcile";
import type { LoadedProgram } from "../program/load-program.ts";
import type { Runnable } from "../runnable.ts";
import { type Leases, leasesOf } from "./leases.ts";
import { reviewsAccess } from "./reviews.ts";

/** A program as the holder of rights: its parts are options of `rbacManifests`. */
export interface RightsHolder {
  /** The handlers. */
  readonly handlers: readonly AnyHandler[];
  /** The runnables that its managers start. */
  readonly runnables: readonly Runnable[];
  /** The namespaces that its managers watch; undefined: it has no manager, or one watches everything. */
  readonly namespaces: readonly string[] | undefined;
  /** The leases of its managers with leader election. */
  readonly leases: Leases | undefined;
  /** Whether one of its managers asks who may read its metrics. */
  readonly reviews: boolean;
  /** Whether one of its managers writes events. */
  readonly events: boolean;
}

/**
 * Returns what of a program decides its rights.
 * @param module the name of its module, for errors
 * @throws Error for leases in several namespaces; ManagerError ERR_LEASE_NAME for a lease without a name
 */
export function rightsHolderOf({ handlers, runnables, managers }: LoadedProgram, module: string): RightsHolder {
  const areas = managers.map(({ namespaces }) => namespaces);
  const leases = managers.flatMap((manager) => leasesOf(manager) ?? []);
  if (new Set(leases.map(({ namespace }) => namespace)).size > 1)
    throw new Error(`the managers of ${module} have leases in several namespaces: make the roles of each by a module of its own`);
  const isEverywhere = areas.length === 0 || areas.includes(undefined);
  return {
    handlers,
    runnables,
    namespaces: isEverywhere ? undefined : [...new Set(areas.flatMap((area) => area ?? []))],
    reviews: managers.some(reviewsAccess),
    events: managers.length === 0 || managers.some(({ events }) => events !== false),
    leases: leases[0] === undefined ? undefined : { names: leases.flatMap(({ names }) => names), namespace: leases[0].namespace },
  };
}
