/**
 * The time of day, made of two clocks so that differences are reliable. People and NTP set the wall clock. The monotonic
 * clock is never set, but it begins anywhere and (on Linux) stops while the machine is suspended.
 */

/**
 * Makes a clock in whole milliseconds since the epoch that never goes back and never stops. It does not follow a `wall`
 * clock that is set back. It follows one that jumps forward: the machine woke up, or NTP corrected the time.
 */
export function monotonicNow(wall: () => number, monotonic: () => number): () => number {
  let offset = Number.NEGATIVE_INFINITY;
  return () => {
    const elapsed = monotonic();
    offset = Math.max(offset, wall() - elapsed);
    return Math.floor(offset + elapsed);
  };
}
