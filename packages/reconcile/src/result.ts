/**
 * What a phase of a step returns. The set is closed: results are made by `req` and by the condition setters only,
 * so every exit of the chain carries a reason, and the engine can tell a result from garbage.
 */

import { isConditionReason } from "@treadle/apimachinery";
import { misuse } from "./internal/misuse.ts";

/** Brand of what only this package makes: results and steps. */
export declare const made: unique symbol;

/** Go on with the next step; its `vars` are added to those of the steps that follow. */
export interface Continue<out P extends object = object> {
  /** Marks a result that `req` made; no other value is accepted. */
  readonly [made]: true;
  /** The type of the result. */
  readonly type: "continue";
  /** The vars for later steps. */
  readonly vars: P;
}

/** End the chain and come back: woken by the step's reads, after `afterMs`, or on the waiting curve. Never grows the error back-off. */
export interface Wait {
  /** Marks a result that `req` made; no other value is accepted. */
  readonly [made]: true;
  /** The type of the result. */
  readonly type: "wait";
  /** The reason, for the status. */
  readonly reason: string;
  /** The delay until the next pass, in milliseconds. @defaultValue the backoff */
  readonly afterMs?: number;
  /** What Ready reports of it; made by `waitBecause()` only. */
  readonly cause?: WaitCause;
}

/** What Ready reports of a step that waits. */
export interface WaitCause {
  /** The reason of Ready; a CamelCase word. @defaultValue "Waiting" */
  readonly code?: string;
  /**
   * `failed`: Ready is False. `pending` and `unknown`: Ready is Unknown, and a step with `pending` is reported before one
   * with `unknown`, whatever their order in the list. @defaultValue "pending"
   */
  readonly severity?: "failed" | "pending" | "unknown";
  /** Whether a person must act: the wait is recorded as a Warning event with `code` as its reason. @defaultValue false */
  readonly needsAction?: boolean;
}

/** End the chain and schedule nothing; any event runs a normal pass. */
export interface Stop {
  /** Marks a result that `req` made; no other value is accepted. */
  readonly [made]: true;
  /** The type of the result. */
  readonly type: "stop";
  /** The reason, for the status. */
  readonly reason: string;
}

/** What `do` may return. */
export type StepResult<P extends object> = Continue<P> | Wait | Stop;

/** Every result there is; where `vars` do not matter. */
export type AnyResult = Continue | Wait | Stop;

const results = new WeakSet<object>();

export function isResult(value: unknown): value is AnyResult {
  return typeof value === "object" && value !== null && results.has(value);
}

/** @throws TypeError when `vars` is no object with names. */
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
 * A wait that says what Ready reports of it. A `code` that cannot be the reason of a condition is left out.
 * @throws TypeError when `reason` is empty or `afterMs` is not a time.
 */
export function waitBecause(reason: string, given: WaitCause & { readonly afterMs?: number | undefined }): Wait {
  const { code, severity, needsAction, afterMs } = given;
  const isReason = code !== undefined && isConditionReason(code);
  return makeWait(reason, afterMs, { ...(isReason ? { code } : {}), ...(severity && { severity }), ...(needsAction && { needsAction }) });
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

/** @throws TypeError when `reason` is no text. */
export function requireReason(what: string, reason: string): void {
  if (typeof reason !== "string" || reason === "") throw misuse("ERR_INVALID_STEP", `${what}: give the reason as a text that is not empty`);
}

/** The brand exists in types only: at run time membership in the set is what counts, and it cannot be forged. */
function mark(result: object): unknown {
  results.add(Object.freeze(result));
  return result;
}
