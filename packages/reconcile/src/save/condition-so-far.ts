/** The condition of a step in the middle of a pass, for `req.conditions.of`. */
import { type Condition, setCondition } from "@treadle/apimachinery";
import type { StepRuntime } from "../build/step-runtime.ts";
import type { Pass } from "../record/pass-state.ts";
import type { Setting } from "../record/progress.ts";
import { settingBy } from "./extension-hooks.ts";
import { settingOfEnd } from "./step-settings.ts";

/** Returns the condition as the pass has set it so far, else as the last pass stored it. */
export function conditionSoFar(pass: Pass, step: StepRuntime, type: string): Condition | undefined {
  const { status, metadata } = pass.object as typeof pass.object & { readonly status?: { readonly conditions?: readonly Condition[] } };
  const stored = status?.conditions?.find((condition) => condition.type === type);
  const setting = settingSoFar(pass, step, type);
  if (setting === undefined) return stored;
  const observed = metadata.generation === undefined ? {} : { observedGeneration: metadata.generation };
  return setCondition(stored === undefined ? [] : [stored], { type, ...setting, ...observed }, pass.clock.now())[0];
}

function settingSoFar(pass: Pass, step: StepRuntime, type: string): Setting | undefined {
  const { settings, progress, pipeline } = pass;
  const set = settings.get(type);
  if (set !== undefined) return set === "keep" ? undefined : set;
  const ended = progress.get(step);
  if (ended === undefined || ended.type === "unreached") return undefined;
  for (const extension of step.uses.size === 0 ? [] : pipeline.extensions) {
    const given = settingBy(pass, extension, step);
    if (given !== undefined) return given;
  }
  // A step that continued without a report may report it later, in its post.
  return ended.type === "done" ? undefined : settingOfEnd(ended);
}
