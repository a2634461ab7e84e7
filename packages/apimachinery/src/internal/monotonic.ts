/**
 * The time of day made of two clocks, so that differences of it can be trusted: one that is set by people and NTP, and one
 * that only ever runs on but begins anywhere and (on Linux) stands still while the machine is suspended.
 */

/**
 * Makes a clock in whole milliseconds of the epoch that never goes back and never stands still. A `wall` clock that is
 * set back is not followed; one that jumps forward (the machine woke up, or NTP corrected it) is.
 */
export function monotonicNow(wall: () => number, monotonic: () => number): () => number {
  let offset = Number.NEGATIVE_INFINITY;
  return () => {
    const elapsed = monotonic();
    offset = Math.max(offset, wall() - elapsed);
    return Math.floor(offset + elapsed);
  };
}
