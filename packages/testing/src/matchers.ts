/**
 * Matchers of vitest for results and conditions. Importing this module registers them: write
 * `import "@treadle/testing/matchers"` in a test or in a setup file.
 */
import type { Condition, ConditionStatus } from "@treadle/apimachinery";
import { afterEach, expect } from "vitest";

/** The expected fields of a condition; an absent field may have any value. */
export interface ExpectedCondition {
  /** The status. */
  readonly status?: ConditionStatus;
  /** The whole reason, or a pattern. */
  readonly reason?: string | RegExp;
  /** The whole message, or a pattern. */
  readonly message?: string | RegExp;
  /** The generation that the condition is about. */
  readonly observedGeneration?: number;
}

/** The argument of {@link checkStatusAfterEach}: a test cluster or a fake world. */
export interface StatusSource {
  /** Checks all statuses. @throws Error when a status breaks an invariant */
  checkStatus(): Promise<void>;
}

/**
 * Checks the status invariants after each test of the file or of the `describe` in which it is called. Give a function if each
 * test has its own cluster.
 */
export function checkStatusAfterEach(source: StatusSource | (() => StatusSource | undefined)): void {
  afterEach(async () => {
    await (typeof source === "function" ? source() : source)?.checkStatus();
  });
}

declare module "vitest" {
  // The parameters must be named as vitest names them, used or not.
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> {
    /** The value is a step result `continue`, with exactly these vars if given, or an outcome `done`. */
    toContinue(vars?: object): R;
    /** The value is a step result or an outcome `wait`, with this reason (whole text or pattern) and delay in milliseconds. */
    toWait(reason?: string | RegExp, afterMs?: number): R;
    /** The value is a step result or an outcome `stop`, with this reason (whole text or pattern). */
    toStop(reason?: string | RegExp): R;
    /** The object, the `fakeReq` or the list of conditions has this condition. */
    toHaveCondition(type: string, expected?: ExpectedCondition | ConditionStatus): R;
    /** The object or the `fakeReq` has Ready=True for its current generation. */
    toBeReady(): R;
  }
}

expect.extend({
  toContinue(received: unknown, vars?: object) {
    const actual = resultOf(received);
    if (actual === undefined) return unusable(this.isNot, `expected ${A_RESULT}, but got ${showResult(received)}`);
    const isContinue = actual.type === "continue" || actual.type === "done";
    const given = actual.vars ?? {};
    return {
      pass: isContinue && (vars === undefined || this.equals(given, vars)),
      message: () =>
        vars !== undefined && isContinue
          ? `expected vars ${this.isNot ? "other than " : ""}${show(vars)}, but got ${show(given)}`
          : `expected the step ${this.isNot ? "not " : ""}to continue, but got ${showResult(received)}`,
    };
  },
  toWait(received: unknown, reason?: string | RegExp, afterMs?: number) {
    const actual = resultOf(received);
    if (actual === undefined) return unusable(this.isNot, `expected ${A_RESULT}, but got ${showResult(received)}`);
    return {
      pass: actual.type === "wait" && fits(actual.reason, reason) && (afterMs === undefined || actual.afterMs === afterMs),
      message: () =>
        `expected ${this.isNot ? "anything but " : ""}wait${showReason(reason)}${afterMs === undefined ? "" : ` after ${afterMs} ms`}, but got ${showResult(received)}`,
    };
  },
  toStop(received: unknown, reason?: string | RegExp) {
    const actual = resultOf(received);
    if (actual === undefined) return unusable(this.isNot, `expected ${A_RESULT}, but got ${showResult(received)}`);
    return {
      pass: actual.type === "stop" && fits(actual.reason, reason),
      message: () => `expected ${this.isNot ? "anything but " : ""}stop${showReason(reason)}, but got ${showResult(received)}`,
    };
  },
  toHaveCondition(received: unknown, type: string, expected: ExpectedCondition | ConditionStatus = {}) {
    const wanted: ExpectedCondition = typeof expected === "string" ? { status: expected } : expected;
    const conditions = conditionsOf(received);
    if (conditions === undefined)
      return unusable(this.isNot, `expected an object, a fakeReq or a list of conditions, but got ${showResult(received)}`);
    const found = conditions.find((condition) => condition.type === type);
    return {
      pass: found !== undefined && fitsCondition(found, wanted),
      message: () =>
        `expected ${this.isNot ? "no " : ""}condition ${type} ${show(wanted)}, but ${found === undefined ? `there are only: ${showConditions(conditions)}` : `it is ${showConditions([found])}`}`,
    };
  },
  toBeReady(received: unknown) {
    const conditions = conditionsOf(received);
    if (conditions === undefined) return unusable(this.isNot, `expected an object or a fakeReq, but got ${showResult(received)}`);
    const ready = conditions.find((condition) => condition.type === "Ready");
    const generation = generationOf(received);
    const isCurrent = generation === undefined || ready?.observedGeneration === undefined || ready.observedGeneration === generation;
    return {
      pass: ready?.status === "True" && isCurrent,
      message: () =>
        ready?.status === "True" && !isCurrent
          ? `Ready is True, but for generation ${ready.observedGeneration}; the object has generation ${generation}`
          : `expected Ready ${this.isNot ? "not " : ""}to be True, but the conditions are: ${showConditions(conditions)}`,
    };
  },
});

