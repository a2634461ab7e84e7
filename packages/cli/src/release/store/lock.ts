/**
 * The lock of a release: one run changes it at a time. It is part of the Secret of the release, so each write of the holder proves that no
 * other run took the lock. Pure.
 *
 * It works as a Lease: a run takes a lock that another one holds only after it has seen for the whole duration that it is not renewed. No two
 * clocks are compared.
 */

/** A lock as it is stored. */
export interface Lock {
  /** Identifies the run. */
  readonly id: string;
  /** User, machine and process, for people. */
  readonly holder: string;
  /** What the run does, such as `apply`. */
  readonly command: string;
  /** When the run took the lock, as RFC 3339. */
  readonly since: string;
  /** When the run renewed the lock, as RFC 3339. Only a change of it counts. */
  readonly renewed: string;
}

/** Time for which a lock holds after it was renewed, in milliseconds. */
export const LOCK_MS = 15_000;
/** A run renews its lock before a write if this time has passed since the last renewal, in milliseconds. */
export const RENEW_MS = 5_000;

/** What a run knows of a lock that another run holds. */
export interface SeenLock {
  readonly lock: Lock;
  /** When the run first saw it in this state, in milliseconds of its own clock. */
  readonly atMs: number;
}

/** What a run may do. */
export type LockView =
  /** Take the lock. `former`: a run that no longer renews it. */
  | { readonly type: "free"; readonly former: Lock | undefined }
  /** Look again until the lock changes or expires. */
  | { readonly type: "unknown"; readonly seen: SeenLock; readonly leftMs: number }
  /** Another run is alive. */
  | { readonly type: "held"; readonly lock: Lock };

/** Judges the lock that was just read. `seen` is the result of the last look. */
export function viewOf(lock: Lock | undefined, seen: SeenLock | undefined, nowMs: number): LockView {
  if (lock === undefined) return { type: "free", former: undefined };
  if (seen === undefined) return { type: "unknown", seen: { lock, atMs: nowMs }, leftMs: LOCK_MS };
  if (seen.lock.id !== lock.id || seen.lock.renewed !== lock.renewed) return { type: "held", lock };
  const leftMs = seen.atMs + LOCK_MS - nowMs;
  return leftMs <= 0 ? { type: "free", former: lock } : { type: "unknown", seen, leftMs };
}

/** Reads a stored lock. One that is malformed is none: it protects nothing. */
export function lockIn(text: string | undefined): Lock | undefined {
  try {
    const value = JSON.parse(text ?? "null") as Partial<Lock> | null;
    const { id, holder, command = "change", since = "", renewed = "" } = value ?? {};
    return typeof id === "string" && typeof holder === "string" ? { id, holder, command, since, renewed } : undefined;
  } catch {
    return undefined;
  }
}
