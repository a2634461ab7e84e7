/**
 * Slows down writes of an object that do not last. Without it, an object that another program reverts each time, or one
 * whose desired state differs at every call, would be written as fast as the server answers, forever.
 */
import type { KubernetesObject } from "@treadle/apimachinery";
import { Throttle, type ThrottleRules } from "@treadle/reconcile/unstable/engine";
import type { Context } from "./context.ts";
import { isSameQuestion, type SeenInputs, seenInputs } from "./inputs.ts";
import type { ObjectMemory, Pace } from "./memory.ts";
import type { Plan } from "./plan.ts";

/** Free are five writes for the same inputs, or twenty because another writer changed the object. */
const FREE = 20;
const COST_OF_CHANGE_BY_OTHERS = 1;
const COST_OF_SAME_INPUT = 4;
const RULES: ThrottleRules = { free: FREE, perDoubling: COST_OF_SAME_INPUT, quietMs: 60_000 };

type Asker = Pick<Context, "owner" | "clock">;

/** Milliseconds until the next write may be made; 0: now. */
export function heldBackMs(context: Asker, memory: ObjectMemory): number {
  return paceOf(context, memory)?.throttle.restMs(context.clock.now()) ?? 0;
}

/** Why the object is written again and again, for people; `undefined` as long as it is not. */
export function contested(context: Asker, memory: ObjectMemory): string | undefined {
  const pace = paceOf(context, memory);
  return pace === undefined || pace.throttle.strainAt(context.clock.now()) < FREE ? undefined : pace.why;
}

/** Notes a write before it is made. `why`: a path, or what else made it necessary. */
export function noteWrite(
  context: Context,
  { policy, inputs, shared }: Pick<Plan, "policy" | "inputs" | "shared">,
  given: {
    readonly memory: ObjectMemory;
    readonly live: KubernetesObject | undefined;
    readonly why: string;
    /** The desired state depends on the time: then it may differ for the same inputs. */
    readonly isTimed: boolean;
  },
): void {
  const { memory, live, why, isTimed } = given;
  const { owner, clock, log } = context;
  const now = clock.now();
  const before = paceOf(context, memory);
  const throttle = before?.throttle ?? new Throttle(RULES);
  const isUntouched = live !== undefined && live.metadata.resourceVersion === memory.applied?.resourceVersion;
  const isSameAs = (seen: SeenInputs): boolean =>
    inputs === undefined || (shared === undefined ? isSameQuestion(seen, context, inputs) : shared.isSameQuestion(seen));
  const isSame = !isTimed && (inputs === undefined || (before?.seen !== undefined && isSameAs(before.seen)));
  const isContested = throttle.strainAt(now) >= FREE;
  const cost = isContested || (isUntouched && isSame) ? COST_OF_SAME_INPUT : COST_OF_CHANGE_BY_OTHERS;
  if (throttle.add(cost, now))
    log.warn({ kind: policy.kind.kind, difference: why }, "a dependent differs after each write: later writes are delayed");
  const seen = inputs === undefined ? undefined : (shared?.seen() ?? seenInputs(context, inputs));
  memory.pace = { generation: owner.metadata.generation, throttle, seen, why };
}

/** `undefined` where the owner was changed since. */
function paceOf({ owner }: Asker, { pace }: ObjectMemory): Pace | undefined {
  return pace === undefined || pace.generation !== owner.metadata.generation ? undefined : pace;
}
