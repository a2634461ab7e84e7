/** Generic step: blocks later steps until a predicate holds. */
import type { Kind, ObjectOf } from "@treadle/apimachinery";
import { misuse } from "../internal/misuse.ts";
import type { Reads } from "../reads.ts";
import type { DoReq } from "../req.ts";
import { type AnyStep, type NeedsOf, type Step, step } from "../step.ts";

/** These are the options of {@link guard}. */
export interface GuardOptions<K extends Kind, C extends string, L extends readonly AnyStep[], D extends Reads<ObjectOf<K>>> {
  /** The name of the step. */
  readonly name: string;
  /** The condition that shows the guard: True, or False with the reason `Blocked`. */
  readonly condition: C;
  /** The steps whose vars the predicate gets. */
  readonly needs?: L;
  /** The objects that the predicate reads. */
  readonly reads?: D;
  /**
   * Decides in every pass: `true` continues the chain, a text is the reason of a wait. A change of a read triggers the next
   * pass, or the waiting backoff does.
   */
  until(req: DoReq<ObjectOf<K>, NeedsOf<L>, D, C, {}>): true | string | Promise<true | string>;
}

/** Makes a step that waits until `until` returns `true`. */
export function guard<
  K extends Kind,
  const C extends string,
  const L extends readonly AnyStep[] = readonly [],
  D extends Reads<ObjectOf<K>> = {},
>(kind: K, options: GuardOptions<K, C, L, D>): Step<ObjectOf<K>, NeedsOf<L>, {}, C> {
  const { name, condition, needs, reads } = options;
  return step(kind, {
    name,
    conditions: [condition],
    ...(needs === undefined ? {} : { needs }),
    ...(reads === undefined ? {} : { reads }),
    async do(req) {
      const answer = requireAnswer(name, await options.until(req as DoReq<ObjectOf<K>, NeedsOf<L>, D, C, {}>));
      if (answer === true) {
        req.conditions.true(condition, "Passed");
        return;
      }
      return req.conditions.false(condition, "Blocked", answer).wait();
    },
  }) as Step<ObjectOf<K>, NeedsOf<L>, {}, C>;
}

/** @throws TypeError for other truthy or falsy values: only `true` continues the chain, and only a text is a reason. */
export function requireAnswer(step: string, answer: unknown): true | string {
  if (answer === true || typeof answer === "string") return answer;
  throw misuse(
    "ERR_INVALID_STEP",
    `step "${step}": until must return true, or a text with the reason of the wait; it returned ${answer === null ? "null" : typeof answer}`,
  );
}
