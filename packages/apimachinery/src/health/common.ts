/** The rules that hold for objects of every kind: deletion, generation, and the conditions that kstatus defines. */
import { isConditionReason } from "../conditions.ts";
import { conditionAt, integerAt, Malformed, textAt } from "./fields.ts";
import { failed, type Fields, type Health, pending, READY, type StatusCondition, type Subject } from "./verdict.ts";

/** Judges an object without a look at its kind; `undefined`: the rule of its kind decides. */
export function judgedByCommonRules({ metadata, status, conditions }: Subject): Health | undefined {
  if (textAt(metadata, "deletionTimestamp") !== "") return pending("Deleting", `it is being deleted${finalizersOf(metadata)}`);
  const observed = integerAt(status, "observedGeneration");
  const generation = integerAt(metadata, "generation");
  if (observed !== undefined && generation !== undefined && observed !== generation) return notObserved(generation, observed);
  for (const condition of conditions) {
    if (condition.status !== "True") continue;
    if (condition.type === "Reconciling") return pending(reasonOf(condition, "Reconciling"), messageOf(condition));
    if (condition.type === "Stalled") return failed(reasonOf(condition, "Stalled"), messageOf(condition));
  }
  return undefined;
}

/** Pending if the controller of a built-in kind has not written a status yet. Its status always has an observedGeneration. */
export function judgedWhileUnseen({ metadata, status }: Subject): Health | undefined {
  const generation = integerAt(metadata, "generation");
  if (generation === undefined || integerAt(status, "observedGeneration") !== undefined) return undefined;
  return pending("GenerationNotObserved", "its controller has not seen it yet");
}

/** Judges an object of a kind without a rule: by its condition Ready. Without one, it is ready when it exists. */
export function judgedByReady({ metadata, conditions }: Subject): Health {
  const condition = conditionAt(conditions, "Ready");
  if (condition === undefined || !["True", "False", "Unknown"].includes(condition.status)) return READY;
  const generation = integerAt(metadata, "generation");
  const { observedGeneration: observed } = condition;
  if (generation !== undefined && observed !== undefined && observed < generation) return notObserved(generation, observed);
  return condition.status === "True" ? READY : pending(reasonOf(condition, "NotReady"), messageOf(condition));
}

/** Returns the reason of a condition, or `fallback` if the reason is missing or not valid. */
export function reasonOf({ reason }: { readonly reason: string }, fallback: string): string {
  return isConditionReason(reason) ? reason : fallback;
}

/** Returns the message of a condition, or what the condition says without one. */
export function messageOf({ type, status, message }: StatusCondition): string {
  return message === "" ? `its condition ${type} is ${status === "" ? "empty" : status}` : message;
}

/** Returns the spec of a kind that always has one. @throws Malformed for an object that was read without its contents */
export function specOf({ spec }: Subject): Fields {
  if (spec === undefined) throw new Malformed("the object has no spec: it was read without its contents");
  return spec;
}

/** The answer for an object whose controller reports on an earlier generation; a negative one: it reports on none. */
export function notObserved(generation: number, observed: number): Health {
  const report = observed < 0 ? "none" : `generation ${observed}`;
  return pending("GenerationNotObserved", `its controller has not seen generation ${generation} yet: it reports on ${report}`);
}

function finalizersOf(metadata: Fields): string {
  const finalizers = metadata["finalizers"];
  return Array.isArray(finalizers) && finalizers.length > 0
    ? `: it waits for ${finalizers.filter((name) => typeof name === "string").join(", ")}`
    : "";
}
