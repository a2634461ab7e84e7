/** When a managed object is observed again. Pure. */

/** The interval of a settled resource. */
export const POLL_MS = 60_000;
/** The shortest interval that the annotation may ask for. */
const MIN_POLL_MS = 10_000;
/** Passes of settled objects are spread over this part of the interval, to either side. */
const JITTER = 0.1;
/** The interval in transition: 5 s doubling to 30 s. */
const FIRST_TRANSITION_MS = 5_000;
const MAX_TRANSITION_MS = 30_000;

/** Ready becomes Unknown after so many intervals without an observation. */
export const STALE_AFTER_POLLS = 5;

/** Returns the time until the next observation in a transition, after `looks` observations in it. */
export function transitionMs(looks: number): number {
  return Math.min(MAX_TRANSITION_MS, FIRST_TRANSITION_MS * 2 ** Math.min(looks, 10));
}

/**
 * Returns the time until the next observation of a settled resource: the interval +-10 %. The uid and the time decide, so that
 * objects that were created together do not stay together.
 */
export function settledMs(intervalMs: number, uid: string, nowMs: number): number {
  const spread = hashOf(`${uid}/${Math.floor(nowMs / intervalMs)}`);
  return Math.round(intervalMs * (1 - JITTER + 2 * JITTER * spread));
}

/** FNV-1a with a final mix, as a number from 0 to 1. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** Returns the milliseconds of an interval such as `30s`, `5m` or `1h30m`; at least 10 s. `undefined`: it is not an interval. */
export function parseInterval(text: string): number | undefined {
  const match = /^(?:(\d{1,4})h)?(?:(\d{1,5})m)?(?:(\d{1,7})s)?$/.exec(text.trim());
  if (match === null || match[0] === "") return undefined;
  const [hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0)) as [number, number, number];
  const ms = ((hours * 60 + minutes) * 60 + seconds) * 1_000;
  return ms === 0 ? undefined : Math.max(MIN_POLL_MS, ms);
}
