/** The step state of a component, and what it remembers in this process. */
import { GRACE_CLOCK, type GraceClock } from "@treadle/dependents/unstable/step";
import { TRANSIENT_MS } from "@treadle/reconcile/unstable/engine";
import { z } from "zod";

/** The state. Each member is absent while it is not needed. */
export interface State {
  /** Time at which the component was allowed to begin, in RFC 3339. */
  passedAt?: string | undefined;
  grace?: GraceClock | undefined;
  /** Number of replicas of workloads before the suspension, by `Kind.group namespace/name`. */
  replicas?: Record<string, number> | undefined;
}

/** The schema of {@link State}. */
export const STATE: z.ZodObject = z.object({
  passedAt: z.string().optional().describe("Time at which the component was allowed to begin"),
  grace: GRACE_CLOCK.optional().describe("Clock of the grace period"),
  replicas: z.record(z.string(), z.number()).optional().describe("Number of replicas of workloads before the suspension"),
});

/** What a component remembers of one owner between passes. */
export class ComponentMemory {
  /** Digests of the desired states that were rendered last, by resource, then by object. */
  readonly digests: Map<string, Map<string, string>> = new Map();
  /** The component was logged as Healthy by grace only, and has not been ready since. */
  isLogged = false;
  /** Transient failures of resources. */
  readonly resources: TransientFailures = new TransientFailures();
  /** Transient failures of removals, which come after the condition. */
  readonly removals: TransientFailures = new TransientFailures();
}

/** Transient failures without a success between them. They leave the condition as it is for a time. */
export class TransientFailures {
  /** Time of the first failure, in milliseconds of the monotonic clock. */
  #sinceMs: number | undefined;

  /** Notes a failure. Returns the time for which the condition stays, in milliseconds. */
  failed(nowMs: number): number {
    this.#sinceMs ??= nowMs;
    return Math.max(0, this.#sinceMs + TRANSIENT_MS - nowMs);
  }

  /** Notes a success, or a failure that is not transient. Returns 0: the condition reports what it is. */
  ended(): 0 {
    this.#sinceMs = undefined;
    return 0;
  }
}
