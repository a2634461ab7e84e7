/** A finding: one reason why an object is not ready, as a clause for people and a code for programs. */
import type { Node, Situation } from "../inspect/situation.ts";

/** How much a finding explains. The lowest number is the cause; of equal ones the deepest object. */
export const RANK = {
  /** Nothing else matters while it holds: a pause, a deletion. */
  decisive: 0,
  /** A cause that needs no other one: an image that cannot be pulled. */
  cause: 1,
  /** What follows from a cause that may not be visible: a rollout without progress. */
  symptom: 2,
  /** What an operator says in its own words. */
  statement: 3,
  /** Only that it is not ready. */
  vague: 4,
} as const;

/** A rank of {@link RANK}. */
export type Rank = (typeof RANK)[keyof typeof RANK];

/** One reason why an object is not ready. */
export interface Finding {
  /** For programs, such as `ImagePull`. */
  readonly code: string;
  readonly rank: Rank;
  /** The object that it is about. */
  readonly node: Node;
  /** The cause, without a full stop: `Pod default/web-1 cannot pull the image "web:2" of its container main`. */
  readonly clause: string;
  /** What a person can do, the most useful first. Texts without a full stop. */
  readonly advice: readonly string[];
  /** When something tries again, in words; absent where it is not known. */
  readonly nextAttempt?: string;
  /** The same as a time, if it is known. */
  readonly nextAttemptMs?: number;
}

/** Looks at one object. Rules are pure, and read nothing. */
export type Rule = (node: Node, situation: Situation) => Finding | undefined;

/** Returns a text without the full stop and the spaces at its end, for use inside a sentence. */
export function clauseOf(text: string): string {
  return text.trim().replace(/\.+$/, "");
}
