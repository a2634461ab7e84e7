/** Decides which condition Ready reports. Pure, but for the author's `rank`. */
import type { ConditionStatus } from "@treadle/apimachinery";
import { misuse } from "../internal/misuse.ts";
import { statusMessage } from "../internal/redact.ts";
import type { Setting } from "../record/progress.ts";

/** A ranked condition is what `rank` of `conditions()` is asked about. */
export interface RankedCondition {
  /** The type of the condition; `Ready` for a step that waited, stopped or failed. */
  readonly type: string;
  /** The status of the condition. */
  readonly status: ConditionStatus;
  /** The reason of the condition. */
  readonly reason: string;
  /** The message of the condition. */
  readonly message: string;
}

/** Returns the rank of a condition; Ready speaks of the condition with the highest. */
export type Rank = (condition: RankedCondition) => number;

/** What Ready may speak of. */
export interface Candidate {
  /** What Ready reports if it speaks of this. */
  readonly setting: Setting;
  /** What `rank` is asked about. */
  readonly condition: RankedCondition;
  /** Whether it is a wait with the severity `unknown`. */
  readonly isVague?: boolean;
}

/** Without a rank: False, then Unknown, then a wait with the severity `unknown`. */
function severityOf({ setting: { status }, isVague }: Candidate): number {
  if (status === "True") return 0;
  return status === "False" ? 3 : isVague === true ? 1 : 2;
}

/** Returns what Ready reports: the candidate with the highest rank; of equals the first. `undefined` without candidates. */
export function governing(rank: Rank | undefined, candidates: readonly Candidate[]): Setting | undefined {
  let highest: { readonly value: number; readonly setting: Setting } | undefined;
  for (const candidate of candidates) {
    try {
      const value = rank === undefined ? severityOf(candidate) : valueOf(rank, candidate.condition);
      if (highest === undefined || value > highest.value) highest = { value, setting: candidate.setting };
    } catch (error) {
      const message = `step "conditions": rank failed for the condition ${candidate.condition.type}: ${statusMessage(error)}`;
      return { status: "False", reason: "RankFailed", message };
    }
  }
  return highest?.setting;
}

/** @throws TypeError for a value that is not a number */
function valueOf(rank: Rank, condition: RankedCondition): number {
  const value: unknown = rank(Object.freeze({ ...condition }));
  if (typeof value === "number" && !Number.isNaN(value)) return value;
  const isPromise = value instanceof Promise;
  // Its rejection would end the process.
  if (isPromise) value.catch(() => undefined);
  throw misuse(
    "ERR_INVALID_STEP",
    `it returned ${isPromise ? "a promise" : String(value)}, which is not a number: return a number at once`,
  );
}

/**
 * Returns the rank that a list means: what is earlier in it ranks higher. A condition that the list names neither by type nor by
 * reason comes after all others: False before Unknown.
 */
export function rankOfList(names: readonly string[]): Rank {
  const places = new Map(names.map((name, place) => [name, names.length - place]));
  return ({ type, status, reason }) => {
    const named = Math.max(places.get(type) ?? 0, places.get(reason) ?? 0);
    return named > 0 ? named : status === "False" ? -1 : status === "Unknown" ? -2 : -3;
  };
}
