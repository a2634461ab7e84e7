/**
 * How fast a status is written that somebody else puts back each time: two who say different things of one object, such as
 * the old and the new version of an operator without a leader election, would write as fast as the server answers, for ever.
 */
import { hash } from "node:crypto";
import { fingerprint } from "./not-stored.ts";
import type { Pass } from "./pass-state.ts";

/** The last status write of an object. */
export interface StatusPace {
  /** Digest of the patch. */
  readonly change: string;
  readonly lastMs: number;
  /** How often in a row the same was written before it. */
  readonly repeats: number;
}

/** So often the same is written again at once. */
const FREE = 10;
/** As the waiting curve of passes: 50 ms doubling to 10 s. */
const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 10_000;
/** After so long without a write it starts anew: longer than the longest delay. */
const QUIET_MS = 60_000;

/** `change`, or nothing where it must wait; then the pass asks for the next one. What is given is taken for written. */
export function unlessTooFast(pass: Pass, change: object | undefined): object | undefined {
  const { memory, clock, log } = pass;
  const text = fingerprint(change);
  // What a dry run does not write is missing in each pass.
  if (text === undefined || pass.env.isDryRun === true) return change;
  const nowMs = clock.now();
  const digest = hash("sha1", text, "base64");
  const last = memory.statusPace;
  const isSame = last?.change === digest && nowMs - last.lastMs <= QUIET_MS;
  const restMs = isSame ? last.lastMs + delayAfter(last.repeats) - nowMs : 0;
  if (restMs > 0) {
    pass.isStatusHeldBack = true;
    pass.wishes.push({ afterMs: restMs, reason: "somebody else puts back what is written into the status" });
    return undefined;
  }
  const repeats = isSame ? last.repeats + 1 : 0;
  if (repeats === FREE)
    log.warn(
      { fields: fieldsOf(change) },
      "the same status is written again and again, since somebody else puts it back: from now on with delays",
    );
  memory.statusPace = { change: digest, lastMs: nowMs, repeats };
  return change;
}

function fieldsOf(change: object | undefined): readonly string[] {
  return Object.keys((change as { readonly status?: object } | undefined)?.status ?? {});
}

function delayAfter(repeats: number): number {
  return repeats < FREE ? 0 : Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(30, repeats - FREE));
}
