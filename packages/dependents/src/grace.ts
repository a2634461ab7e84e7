/** The grace clock: how long a component or a set has converged. Pure. */
import { z } from "zod";

/** The clock of a time limit. It is stored while the object converges, or is interrupted while it did. */
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

/** The schema of a {@link GraceClock} in the state of a step. */
export const GRACE_CLOCK: z.ZodObject = z.object({
  generation: z.number(),
  digests: z.record(z.string(), z.string()),
  spentMs: z.number(),
  sinceMs: z.number().optional(),
});

/** What decides whether the clock runs. */
export interface GraceFacts {
  /** The time, in milliseconds since 1970. */
  readonly nowMs: number;
  /** Generation of the owner. */
  readonly generation: number;
  /** Digest of the desired state of each resource that is known, by name. */
  readonly digests: Readonly<Record<string, string>>;
  /** `running`: it converges. `standing`: it waits for another cause, or fails. `over`: it is in its expected state. */
  readonly phase: "running" | "standing" | "over";
}

/** Returns the clock after a pass: the identical clock if nothing changes, `undefined` if no clock is needed. */
export function tick(clock: GraceClock | undefined, { nowMs, generation, digests, phase }: GraceFacts): GraceClock | undefined {
  if (phase === "over") return undefined;
  if (phase === "standing") {
    if (clock?.sinceMs === undefined) return clock;
    const { sinceMs, ...rest } = clock;
    return { ...rest, spentMs: clock.spentMs + Math.max(0, nowMs - sinceMs) };
  }
  if (clock === undefined || clock.generation !== generation || hasChanged(clock.digests, digests))
    return { generation, digests: { ...clock?.digests, ...digests }, spentMs: 0, sinceMs: nowMs };
  const isKnown = Object.keys(digests).every((name) => clock.digests[name] !== undefined);
  if (isKnown && clock.sinceMs !== undefined) return clock;
  return { ...clock, digests: { ...clock.digests, ...digests }, sinceMs: clock.sinceMs ?? nowMs };
}

/** A desired state that is seen for the first time is no change: its resource had to wait for another one. */
function hasChanged(before: Readonly<Record<string, string>>, now: Readonly<Record<string, string>>): boolean {
  return Object.entries(now).some(([name, digest]) => before[name] !== undefined && before[name] !== digest);
}

/** Returns the time for which the component has converged, in milliseconds. */
export function spentMs({ spentMs: before, sinceMs }: GraceClock, nowMs: number): number {
  return before + (sinceMs === undefined ? 0 : Math.max(0, nowMs - sinceMs));
}
