/** The plan of a set in one pass, and how far it was reached. */
import { isSameKinds, planOf } from "../plan/make-plan.ts";
import type { Plan } from "../plan/plan.ts";
import { clusterFactsOf } from "../render/cluster-facts.ts";
import type { Request } from "../render/inputs.ts";
import type { Rendering } from "../render/rendering.ts";
import type { Run, SetDoReq } from "./run.ts";

/** Counts the desired states. The clock of the time limit begins again by itself. */
export function countRevision({ state, memory }: Run, { inputs }: Rendering): void {
  if (state.inputs === inputs) return;
  state.inputs = inputs;
  state.revision += 1;
  memory.begun = new Set();
}

/** Returns the plan for what was rendered: that of the last pass, if nothing has changed. */
export function planFor(run: Run<SetDoReq>, { policies, placement }: Request, { inputs, objects }: Rendering): Plan {
  const { memory, state } = run;
  const before = memory.plan;
  const isOfObjects = before?.rendered === objects;
  if (isOfObjects && isSameKinds(run, before)) return before;
  // A kind has appeared or disappeared: what renderers read of the cluster may be outdated.
  if (isOfObjects) clusterFactsOf(run.context.raw, run.pass.clock).invalidate();
  const plan = planOf(run, objects, { inputs, policies, namespace: placement.namespace });
  memory.plan = plan;
  if (before?.digest === plan.digest) return plan;
  memory.begun = new Set();
  memory.waves.clear();
  memory.reached = reachedIn(state.reached, plan);
  return plan;
}

/** The number of positions that began before a restart. */
function reachedIn(stored: string | undefined, { digest, positions }: Plan): number {
  const [of, wave] = stored?.split(" ") ?? [];
  return of === digest ? positions.filter((position) => position.wave < Number(wave)).length : 0;
}
