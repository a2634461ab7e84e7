/** Generic step: later steps are not reached until a predicate holds. */
import type { Kind, ObjectOf } from "@treadle/apimachinery";
import { misuse } from "../internal/misuse.ts";
import type { Reads } from "../reads.ts";
import type { DoReq } from "../req.ts";
import { type AnyStep, type NeedsOf, type Step, step } from "../step.ts";

/** Options of {@link guard}. */
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
   * Asked in every pass: `true` lets the chain go on, a text is the reason why not yet. Woken by the reads; the waiting
   * curve is the fallback.
   */
  until(req: DoReq<ObjectOf<K>, NeedsOf<L>, D, C, {}>): true | string | Promise<true | string>;
}

/** A step that waits until `until` answers `true`. */
export function guard<
  K extends Kind,
  const C extends string,
  const L extends readonly AnyStep[] = readonly [],
  D extends Reads<ObjectOf<K>> = {},
>(kind: K, options: GuardOptions<K, C, L, D>): Step<ObjectOf<K>, NeedsOf<L>> {
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
  }) as Step<ObjectOf<K>, NeedsOf<L>>;
}

/** @throws TypeError for what is merely truthy or falsy: only `true` lets the chain go on, and only a text says why not. */
export function requireAnswer(step: string, answer: unknown): true | string {
  if (answer === true || typeof answer === "string") return answer;
  throw misuse(
    "ERR_INVALID_STEP",
    `step "${step}": until must answer true, or say as a text why not yet; it answered with ${answer === null ? "null" : typeof answer}`,
  );
}
