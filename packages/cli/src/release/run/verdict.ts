/** Decides when a run ends. Pure. */
import type { RunObject, RunProgress, RunReport } from "@treadle/dependents/unstable/run";
import { problemIn } from "./engine.ts";
import { sentenceOf } from "./object-text.ts";

/** How a run ended. */
export type RunEnd =
  /** All objects are ready, and none is to be removed. */
  | { readonly type: "ready" }
  /** Without `--wait`: all objects are written. */
  | { readonly type: "applied" }
  /** No object makes progress, and some have failed. */
  | { readonly type: "failed"; readonly message: string }
  /** The time is over. */
  | { readonly type: "timeout" };

/** What a verdict depends on besides the report. */
export interface Limits {
  /** Whether the run waits until the objects are ready. */
  readonly waits: boolean;
  readonly isTimeOver: boolean;
}

/** Passes in a row without progress after which a failure ends the run. */
const MAX_STUCK = 4;

/** Judges one run, pass by pass. */
export class Verdict {
  #stuck = 0;

  /** Returns how the run ended; `undefined`: it goes on. */
  of(report: RunReport, { waits, isTimeOver }: Limits): RunEnd | undefined {
    const { progress, condition, result, owner } = report;
    if (owner === undefined || result.outcome.type === "left" || result.outcome.type === "gone") return { type: "ready" };
    const isSettled =
      progress === undefined && condition?.reason === "Ready" && result.outcome.type === "done" && result.error === undefined;
    if (isSettled || (progress?.reason === "Ready" && result.error === undefined)) return { type: "ready" };
    const stuck = stuckBy(report);
    this.#stuck = stuck === undefined ? 0 : this.#stuck + 1;
    if (stuck !== undefined && (stuck.isFinal || this.#stuck >= MAX_STUCK)) return { type: "failed", message: stuck.message };
    if (!waits && progress !== undefined && isApplied(progress)) return { type: "applied" };
    return isTimeOver ? { type: "timeout" } : undefined;
  }
}

/** Why the run makes no progress, as far as this pass shows. */
function stuckBy(report: RunReport): { readonly message: string; readonly isFinal: boolean } | undefined {
  const { progress, result } = report;
  const problem = problemIn(report);
  if (problem !== undefined) return { message: problem, isFinal: result.error === undefined };
  if (progress === undefined) return undefined;
  if (progress.reason === "DeletionBlocked") return { message: progress.message, isFinal: false };
  const open = progress.objects.filter(({ isReady, isAwaited }) => isAwaited && !isReady);
  const failed = open.filter(hasFailed);
  const gone = progress.leaving.filter(({ type }) => type === "Failed");
  const isMoving =
    open.some((each) => !hasFailed(each) && each.phase !== "Waiting") || progress.leaving.some(({ reason }) => reason === "Deleting");
  if (isMoving || failed.length + gone.length === 0) return undefined;
  // Removals that failed have their own words.
  const sentences = failed.length === 0 ? [progress.message] : failed.slice(0, MAX_NAMED).map(sentenceOf);
  const more = failed.length > MAX_NAMED ? ` and ${failed.length - MAX_NAMED} more` : "";
  return { message: `${sentences.join("; ")}${more}`, isFinal: false };
}

/** So many objects are named. */
const MAX_NAMED = 3;

/** Whether an object will not become ready by itself. */
function hasFailed({ state, isInstance }: RunObject): boolean {
  return state.type === "Failed" || state.reason === "Forbidden" || (state.reason === "KindNotServed" && !isInstance);
}

function isApplied({ objects }: RunProgress): boolean {
  return objects.every(({ phase, isAwaited }) => phase !== "Waiting" || !isAwaited);
}
