/**
 * Whether a step keeps its objects in this pass: `includeWhen`, `orphanWhen`, `when` and `until`, in this order. The first that
 * says no decides.
 */
import type { Gate, KubernetesObject } from "@treadle/apimachinery";
import { misuse } from "@treadle/reconcile/unstable/engine";
import { called, isKnown, nameOfAnswer, UNKNOWN_INPUTS } from "./core/ask.ts";
import { isToBeAsked } from "./core/timing.ts";
import type { Dependent } from "./dependent.ts";
import type { Absence } from "./entry-condition.ts";
import { holds } from "./gates.ts";
import type { PassInputs } from "./pass-inputs.ts";
import type { ClusterFacts } from "./types.ts";
import type { Unit } from "./unit.ts";

/** What the predicates of a step say of its objects. */
export type Verdict =
  | { readonly type: "keep" }
  /** What exists of ours is removed. */
  | { readonly type: "drop"; readonly why: Absence }
  /** Nothing is written or removed. */
  | { readonly type: "hold"; readonly reason: string };

/** The object is not part of the list. */
export const NOT_INCLUDED: Absence = Object.freeze({ reason: "NotIncluded", clause: "is not included" });
/** `desired` returned nothing. */
export const NOT_DESIRED: Absence = Object.freeze({ reason: "NotDesired", clause: "is not desired" });
/** Another writer has not created the object, and the author ignores that. */
export const IGNORED: Absence = Object.freeze({ reason: "Absent", clause: "does not exist" });
const NOT_WANTED: Absence = Object.freeze({ reason: "NotWanted", clause: "is not wanted" });
const RELEASED: Absence = Object.freeze({ reason: "Released", clause: "is released" });
const KEEP: Verdict = Object.freeze({ type: "keep" });

/** Whether the step is part of the list in this pass. @throws what the author's function throws, and TypeError for another answer */
export function isIncluded({ options, name }: Dependent, owner: KubernetesObject, { isServed }: ClusterFacts): boolean {
  const { includeWhen } = options;
  if (includeWhen === undefined) return true;
  const where = `step "${name}": includeWhen`;
  const answer: unknown = called(where, () => includeWhen(owner, { isServed }));
  if (typeof answer === "boolean") return answer;
  throw misuse(
    "ERR_INVALID_STEP",
    `${where} returned ${nameOfAnswer(answer)}, but must return true or false: compute the answer from its arguments`,
  );
}

/** Whether the objects of the step are released. @throws what the author's functions throw, and TypeError for another answer */
export function isReleased({ options, name }: Dependent, owner: KubernetesObject): boolean {
  return options.orphanWhen !== undefined && holds<[KubernetesObject]>(options.orphanWhen, [owner], `step "${name}": orphanWhen`);
}

/**
 * Why the step keeps no object, as far as its owner alone decides: by `orphanWhen`, and by a `when` that uses no inputs. For a step
 * whose inputs are not there yet. @throws as {@link verdictOf}
 */
export function dropByOwner({ dependent, context: { owner } }: Unit): Absence | undefined {
  const { name, options } = dependent;
  if (isReleased(dependent, owner)) return RELEASED;
  const where = `step "${name}": when`;
  // The options declare what the gates get besides the owner.
  const gates = [options.when ?? []].flat() as readonly Gate<[KubernetesObject, object]>[];
  const known = gates.filter((gate) => isKnown(() => gate(owner, UNKNOWN_INPUTS)));
  return holds(known, [owner, UNKNOWN_INPUTS], where) ? undefined : NOT_WANTED;
}

/**
 * Asks the predicates, `until` unless `asksUntil` is false. With `isAgain` only those are asked whose answers may have changed although their inputs have not: the
 * others have let the step keep its objects.
 *
 * @throws what the author's functions throw, and TypeError for an answer of another type
 */
export function verdictOf(
  unit: Unit,
  inputs: PassInputs,
  { isAgain, asksUntil = true }: { readonly isAgain: boolean; readonly asksUntil?: boolean },
): Verdict {
  const { dependent, context } = unit;
  const { name, options } = dependent;
  const { owner } = context;
  const asks = (predicate: string): boolean =>
    !isAgain || isToBeAsked(context.memory.unit(context.unit).predicates.get(predicate), context.clock.now());
  if (!isAgain && isReleased(dependent, owner)) return { type: "drop", why: RELEASED };
  if (options.when !== undefined && asks("when")) {
    const isWanted = timed(unit, "when", () =>
      holds<[KubernetesObject, never]>(options.when, [owner, inputs as never], `step "${name}": when`),
    );
    if (!isWanted) return { type: "drop", why: NOT_WANTED };
  }
  const { until } = options;
  if (until === undefined || !asksUntil || !asks("until")) return KEEP;
  const where = `step "${name}": until`;
  const answer: unknown = timed(unit, "until", () => called(where, () => until(owner, inputs as never)));
  if (answer === true) return KEEP;
  if (typeof answer === "string" && answer !== "") return { type: "hold", reason: answer };
  throw misuse("ERR_INVALID_STEP", `${where} returned ${nameOfAnswer(answer)}, but must return true, or a text with the reason why not`);
}

/** Calls a predicate, and remembers how it used the time. */
function timed<T>({ context }: Unit, predicate: string, ask: () => T): T {
  const { predicates } = context.memory.unit(context.unit);
  const answer = ask();
  const use = context.timing.take(predicate);
  if (use === undefined) predicates.delete(predicate);
  else predicates.set(predicate, use);
  return answer;
}
