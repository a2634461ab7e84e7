/** Asks for the pass in which an answer of the author changes by time alone. */
import { earlier } from "./core/timing.ts";
import type { Outcome } from "./outcomes.ts";
import type { AnyDoReq, Unit } from "./unit.ts";

/** Asks for the earliest pass that a predicate or a function of an object wants. */
export function askAgain(unit: Unit<AnyDoReq>, outcomes: readonly Outcome[]): void {
  const { context, req } = unit;
  const memory = context.memory.unit(context.unit);
  // Of a desired state that is only looked at.
  let dueAtMs = context.isTimed ? context.timing.take("desired")?.dueAtMs : undefined;
  for (const outcome of outcomes) dueAtMs = earlier(dueAtMs, dueOf(outcome));
  if (memory.predicates.size > 0) for (const use of memory.predicates.values()) dueAtMs = earlier(dueAtMs, use.dueAtMs);
  if (dueAtMs !== undefined && dueAtMs < Number.POSITIVE_INFINITY)
    req.revisit(Math.max(0, dueAtMs - context.clock.now()), `step "${context.unit}" asked for it by revisit()`);
  if (context.isTimed) warn(unit);
}

function dueOf(outcome: Outcome): number | undefined {
  if (outcome.type === "unwanted") return outcome.dueAtMs;
  return outcome.type === "brought" ? outcome.converged.dueAtMs : undefined;
}

/** Logs once a function that asks for the time, and does not say when its answer changes. */
function warn({ context, req }: Unit<AnyDoReq>): void {
  const { vague } = context.timing;
  const memory = context.memory.unit(context.unit);
  if (vague === undefined || memory.isWarnedOfTime) return;
  memory.isWarnedOfTime = true;
  req.log.warn(
    { function: vague },
    `${vague} asks for the time by now(), and does not say by revisit() when its answer changes: it is called in each pass, but no pass is scheduled for it. Call revisit(afterMs), or revisit(Infinity) if the answer stays`,
  );
}
