/**
 * Transient failures of steps that keep their conditions: Ready stays as it was for a time. The start of the time is in the memory
 * of the object, so a restart of the operator begins it again.
 */
import type { Condition } from "@treadle/apimachinery";
import { isTransient } from "@treadle/client";
import { isReconcileError } from "../errors.ts";
import { errorsIn } from "../internal/redact.ts";
import { isTerminal } from "../pass/requeue.ts";
import type { StepRuntime } from "../build/step-runtime.ts";
import type { Pass } from "./pass-state.ts";
import type { Progress } from "./progress.ts";

/** The time for which a transient failure leaves Ready as it was, in milliseconds. */
export const TRANSIENT_MS = 60_000;

/** Finds the failures of the pass that Ready does not report yet. */
export function noteTransient(pass: Pass): void {
  const { clock, memory, progress, pipeline } = pass;
  // A gate or a shutdown ended the pass: nothing is known of the steps.
  if (pipeline.conditions?.computesReady !== true || pass.reports === "gated") return;
  const found = [...progress].filter(([step, ended]) => keepsAll(pass, step) && isTransientEnd(ended));
  const { transientSinceMs: before } = memory;
  if (found.length === 0) {
    if (before !== undefined) delete memory.transientSinceMs;
    return;
  }
  const nowMs = clock.elapsed();
  const since = new Map(found.map(([{ name }]) => [name, before?.get(name) ?? nowMs]));
  memory.transientSinceMs = since;
  if (pass.reports !== "full" || !isReadyCurrent(pass)) return;
  const rests = found.map(([step, ended]) => ({ step, ms: (since.get(step.name) ?? nowMs) + hiddenMs(ended) - nowMs }));
  const hidden = rests.filter(({ ms }) => ms > 0);
  if (hidden.length === 0) return;
  pass.hidden = new Set(hidden.map(({ step }) => step));
  pass.dueMs = Math.min(...hidden.map(({ ms }) => ms));
}

function hiddenMs(ended: Progress): number {
  return (ended.type === "wait" ? ended.cause?.transientMs : undefined) ?? TRANSIENT_MS;
}

/** The step has at least one condition, and said `keep` of each. */
function keepsAll({ settings }: Pass, { conditions }: StepRuntime): boolean {
  return conditions.length > 0 && conditions.every(({ type }) => settings.get(type) === "keep");
}

/** Returns whether a step ended for a reason that a retry resolves: a conflict, a timeout, a lost connection, a server that is overloaded, a list. */
export function isTransientEnd(ended: Progress): boolean {
  if (ended.type === "wait") return ended.conflict !== undefined || ended.cause?.isTransient === true;
  return ended.type === "failed" && !isTerminal(ended.error) && errorsIn(ended.error).every((each) => isTransient(each) || isTimeout(each));
}

function isTimeout(error: unknown): boolean {
  return isReconcileError(error) && error.code === "ERR_STEP_TIMEOUT";
}

/** A Ready of an earlier generation must not stay: readers would take it for current. */
function isReadyCurrent({ object }: Pass): boolean {
  const { status } = object as { readonly status?: { readonly conditions?: readonly Condition[] } };
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return ready !== undefined && ready.observedGeneration === object.metadata.generation;
}
