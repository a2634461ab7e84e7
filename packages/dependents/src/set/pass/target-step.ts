/** A set as the code of targets sees it. */
import { targetKeyOf } from "../../targets/pass/services.ts";
import type { TargetStep } from "../../targets/pass/target-step.ts";
import { sets } from "../extension.ts";
import { removeAll } from "./cleanup.ts";
import { type Run, runOf, type SetCleanupReq, type SetDoReq } from "./run.ts";
import { reportTarget } from "./target-report.ts";

/** Returns the set of a run, for the code of targets. */
export function targetStepOf(run: Run<SetDoReq | SetCleanupReq>): TargetStep {
  const { definition, req, pass, context, state } = run;
  const { name, target } = definition;
  const { memory } = sets.of(req);
  return {
    name,
    noun: "set",
    key: targetKeyOf(pass, name),
    owner: context.owner,
    req,
    pass,
    target,
    targets: memory.targetsOf(name),
    state,
    isPlanned: req.isDryRun && "vars" in req,
    hasObjects: () => Object.keys(state.kinds).length > 0,
    isOwnWhole: () => context.cache.covers(context.ownerKind, "*"),
    kinds: () => Object.keys(state.kinds).toSorted(),
    report: (report) => reportTarget(run, report),
    removeAt: async (place) => await removeAll(runOf(definition, req as SetCleanupReq, { place, target: undefined })),
    forget: () => {
      state.kinds = {};
      state.done = {};
      state.others = undefined;
      state.revision = 0;
      state.target = undefined;
      state.inputs = undefined;
      state.reached = undefined;
      memory.forget(name);
    },
  };
}
