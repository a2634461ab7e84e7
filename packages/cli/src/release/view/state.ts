/** In one word, how a release and its revisions are. Pure. */
import type { Tone } from "../../terminal/layout.ts";
import type { Lock } from "../store/lock.ts";
import type { ReleaseRecord } from "../store/record.ts";

/** How a release is, as far as its record tells. Objects may have changed since. */
export type ReleaseState =
  /** The present revision was ready. */
  | "Ready"
  /** The present revision was written without waiting for it. */
  | "Applied"
  /** The present revision did not become ready. */
  | "Failed"
  /** A run changes it now. */
  | "Changing"
  /** A run was killed before its end. The next run finishes it. */
  | "Unfinished"
  | "Deleting";

export const STATE_TONES: { readonly [S in ReleaseState]: Tone } = {
  Ready: "good",
  Applied: "good",
  Failed: "bad",
  Changing: "waiting",
  Unfinished: "waiting",
  Deleting: "waiting",
};

export function stateOfRelease({ object, outcomes }: ReleaseRecord, lock: Lock | undefined): ReleaseState {
  if (object.metadata.deletionTimestamp !== undefined) return "Deleting";
  if (lock !== undefined) return "Changing";
  const { revision } = object.spec;
  const outcome = outcomes.findLast((each) => each.revision === revision);
  if (outcome === undefined) return "Unfinished";
  return outcome.type === "ready" ? "Ready" : outcome.type === "applied" ? "Applied" : "Failed";
}

/** How a revision is. */
export function stateOfRevision(revision: number, record: ReleaseRecord, lock: Lock | undefined): ReleaseState | "Superseded" {
  const { revision: present } = record.object.spec;
  if (revision === present) return stateOfRelease(record, lock);
  const outcome = record.outcomes.findLast((each) => each.revision === revision);
  return outcome?.type === "failed" ? "Failed" : revision > present ? "Unfinished" : "Superseded";
}