interface Result {
  readonly type: string;
  readonly reason?: string;
  readonly afterMs?: number;
  readonly vars?: object;
}

const A_RESULT = "a step result or an outcome";
const RESULT_TYPES: ReadonlySet<unknown> = new Set(["continue", "done", "wait", "stop", "failed", "gone", "left"]);

/** A value of another type fails with `not` as well: otherwise a test with a forgotten `await` would pass. */
function unusable(isNot: boolean, message: string): { readonly pass: boolean; readonly message: () => string } {
  return { pass: isNot, message: () => message };
}

function resultOf(received: unknown): Result | undefined {
  if (typeof received !== "object" || received === null || !("type" in received)) return undefined;
  return RESULT_TYPES.has(received.type) ? (received as Result) : undefined;
}

function conditionsOf(received: unknown): readonly Condition[] | undefined {
  if (Array.isArray(received)) return received;
  if (typeof received !== "object" || received === null || isPromise(received)) return undefined;
  const { conditions, status } = received as { readonly conditions?: unknown; readonly status?: { readonly conditions?: unknown } };
  const found = conditions ?? status?.conditions ?? [];
  return Array.isArray(found) ? found : undefined;
}

/** The generation of an object, or of the object of a fakeReq. */
function generationOf(received: unknown): number | undefined {
  if (typeof received !== "object" || received === null) return undefined;
  const object = ("object" in received ? received.object : received) as { readonly metadata?: { readonly generation?: number } };
  return object?.metadata?.generation;
}

function fitsCondition(condition: Condition, wanted: ExpectedCondition): boolean {
  return (
    (wanted.status === undefined || condition.status === wanted.status) &&
    fits(condition.reason, wanted.reason) &&
    fits(condition.message, wanted.message) &&
    (wanted.observedGeneration === undefined || condition.observedGeneration === wanted.observedGeneration)
  );
}

function fits(actual: string | undefined, wanted: string | RegExp | undefined): boolean {
  if (wanted === undefined) return true;
  if (actual === undefined) return false;
  return typeof wanted === "string" ? actual === wanted : new RegExp(wanted.source, wanted.flags.replace(/[gy]/g, "")).test(actual);
}

function showReason(reason: string | RegExp | undefined): string {
  return reason === undefined ? "" : typeof reason === "string" ? ` "${reason}"` : ` matching ${String(reason)}`;
}

function showResult(received: unknown): string {
  if (isPromise(received)) return "a promise: await it";
  const result = resultOf(received);
  if (result === undefined) return show(received);
  const { error } = received as { readonly error?: unknown };
  const after = result.afterMs === undefined ? "" : ` after ${result.afterMs} ms`;
  return `${result.type}${result.reason === undefined ? "" : ` "${result.reason}"`}${after}${error === undefined ? "" : `: ${String(error)}`}`;
}

function isPromise(received: unknown): boolean {
  return typeof received === "object" && received !== null && "then" in received && typeof received.then === "function";
}

function showConditions(conditions: readonly Condition[]): string {
  if (conditions.length === 0) return "(none)";
  return conditions.map(({ type, status, reason, message }) => `${type}=${status} (${reason}${message ? `: ${message}` : ""})`).join(", ");
}

function show(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => (member instanceof RegExp ? String(member) : member)) ?? String(value);
}
