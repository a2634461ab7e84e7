/**
 * Slows down writes of an object that do not last. Without it, an object that another program reverts each time, or one
 * whose desired state differs at every call, would be written as fast as the server answers, forever.
 */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { Context } from "./context.ts";
import { isSameQuestion, seenInputs } from "./inputs.ts";
import type { ObjectMemory, Pace } from "./memory.ts";
import type { Plan } from "./plan.ts";

/** Strain that is free of delays: five writes for the same inputs, or twenty because another writer changed the object. */
const FREE = 20;
const COST_OF_CHANGE_BY_OTHERS = 1;
const COST_OF_SAME_INPUT = 4;
/** As the backoff of waiting passes: 50 ms doubling to 10 s. */
const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 10_000;
/** After this time without a write the strain is forgotten. It is longer than the longest delay. */
const QUIET_MS = 60_000;

type Asker = Pick<Context, "owner" | "clock">;

/** Milliseconds until the next write may be made; 0: now. */
export function heldBackMs(context: Asker, memory: ObjectMemory): number {
  const pace = paceOf(context, memory);
  return pace === undefined ? 0 : Math.max(0, pace.lastMs + delayOf(pace) - context.clock.now());
}

/** Why the object is written again and again, for people; `undefined` as long as it is not. */
export function contested(context: Asker, memory: ObjectMemory): string | undefined {
  const pace = paceOf(context, memory);
  return pace === undefined || pace.strain < FREE ? undefined : pace.why;
}

/** Notes a write before it is made. `why`: a path, or what else made it necessary. */
export function noteWrite(
  context: Context,
  { policy, inputs }: Pick<Plan, "policy" | "inputs">,
  { memory, live, why }: { readonly memory: ObjectMemory; readonly live: KubernetesObject | undefined; readonly why: string },
): void {
  const { owner, clock, log } = context;
  const before = paceOf(context, memory);
  const isUntouched = live !== undefined && live.metadata.resourceVersion === memory.applied?.resourceVersion;
  const isSame = inputs === undefined || (before?.seen !== undefined && isSameQuestion(before.seen, context, inputs));
  const cost = isUntouched && isSame ? COST_OF_SAME_INPUT : COST_OF_CHANGE_BY_OTHERS;
  const strain = before === undefined ? cost : before.strain + (before.strain >= FREE ? COST_OF_SAME_INPUT : cost);
  if (strain >= FREE && (before?.strain ?? 0) < FREE)
    log.warn({ kind: policy.kind.kind, difference: why }, "a dependent has to be written again and again: from now on with delays");
  const seen = inputs === undefined ? undefined : seenInputs(context, inputs);
  memory.pace = { generation: owner.metadata.generation, strain, lastMs: clock.now(), seen, why };
}

function delayOf({ strain }: Pace): number {
  return strain < FREE ? 0 : Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(30, Math.floor((strain - FREE) / COST_OF_SAME_INPUT)));
}

/** `undefined` where the owner was changed since, or the object was not written for a while. */
function paceOf({ owner, clock }: Asker, { pace }: ObjectMemory): Pace | undefined {
  if (pace === undefined || pace.generation !== owner.metadata.generation) return undefined;
  return clock.now() - pace.lastMs > QUIET_MS ? undefined : pace;
}
