/** What a failure says in the conditions, and what it asks of the engine. */
import { isApiError, isConflict, isTooManyRequests } from "@treadle/apimachinery";
import { RetryAfterError } from "@treadle/reconcile";
import { MAX_ERROR_LENGTH, reasonOf, statusMessage, truncate } from "@treadle/reconcile/unstable/engine";
import type { Reason } from "../reasons.ts";
import { causeOf } from "../provider/cause.ts";
import { isNotConnected, isThrottled, Throttled } from "../provider/errors.ts";
import { AuthorError, pollMs, type Run, sayOnce } from "./run.ts";
import { CallFailed } from "./session.ts";

/**
 * Sets the conditions for an error, and returns the error that the engine gets. An error of the engine itself, such as a conflict,
 * is returned as it is: the conditions stay.
 */
export function failed(run: Run, error: unknown): unknown {
  const { req, definition, memory } = run;
  const { synced } = definition.names;
  if (error instanceof AuthorError) {
    req.conditions.false(synced, "ReconcileError", run.pass.hide(error.message));
    return error.cause ?? error;
  }
  if (isNotConnected(error)) {
    req.conditions.false(synced, reasonOfConnect(error.cause), run.pass.hide(statusMessage(error)));
    return retryOf(error.cause ?? error, run);
  }
  if (!(error instanceof CallFailed)) {
    if (isRefusal(error)) req.conditions.false(synced, "ReconcileError", run.pass.hide(statusMessage(error)));
    return error;
  }
  const message = messageOfCall(run, error);
  req.conditions.false(synced, reasonOfCall(error.cause), message);
  if (error.verb === "observe" && sayOnce(memory, "CannotObserve", message)) req.event("Warning", "CannotObserve", message);
  if (error.verb === "update") req.conditions.false(definition.names.upToDate, "UpdateFailed", message);
  if (causeOf(error.cause).type === "terminal") noteTerminal(run, error);
  return retryOf(error.cause, run);
}

/**
 * A terminal error schedules nothing. The observation must not become stale unnoticed, so the resource is observed all the same. What
 * does not exist need not be observed.
 */
function noteTerminal(run: Run, { verb }: CallFailed): void {
  if (verb === "create") return;
  if (verb === "update") run.memory.refusedGeneration = run.object.metadata.generation;
  run.req.revisit(pollMs(run, "Unavailable"), "observe after a terminal error");
}

/** The API server or a webhook refuses the finalizer, or the record of a create. A retry does not help. */
function isRefusal(error: unknown): boolean {
  return isApiError(error) && error.status >= 400 && error.status < 500 && !isConflict(error) && !isTooManyRequests(error);
}

/** The error with the delay that the provider asked for, so that the engine keeps to it. */
function retryOf(error: unknown, { pass }: Run): unknown {
  const cause = causeOf(error, pass.clock.now());
  if (isThrottled(error) || (cause.type !== "throttled" && cause.type !== "other") || cause.retryAfterMs === undefined) return error;
  const Asked = cause.type === "throttled" ? Throttled : RetryAfterError;
  return new Asked(statusMessage(error), cause.retryAfterMs, { cause: error });
}

/** Returns the message of a call that failed, without secrets. */
export function messageOfCall({ definition, pass }: Run, { verb, subject, cause }: CallFailed): string {
  const what = subject === undefined ? definition.kind.kind : `${definition.kind.kind} "${subject}"`;
  const action = verb === "recoverCreate" ? "recover the create of" : verb;
  return truncate(pass.hide(`cannot ${action} ${what} at the provider: ${statusMessage(cause)}`), MAX_ERROR_LENGTH);
}

/** A login that the provider refuses is no question of the connection. */
function reasonOfConnect(cause: unknown): Reason {
  const { type } = causeOf(cause);
  return type === "refused" ? "CredentialsRefused" : type === "throttled" ? "RateLimited" : "NotConnected";
}

/** The reason of Synced: that of the limits, the code of a terminal error, a timeout; else ReconcileError. */
function reasonOfCall(error: unknown): string {
  const cause = causeOf(error);
  if (cause.type === "throttled") return "RateLimited";
  if (cause.type === "refused") return "CredentialsRefused";
  const reason = reasonOf(error);
  if (cause.type === "terminal" && reason !== "TerminalError") return reason;
  return reason === "TimedOut" ? reason : "ReconcileError";
}
