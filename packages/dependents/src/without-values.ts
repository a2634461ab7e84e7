/** A step that does not wait, and whose values are missing: its objects stay as they are, and the supervisor hears of them. */
import { type KubernetesObject, ownership } from "@treadle/apimachinery";
import type { StepResult, Wait } from "@treadle/reconcile";
import type { Converged } from "./core/plan.ts";
import { UNCHANGED } from "./core/work.ts";
import { givenBy, handOverGiven } from "./gives.ts";
import { type Brought, entriesOf } from "./outcomes.ts";
import { liveObjects } from "./subjects.ts";
import { type AnyDoReq, report, type Unit } from "./unit.ts";

/** The reason of an object whose values are missing, as in the wait of its step. */
const MISSING_VALUE = "MissingValue";

/** Reports the objects of ours that exist. Without the values it is not known which others the step wants. */
export function leaveAsTheyAre(unit: Unit<AnyDoReq>, { reason }: Wait): StepResult<{}> {
  const { dependent, pass, context } = unit;
  const kept = dependent.names(context.owner).list.flatMap(({ item, target }): readonly Brought[] => {
    const live: KubernetesObject | undefined = context.cache.get(dependent.policy.kind, target);
    if (live === undefined || ownership(live, context.owner, context.handlerNames).type !== "ours") return [];
    const state = { type: "Pending", reason: MISSING_VALUE, message: reason };
    const isKept = { isApplied: false, isKept: true, operation: UNCHANGED };
    const converged: Converged = { type: "not yet", live, state, again: "watch", cause: MISSING_VALUE, ...isKept };
    const subject = { item, live, target: () => target };
    return [{ type: "brought", subject, target, converged, given: givenBy(unit, subject, converged) }];
  });
  pass.found.live.set(
    dependent.name,
    liveObjects(
      dependent.isEach,
      kept.map(({ subject }) => subject),
    ),
  );
  handOverGiven(unit, kept);
  const entries = entriesOf(unit, kept);
  if (dependent.isChecked) report(unit, entries);
  return unit.req.next();
}
