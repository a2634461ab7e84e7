/** Generic step: a barrier at the beginning of an object's life, passed once. */
import type { Kind, ObjectOf } from "@treadle/apimachinery";
import { z } from "zod";
import type { Reads } from "../reads.ts";
import type { DoReq } from "../req.ts";
import { type AnyStep, type NeedsOf, type Step, step } from "../step.ts";
import { requireAnswer } from "./guard.ts";

const STATE = z.object({ passedAt: z.string().optional() });

/** These are the options of {@link prerequisite}. */
export interface PrerequisiteOptions<K extends Kind, C extends string, L extends readonly AnyStep[], D extends Reads<ObjectOf<K>>> {
  /** The persistent name of the step: the state that the barrier was passed is stored under it. */
  readonly name: string;
  /** The condition that shows the barrier: True, or False with the reason `PrerequisiteNotMet`. */
  readonly condition: C;
  /** The steps whose vars the predicate gets. */
  readonly needs?: L;
  /** The objects that the predicate reads. */
  readonly reads?: D;
  /** Decides until it returns `true` once, and is never called again. A text is the reason of a wait. */
  until(req: DoReq<ObjectOf<K>, NeedsOf<L>, D, C, { passedAt?: string | undefined }>): true | string | Promise<true | string>;
}

/** Makes a step that waits until `until` has returned `true` once. A later change does not block again. Needs a kind with step state. */
export function prerequisite<
  K extends Kind,
  const C extends string,
  const L extends readonly AnyStep[] = readonly [],
  D extends Reads<ObjectOf<K>> = {},
>(kind: K, options: PrerequisiteOptions<K, C, L, D>): Step<ObjectOf<K>, NeedsOf<L>, {}, C> {
  const { name, condition, needs, reads } = options;
  return step(kind, {
    name,
    conditions: [condition],
    state: STATE,
    ...(needs === undefined ? {} : { needs }),
    ...(reads === undefined ? {} : { reads }),
    async do(req) {
      if (req.state.passedAt === undefined) {
        const answer = requireAnswer(
          name,
          await options.until(req as DoReq<ObjectOf<K>, NeedsOf<L>, D, C, { passedAt?: string | undefined }>),
        );
        if (answer !== true) return req.conditions.false(condition, "PrerequisiteNotMet", answer).wait();
        req.state.passedAt = req.now().toISOString();
      }
      req.conditions.true(condition, "Passed");
      return;
    },
  }) as Step<ObjectOf<K>, NeedsOf<L>, {}, C>;
}
