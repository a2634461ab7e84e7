/**
 * The results of phases. The set is closed: only `req` and the condition setters make results. So every exit of the chain has
 * a reason, and the engine recognises a value that is not a result.
 */

import { isConditionReason } from "@treadle/apimachinery";
import { misuse } from "./internal/misuse.ts";

/** Brand of what only this package makes: results and steps. */
export declare const made: unique symbol;

/** This result continues with the next step. Its `vars` are available to the steps that need this one. */
export interface Continue<out P extends object = object> {
  /** Marks a result that `req` made; no other value is accepted. */
  readonly [made]: true;
  /** The type of the result. */
  readonly type: "continue";
  /** The vars for later steps. */
  readonly vars: P;
}

/** This result ends the chain. The next pass starts by an event, after `afterMs`, or with the waiting backoff; never with the failure backoff. */
export interface Wait {
  /** Marks a result that `req` made; no other value is accepted. */
  readonly [made]: true;
  /** The type of the result. */
  readonly type: "wait";
  /** The reason, for the status. */
  readonly reason: string;
  /** The delay until the next pass, in milliseconds. @defaultValue the backoff */
  readonly afterMs?: number;
  /** What Ready reports of the wait; only `waitBecause()` sets it. */
  readonly cause?: WaitCause;
}

/** A wait cause says what Ready reports of a step that waits. */
export interface WaitCause {
  /** The reason of Ready, a CamelCase word. @defaultValue "Waiting" */
  readonly code?: string;
  /**
   * The severity of the wait. `failed`: Ready is False. `pending` and `unknown`: Ready is Unknown. A step with `pending` is
   * reported before one with `unknown`, in any order of the list. @defaultValue "pending"
   */
  readonly severity?: "failed" | "pending" | "unknown";
  /** Whether a person must act: the wait is recorded as a Warning event with `code` as its reason. @defaultValue false */
  readonly needsAction?: boolean;
  /**
   * Whether the wait ends by itself in a moment, as a transient failure does: Ready stays as it was for a time, if the step keeps its
   * conditions. @defaultValue false
   */
  readonly isTransient?: boolean;
  /** Time for which a transient wait leaves Ready as it was, in milliseconds. @defaultValue 60_000 */
  readonly transientMs?: number;
}

/** This result ends the chain and schedules nothing. Any event starts a normal pass. */
export interface Stop {
  /** Marks a result that `req` made; no other value is accepted. */
  readonly [made]: true;
  /** The type of the result. */
  readonly type: "stop";
  /** The reason, for the status. */
  readonly reason: string;
}

/** This is every result that `do` may return. */
export type StepResult<P extends object> = Continue<P> | Wait | Stop;

/** This is every result, for code that does not use `vars`. */
export type AnyResult = Continue | Wait | Stop;

const results = new WeakSet<object>();

export function isResult(value: unknown): value is AnyResult {
  return typeof value === "object" && value !== null && results.has(value);
}

/** The answer of `req.next()`: most phases end with it, so it is made once. */
export const NEXT: Continue = mark({ type: "continue", vars: Object.freeze({}) }) as Continue;

/** @throws TypeError when `vars` is not an object with names. */
export function makeContinue<P extends object>(vars: P): Continue<P> {
  if (typeof vars !== "object" || vars === null || Array.isArray(vars))
    throw misuse("ERR_INVALID_STEP", "next: give the vars as an object: req.next({ name: value })");
  // Copied here, in the step: a getter that throws is the step's failure.
  return mark({ type: "continue", vars: { ...vars } }) as Continue<P>;
}

/** @throws TypeError when `reason` is empty or `afterMs` is not a time. */
export function makeWait(reason: string, afterMs?: number, cause?: WaitCause): Wait {
  requireReason("wait", reason);
  if (afterMs !== undefined) requireDelay("wait", afterMs);
  return mark({ type: "wait", reason, ...(afterMs === undefined ? {} : { afterMs }), ...(cause === undefined ? {} : { cause }) }) as Wait;
}

/**
 * Makes a wait with a cause, which Ready reports. A `code` that cannot be the reason of a condition is left out.
 * @throws TypeError when `reason` is empty or `afterMs` is not a time.
 */
export function waitBecause(reason: string, given: WaitCause & { readonly afterMs?: number | undefined }): Wait {
  const { code, severity, needsAction, isTransient, transientMs, afterMs } = given;
  const isReason = code !== undefined && isConditionReason(code);
  return makeWait(reason, afterMs, {
    ...(isReason ? { code } : {}),
    ...(severity && { severity }),
    ...(needsAction && { needsAction }),
    ...(isTransient && { isTransient, ...(transientMs === undefined ? {} : { transientMs }) }),
  });
}

/** @throws TypeError when `reason` is empty. */
export function makeStop(reason: string): Stop {
  requireReason("stop", reason);
  return mark({ type: "stop", reason }) as Stop;
}

/** @throws TypeError when `afterMs` is not a time. */
export function requireDelay(what: string, afterMs: number): void {
  if (typeof afterMs !== "number" || !(afterMs >= 0) || afterMs === Number.POSITIVE_INFINITY) {
    throw misuse("ERR_INVALID_STEP", `${what}: afterMs must be a number of milliseconds from 0, not ${String(afterMs)}`);
  }
}

/** @throws TypeError when `reason` is not a text. */
export function requireReason(what: string, reason: string): void {
  if (typeof reason !== "string" || reason === "") throw misuse("ERR_INVALID_STEP", `${what}: give the reason as a text that is not empty`);
}

/** The brand exists in types only: at run time membership in the set is what counts, and it cannot be forged. */
function mark(result: object): unknown {
  results.add(Object.freeze(result));
  return result;
}
