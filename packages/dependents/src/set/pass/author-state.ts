/** The state of an object that its author decides, in place of its health. */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { DependentState } from "../../core/entries.ts";
import { titleOf } from "../../core/marks.ts";
import type { PlannedMember } from "../plan/plan.ts";
import { isSeen, NO_OBJECTS } from "../render/seen-objects.ts";
import type { Run } from "./run.ts";

/** The reason of an object that has changed since the renderer saw it. */
export const OUTDATED = "Outdated";

/**
 * Returns the state that the author gives to an object; `undefined`: the author gives none.
 *
 * @param live the object as it is stored now; `undefined`: it was not read since the rendering
 */
export function authorStateOf(
  { definition, memory, context }: Run,
  member: PlannedMember,
  live: KubernetesObject | undefined,
): DependentState | undefined {
  const { state } = member.config;
  const isSame = live === undefined || definition.options.live !== true || isSeen(memory.rendered?.seen ?? NO_OBJECTS, member, live);
  if (state === undefined || isSame) return state;
  const message = `${titleOf(member.policy, member.ref, context.owner)} has changed since its state was rendered`;
  return { type: "Pending", reason: OUTDATED, message };
}
