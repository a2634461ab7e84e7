/** The step state of objects that run to completion once: which desired state of each was complete. */
import { keyOf, type Ref } from "@treadle/apimachinery";
import { z } from "zod";
import type { Once } from "./core/plan.ts";
import type { AnyDoReq, Unit } from "./unit.ts";

/** The state: digests by `namespace/name` of the object. */
export const ONCE_STATE: z.ZodObject<{ completed: z.ZodDefault<z.ZodRecord<z.ZodString, z.ZodString>> }> = z.object({
  completed: z.record(z.string(), z.string()).default({}).describe("Digest of the desired state of each object that was complete"),
});

/** The memory of objects that run once; `undefined` for a step without `once`. */
export function onceOf({ dependent, req }: Unit<AnyDoReq>): Once | undefined {
  if (dependent.options.once !== true) return undefined;
  const state = req.state as z.infer<typeof ONCE_STATE>; // The step declares this schema.
  return {
    done: (target) => state.completed[keyOf(target)],
    note: (target, digest) => {
      if (state.completed[keyOf(target)] !== digest) state.completed[keyOf(target)] = digest;
    },
  };
}

/** Forgets the objects that the step does not keep any more. */
export function forgetOthers({ dependent, req }: Unit<AnyDoReq>, kept: readonly Ref[]): void {
  if (dependent.options.once !== true) return;
  const { completed } = req.state as z.infer<typeof ONCE_STATE>; // The step declares this schema.
  const keys = new Set(kept.map((target) => keyOf(target)));
  for (const key of Object.keys(completed)) if (!keys.has(key)) delete completed[key];
}
