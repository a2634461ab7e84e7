/**
 * The phase `do` of a set with a target. The pass finds out where the objects belong, removes them from where they were, and applies
 * them as every set does.
 */
import { ownerLabels } from "@treadle/apimachinery";
import type { StepResult } from "@treadle/reconcile";
import { entered, heldTarget } from "../../targets/pass/enter-target.ts";
import type { HeldTarget } from "../../targets/pass/held-target.ts";
import { formerOf, leaveFormer } from "../../targets/pass/leave-target.ts";
import { storedTargetOf } from "../../targets/pass/stored-target.ts";
import { TargetPlace } from "../../targets/pass/target-place.ts";
import { LOOK_AGAIN_MS } from "../../retry-later.ts";
import type { SetDefinition } from "../definition.ts";
import { applyNow, isSuspended, notYet, refuse, resultOfSettled, suspend } from "./apply.ts";
import { type Run, runOf, type SetDoReq } from "./run.ts";
import { isSettled } from "./settled.ts";
import { placementNamespaces } from "./target-key.ts";
import { targetStepOf } from "./target-step.ts";

/** Runs the phase. Returns without a promise if nothing has changed since the last pass. */
export function applyAtTarget(definition: SetDefinition, req: SetDoReq): StepResult<{}> | Promise<StepResult<{}>> {
  const here = runOf(definition, req);
  const { target } = definition;
  try {
    if (isSuspended(here)) return suspend(here);
    if (target === undefined) return backToOwn(here);
    const found = heldTarget(targetStepOf(here), target);
    return found.type === "refused" ? found.wait : inTarget(here, found.held);
  } catch (error) {
    return refuse(here, error);
  }
}

function inTarget(here: Run<SetDoReq>, held: HeldTarget): StepResult<{}> | Promise<StepResult<{}>> {
  const { definition, req, memory, state } = here;
  if (memory.target !== held.identity.digest) memory.settled = undefined;
  memory.target = held.identity.digest;
  const place = placeOf(here, held);
  const stored = held.cluster === undefined ? undefined : storedTargetOf(held.identity, held.cluster);
  const run = runOf(definition, req, { place, target: stored });
  const { settled } = memory;
  if (state.target !== undefined && isSettled(run, settled)) return resultOfSettled(run, settled);
  memory.settled = undefined;
  return entered(targetStepOf(here), held, {
    use: async (target) => await applyNow(runOf(definition, req, { place, target })),
    later: (message) => notYet(here, message, { transientMs: LOOK_AGAIN_MS }),
    settle: () => place.settle(),
  });
}

function placeOf(here: Run, held: HeldTarget): TargetPlace {
  const { definition, context, pass } = here;
  return new TargetPlace(held, {
    req: here.req,
    key: targetStepOf(here).key,
    ownerLabels: ownerLabels(context.owner, context.handlerName),
    managers: [...context.handlerNames, ...context.replacedManagers],
    ownerKind: context.ownerKind,
    namespaces: placementNamespaces(here),
    cacheKindOf: definition.source.cacheKindOf,
    wake: pass.waker(),
  });
}

/** The author has removed the target from the set: its objects belong to the cluster of the operator again. */
async function backToOwn(here: Run<SetDoReq>): Promise<StepResult<{}>> {
  const step = targetStepOf(here);
  const former = formerOf(step, undefined);
  if (former !== undefined) {
    const left = await leaveFormer(step, former, { cannot: "TargetChanged" });
    if (left !== undefined) return left;
  }
  return await applyNow(runOf(here.definition, here.req));
}
