/** Asks `problems` whether an object is refused, and reads what it returns: untyped code may return anything. */
import type { Problem } from "@treadle/reconcile";
import type { AnyWebhooks } from "../definition.ts";
import { ignoreRejections, isObject } from "../json.ts";
import type { ReviewCall } from "./review-call.ts";

/** Returns the problems of the object; an empty list accepts it. @throws CallError, and what `deny()` threw */
export async function validate(call: ReviewCall): Promise<readonly Problem[]> {
  const given: unknown = await call.ask<unknown>(
    (review) => (call.webhooks as Required<AnyWebhooks>).problems?.(call.request.object, review),
    call.request.object,
  );
  const problems = read(call, given);
  // A refusal has nothing to undo: only what is accepted must have looked at isDryRun.
  if (problems.length === 0) call.checkDryRun();
  return problems;
}

function read(call: ReviewCall, given: unknown): readonly Problem[] {
  const fix = "Return a list of texts or { path, message }; an empty list accepts the object";
  if (!Array.isArray(given)) throw call.failure("ERR_NOT_PROBLEMS", `problems returned ${typeOf(given)} instead of a list. ${fix}`);
  // Array.from() calls the function for holes as well, which map() skips.
  return Array.from(given, (entry: unknown, i) => {
    const problem = problemOf(entry);
    if (problem !== undefined) return problem;
    ignoreRejections(given);
    throw call.failure("ERR_NOT_PROBLEMS", `entry ${i} of problems is ${typeOf(entry)}. ${fix}`);
  });
}

/** A copy: getters of the entry are called once, here. */
function problemOf(entry: unknown): Problem | undefined {
  if (typeof entry === "string") return entry;
  if (!isObject(entry)) return undefined;
  const { path, message } = entry;
  return typeof path === "string" && typeof message === "string" ? { path, message } : undefined;
}

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  if (value instanceof Promise) return "a promise";
  return typeof value === "object" ? "an object without the texts path and message" : `a ${typeof value}`;
}
