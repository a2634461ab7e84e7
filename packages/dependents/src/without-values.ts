/** A step that does nothing in a pass: its objects stay as they are, and those that exist still give their values. */
import { ownership } from "@treadle/apimachinery";
import type { StepResult, Wait } from "@treadle/reconcile";
import type { Converged } from "./core/plan.ts";
import { UNCHANGED } from "./core/work.ts";
import { givenBy, handOverGiven } from "./gives.ts";
import { type Brought, entriesOf } from "./outcomes.ts";
import { liveObjects, subjectsOf } from "./subjects.ts";
import { type AnyDoReq, report, type Unit } from "./unit.ts";

/** The reason of an object whose values are missing, as in the wait of its step. */
const MISSING_VALUE = "MissingValue";

/** Reports the objects of ours that exist. Without the values it is not known which others the step wants. */
export function leaveAsTheyAre(unit: Unit<AnyDoReq>, { reason }: Wait): StepResult<{}> {
  const { dependent, pass } = unit;
  const kept = asTheyAre(unit, reason);
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

/**
 * Hands over the values of the objects of ours that exist, for a step that another one blocks: steps elsewhere in the handler that
 * need them are not blocked. A function of the author that throws is reported when the step runs.
 */
export function giveAsTheyAre(unit: Unit<AnyDoReq>, reason: string): void {
  if (unit.dependent.options.gives === undefined) return;
  try {
    handOverGiven(unit, asTheyAre(unit, reason));
  } catch {
    // The values are missing.
  }
}

function asTheyAre(unit: Unit<AnyDoReq>, message: string): readonly Brought[] {
  const { owner, handlerNames } = unit.context;
  return subjectsOf(unit).flatMap((subject): readonly Brought[] => {
    const { live } = subject;
    if (live === undefined || ownership(live, owner, handlerNames).type !== "ours") return [];
    const state = { type: "Pending", reason: MISSING_VALUE, message };
    const isKept = { isApplied: false, isKept: true, operation: UNCHANGED };
    const converged: Converged = { type: "not yet", live, state, again: "watch", cause: MISSING_VALUE, ...isKept };
    return [{ type: "brought", subject, target: subject.target(), converged, given: givenBy(unit, subject, converged) }];
  });
}
