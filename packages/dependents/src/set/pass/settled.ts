/** A pass in which nothing has changed: it compares one version for each object, and counts the objects of each kind. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { marksOf } from "../../core/marks.ts";
import type { Outcome } from "./outcome.ts";
import { isSameRequest } from "../render/inputs.ts";
import { isSameKinds } from "../plan/make-plan.ts";
import type { Plan } from "../plan/plan.ts";
import type { Run, SetDoReq } from "./run.ts";
import type { SettledPass } from "./state.ts";

/** Whether the last pass left nothing to do, and nothing has changed since. */
export function isSettled(run: Run<SetDoReq>, settled: SettledPass | undefined): settled is SettledPass {
  if (settled === undefined) return false;
  const { context, pass } = run;
  if (settled.dueAtMs !== undefined && pass.clock.now() >= settled.dueAtMs) return false;
  const { plan, versions, counts } = settled;
  if (!isSameRequest(run) || !isSameKinds(run, plan)) return false;
  const { cache } = context;
  for (let i = 0; i < versions.length; i++) {
    const version = versions[i];
    const member = plan.members[i];
    if (member === undefined || member.kindState.type !== "watched") continue;
    if ((cache.get(member.kind, member.ref) as KubernetesObject | undefined)?.metadata.resourceVersion !== version) return false;
  }
  return counts.every(({ kind, name, count }) => cache.list(kind, { matchLabels: marksOf(context, name) }).length === count);
}

/** Notes a pass that left nothing to do. */
export function noteSettled(run: Run, plan: Plan, outcomes: readonly Outcome[], dueAtMs: number | undefined): void {
  const { context, memory } = run;
  const kinds = [...plan.kinds.values()].flatMap((state) => (state.type === "watched" ? [state.kind] : []));
  const counts = context.handlerNames.flatMap((name) =>
    kinds.map((kind) => ({ kind, name, count: context.cache.list(kind, { matchLabels: marksOf(context, name) }).length })),
  );
  // Marks of a former name are still to be replaced.
  if (counts.some(({ name, count }) => name !== context.handlerName && count > 0)) return;
  memory.settled = {
    plan,
    versions: outcomes.map(({ live }) => live?.metadata.resourceVersion),
    counts,
    dueAtMs,
  };
}
