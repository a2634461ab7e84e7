/**
 * Whether a step keeps its objects in this pass: `includeWhen`, `orphanWhen`, `when` and `until`, in this order. The first that
 * says no decides.
 */
import type { KubernetesObject } from "@treadle/apimachinery";
import { misuse } from "@treadle/reconcile/unstable/engine";
import { nameOfAnswer } from "./core/answers.ts";
import { isToBeAsked } from "./core/timing.ts";
import type { Dependent } from "./dependent.ts";
import type { Absence } from "./entry-condition.ts";
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
  const answer: unknown = includeWhen(owner, { isServed });
  if (typeof answer === "boolean") return answer;
  throw misuse(
    "ERR_INVALID_STEP",
    `step "${name}": includeWhen must return true or false, and no promise; it returned ${nameOfAnswer(answer)}`,
  );
}

/** Whether the objects of the step are released. @throws what the author's functions throw, and TypeError for another answer */
export function isReleased({ options, name }: Dependent, owner: KubernetesObject): boolean {
  return options.orphanWhen !== undefined && hold(`step "${name}": orphanWhen`, options.orphanWhen, [owner]);
}

/**
 * Why the step keeps no object, as far as its owner alone decides: by `orphanWhen`, and by a `when` that takes no inputs. For a step
 * whose inputs are not there yet. @throws as {@link verdictOf}
 */
export function dropByOwner({ dependent, context: { owner } }: Unit): Absence | undefined {
  const { name, options } = dependent;
  if (isReleased(dependent, owner)) return RELEASED;
  const predicates = [options.when ?? []].flat().filter((predicate) => predicate.length <= 1);
  return hold(`step "${name}": when`, predicates, [owner]) ? undefined : NOT_WANTED;
}

/**
 * Asks the predicates. With `isAgain` only those are asked whose answers may have changed although their inputs have not: the
 * others have let the step keep its objects.
 *
 * @throws what the author's functions throw, and TypeError for an answer of another type
 */
export function verdictOf(unit: Unit, inputs: PassInputs, { isAgain }: { readonly isAgain: boolean }): Verdict {
  const { dependent, context } = unit;
  const { name, options } = dependent;
  const { owner } = context;
  const asks = (predicate: string): boolean =>
    !isAgain || isToBeAsked(context.memory.unit(context.unit).predicates.get(predicate), context.clock.now());
  if (!isAgain && isReleased(dependent, owner)) return { type: "drop", why: RELEASED };
  if (options.when !== undefined && asks("when")) {
    const holds = timed(unit, "when", () => hold(`step "${name}": when`, options.when, [owner, inputs]));
    if (!holds) return { type: "drop", why: NOT_WANTED };
  }
  const { until } = options;
  if (until === undefined || !asks("until")) return KEEP;
  const answer: unknown = timed(unit, "until", () => until(owner, inputs as never));
  if (answer === true) return KEEP;
  if (typeof answer === "string" && answer !== "") return { type: "hold", reason: answer };
  throw misuse(
    "ERR_INVALID_STEP",
    `step "${name}": until must return true, or a text with the reason why not, and no promise; it returned ${nameOfAnswer(answer)}`,
  );
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

/** Whether a predicate, or each of a list, answers `true`; `undefined` does not hold. */
function hold(where: string, given: unknown, args: readonly unknown[]): boolean {
  const isList = Array.isArray(given);
  const predicates: readonly unknown[] = isList ? given : [given];
  return predicates.every((predicate, i) => {
    const answer: unknown = (predicate as (...args: readonly unknown[]) => unknown)(...args); // requireOptions() has checked it.
    if (typeof answer === "boolean" || answer === undefined) return answer === true;
    const what = isList ? `${where}[${i}]` : where;
    throw misuse("ERR_INVALID_STEP", `${what} must return true, false or undefined, and no promise; it returned ${nameOfAnswer(answer)}`);
  });
}
