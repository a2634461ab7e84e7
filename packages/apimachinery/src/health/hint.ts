/** Facts about the status of an object that its kind does not tell: what its controller reports sooner or later. */
import { messageOf, notObserved, reasonOf } from "./common.ts";
import { conditionAt, integerAt, isFields } from "./fields.ts";
import { type Health, pending, type StatusCondition, type Subject } from "./verdict.ts";

/** Facts about what the controller of an object reports. Without them, an object without a status may be ready. */
export interface HealthHint {
  /**
   * The controller reports the generation that it has seen, in `status.observedGeneration` or in the condition Ready. Without it the
   * object is not observed yet. @defaultValue false
   */
  readonly hasObservedGeneration?: boolean;
  /** The controller sets the condition Ready. A missing one counts as Unknown. Kinds with a rule ignore it. @defaultValue false */
  readonly hasReadyCondition?: boolean;
  /** Conditions that must be present and True, besides what the kind asks for. @defaultValue none */
  readonly conditions?: readonly string[];
}

/** The hint with checked fields: untyped code may give any value. */
export interface CheckedHint {
  readonly hasObservedGeneration: boolean;
  readonly hasReadyCondition: boolean;
  readonly conditions: readonly string[];
}

/** Returns the hint as far as its fields have the right types; `undefined`: it says nothing. */
export function checkedHint(hint: unknown): CheckedHint | undefined {
  if (!isFields(hint)) return undefined;
  const { hasObservedGeneration, hasReadyCondition, conditions } = hint as { readonly [Field in keyof HealthHint]?: unknown };
  return {
    hasObservedGeneration: hasObservedGeneration === true,
    hasReadyCondition: hasReadyCondition === true,
    conditions: Array.isArray(conditions) ? conditions.filter((type) => typeof type === "string") : [],
  };
}

/** Returns the subject with what the controller has not reported yet. @throws Malformed */
export function withHint(subject: Subject, { hasObservedGeneration, hasReadyCondition }: CheckedHint): Subject {
  const { status, conditions } = subject;
  const ready = conditionAt(conditions, "Ready");
  const isUnseen = hasObservedGeneration && integerAt(status, "observedGeneration") === undefined;
  return {
    ...subject,
    status: isUnseen ? { ...status, observedGeneration: ready?.observedGeneration ?? NEVER } : status,
    conditions: hasReadyCondition && ready === undefined ? [...conditions, NOT_REPORTED] : conditions,
  };
}

/** Pending if a condition that the hint names is missing, is not True, or is about an earlier generation. @throws Malformed */
export function judgedByHint({ metadata, conditions: found }: Subject, { conditions }: CheckedHint): Health | undefined {
  const generation = integerAt(metadata, "generation");
  for (const type of conditions) {
    const condition = conditionAt(found, type);
    if (condition === undefined) return pending("ConditionMissing", `its condition ${type} is missing`);
    const { observedGeneration: observed } = condition;
    if (generation !== undefined && observed !== undefined && observed < generation) return notObserved(generation, observed);
    if (condition.status !== "True") return pending(reasonOf(condition, "ConditionNotTrue"), messageOf(condition));
  }
  return undefined;
}

/** The generation of an object that its controller has not observed. No object has it. */
const NEVER = -1;

const NOT_REPORTED: StatusCondition = {
  type: "Ready",
  status: "Unknown",
  reason: "",
  message: "its condition Ready is missing",
  observedGeneration: undefined,
};
