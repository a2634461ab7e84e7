/**
 * Warning events at the end of a pass: failures that a person must act on. The list of their reasons is closed, and
 * docs/operations.md has it. Failures that end without a person are not in it.
 */
import { isForbidden } from "@treadle/apimachinery";
import { errorsIn, MAX_ERROR_LENGTH, statusMessage, truncate } from "../internal/redact.ts";
import { isTerminal } from "../pass/requeue.ts";
import type { Pass } from "../record/pass-state.ts";

/** The reasons of the events that the engine records. An extension may add its own, see `WaitCause.needsAction`. */
const WARNING_REASONS = ["CleanupFailed", "CleanupSkipped", "Forbidden", "InvalidObject", "StatusNotStored", "TerminalError"] as const;

interface Warning {
  readonly reason: (typeof WARNING_REASONS)[number] | (string & {});
  readonly note: string;
  /** The step, or what the engine did. */
  readonly action: string;
}

/** Records what a person must act on. The recorder counts repeats, and the log has each failure already. */
export function recordWarnings(pass: Pass): void {
  const { env, object, secrets } = pass;
  noteCleanup(pass);
  if (env.recordEvent === undefined || pass.isAborted || pass.over !== undefined) return;
  for (const { reason, note, action } of warningsOf(pass))
    env.recordEvent(object, {
      type: "Warning",
      reason,
      note: truncate(secrets?.hide(note) ?? note, MAX_ERROR_LENGTH),
      action,
      isLogged: true,
    });
}

function warningsOf(pass: Pass): readonly Warning[] {
  const { ending, trouble, notStored, progress, failures, memory, isDeleting } = pass;
  const warnings: Warning[] = [];
  if (ending.type === "invalid" && trouble !== undefined)
    warnings.push({ reason: "InvalidObject", note: trouble.message, action: "validate" });
  if (notStored !== undefined) warnings.push({ reason: "StatusNotStored", note: notStored.message, action: "save" });
  for (const [{ name }, how] of progress) {
    if (how.type === "wait" && (how.cause?.needsAction === true || how.cause?.code === "Forbidden"))
      warnings.push({ reason: how.cause.code ?? "Waiting", note: how.reason, action: name });
    if (how.type !== "failed") continue;
    const reason = reasonOf(how.error) ?? (isDeleting && (memory.failedCleanups ?? 0) >= MANY_CLEANUPS ? "CleanupFailed" : undefined);
    if (reason !== undefined) warnings.push({ reason, note: statusMessage(how.error), action: name });
  }
  for (const { rank, error } of failures) {
    const reason = rank === "save" ? reasonOf(error) : undefined;
    if (reason !== undefined) warnings.push({ reason, note: statusMessage(error), action: "save" });
  }
  return warnings;
}

/** So many cleanups in a row that failed are no passing trouble: with the backoff of failures they take 10 s. */
const MANY_CLEANUPS = 12;

/** Counts the passes in a row in which a cleanup failed. */
function noteCleanup({ memory, isDeleting, progress }: Pass): void {
  if (!isDeleting) return;
  const hasFailed = [...progress.values()].some(({ type }) => type === "failed");
  memory.failedCleanups = hasFailed ? (memory.failedCleanups ?? 0) + 1 : 0;
}

/** Why the failure does not end without a person; undefined: it may. */
function reasonOf(error: unknown): Warning["reason"] | undefined {
  if (errorsIn(error).some((each) => isRefusal(each))) return "Forbidden";
  return isTerminal(error) ? "TerminalError" : undefined;
}

/** Whether the server answered 403, also as the cause of `error`. */
function isRefusal(error: unknown, depth = 0): boolean {
  try {
    return isForbidden(error) || (depth < 8 && error instanceof Error && isRefusal(error.cause, depth + 1));
  } catch {
    return false; // A step can throw any value, even a revoked proxy: inspecting it may throw.
  }
}
