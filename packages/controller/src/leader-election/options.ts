/** Options of the leader election: which replica of an operator works. */
import { isDns1123Label, isDns1123Subdomain } from "@treadle/apimachinery";

/** Options of the leader election. */
export interface LeaderElectionOptions {
  /** The name of the Lease. @defaultValue the name of the handler; required for a manager with several handlers */
  readonly name?: string;
  /** The namespace of the Lease. @defaultValue that of the pod; outside of a cluster that of the kubeconfig's context, else "default" */
  readonly namespace?: string;
  /**
   * Leases of former versions, or of an operator that this one replaces. A leader holds them as well, so that the two never
   * work at the same time. They are in the same namespace, and are taken first, in this order.
   */
  readonly formerNames?: readonly string[];
  /** The unique identity of this process. @defaultValue host name (in a pod: its name) and a random UUID */
  readonly identity?: string;
  /** Time that other replicas wait after the last renewal that they saw, in milliseconds; whole seconds. @defaultValue 15_000 */
  readonly leaseDurationMs?: number;
  /**
   * Time without a renewal after which a leader stops, in milliseconds. It must be shorter than the lease by the time that a
   * write may take on its way. @defaultValue 10_000
   */
  readonly renewDeadlineMs?: number;
  /** Time between two renewals, and between two reads of a lease that another replica holds, in milliseconds. @defaultValue 2_000 */
  readonly retryPeriodMs?: number;
}

/** The times of one lease. */
export interface LeaseTimes {
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

/** client-go `leaderelection.JitterFactor`. */
export const JITTER_FACTOR = 1.2;

/** With the defaults of client-go. */
export function leaseTimes({
  leaseDurationMs = 15_000,
  renewDeadlineMs = 10_000,
  retryPeriodMs = 2_000,
}: LeaderElectionOptions): LeaseTimes {
  return { leaseDurationMs, renewDeadlineMs, retryPeriodMs };
}

/** Checks the options of a manager. @throws RangeError that names the option and its valid values */
export function checkLeaderElection(options: LeaderElectionOptions): void {
  const { name, namespace, formerNames = [], identity } = options;
  const refuse = (problem: string): never => {
    throw new RangeError(`createManager: leaderElection.${problem}`);
  };
  for (const each of [...(name === undefined ? [] : [name]), ...formerNames])
    if (typeof each !== "string" || !isDns1123Subdomain(each)) refuse(`name ${JSON.stringify(each)} is not a valid name of a Lease`);
  if (new Set([...formerNames, name]).size <= formerNames.length) refuse("formerNames names a lease twice, or the present one");
  if (namespace !== undefined && (typeof namespace !== "string" || !isDns1123Label(namespace)))
    refuse(`namespace ${JSON.stringify(namespace)} is not a valid name of a namespace`);
  if (identity !== undefined && (typeof identity !== "string" || identity.trim() === ""))
    refuse("identity is empty: leave it out, or name the process");
  checkTimes(leaseTimes(options), refuse);
}

function checkTimes({ leaseDurationMs, renewDeadlineMs, retryPeriodMs }: LeaseTimes, refuse: (problem: string) => never): void {
  for (const [option, ms] of Object.entries({ leaseDurationMs, renewDeadlineMs, retryPeriodMs }))
    if (!(Number.isFinite(ms) && ms > 0 && ms <= MAX_MS)) refuse(`${option} is ${String(ms)}: give milliseconds above 0`);
  if (leaseDurationMs % 1000 !== 0) refuse(`leaseDurationMs is ${leaseDurationMs}: a Lease knows whole seconds only`);
  if (renewDeadlineMs >= leaseDurationMs)
    refuse(`renewDeadlineMs (${renewDeadlineMs}) must be less than leaseDurationMs (${leaseDurationMs}), or two could lead at once`);
  if (renewDeadlineMs <= JITTER_FACTOR * retryPeriodMs)
    refuse(
      `renewDeadlineMs (${renewDeadlineMs}) must be more than ${JITTER_FACTOR} times retryPeriodMs (${retryPeriodMs}), to leave a second try`,
    );
}

/** The longest that a Lease can say in seconds (an int32), and a timer of Node in milliseconds. */
const MAX_MS = 2 ** 31 - 1;
