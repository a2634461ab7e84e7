/** The step state of a component, and what it remembers in this process. */
import { z } from "zod";

/** The clock of the grace period. It is stored while the component converges, or is interrupted while it did. */
export interface GraceClock {
  /** Generation of the owner for which the clock runs. */
  readonly generation: number;
  /** Digest of the desired state of each resource, by name. */
  readonly digests: Readonly<Record<string, string>>;
  /** Time that has passed before `since`, in milliseconds. */
  readonly spentMs: number;
  /** Time since which the clock runs, in milliseconds since 1970; absent while it stands still. */
  readonly sinceMs?: number | undefined;
}

/** The state. Each member is absent while it is not needed. */
export interface State {
  /** Time at which the component was allowed to begin, in RFC 3339. */
  passedAt?: string | undefined;
  grace?: GraceClock | undefined;
  /** Number of replicas of workloads before the suspension, by `Kind.group namespace/name`. */
  replicas?: Record<string, number> | undefined;
}

const GRACE = z.object({
  generation: z.number(),
  digests: z.record(z.string(), z.string()),
  spentMs: z.number(),
  sinceMs: z.number().optional(),
});

/** The schema of {@link State}. */
export const STATE: z.ZodObject = z.object({
  passedAt: z.string().optional().describe("Time at which the component was allowed to begin"),
  grace: GRACE.optional().describe("Clock of the grace period"),
  replicas: z.record(z.string(), z.number()).optional().describe("Number of replicas of workloads before the suspension"),
});

/** What a component remembers of one owner between passes. */
export class ComponentMemory {
  /** Digests of the desired states that were rendered last, by resource, then by object. */
  readonly digests: Map<string, Map<string, string>> = new Map();
  /** The component was logged as Healthy by grace only, and has not been ready since. */
  isLogged = false;
  /** Time since which only transient failures were seen, in milliseconds of the monotonic clock. */
  transientSinceMs: number | undefined;
  /** Time since which only removals with transient failures were seen, in milliseconds of the monotonic clock. */
  removalsFailSinceMs: number | undefined;
}
