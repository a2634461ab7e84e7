/**
 * Brings one object to its desired state with as few requests as possible, and says how it is.
 *
 * Guarantees
 * - No object is written that is not the unit's, unless `adopt` allows it.
 * - The same inputs and the same version of the object as last time: nothing is rendered, hashed or compared. An object that
 *   was not ready is judged again. A function of the author that asked for the time is called again.
 * - Every write carries the uid of the object, or the condition that no object exists.
 * - An object that has to be written again and again is written with growing delays.
 */
import type { KubernetesObject } from "@treadle/apimachinery";
import { bodyOf, digestOf } from "./body.ts";
import type { Context } from "./context.ts";
import type { DependentState } from "./entries.ts";
import { isSameInput, seenInputs } from "./inputs.ts";
import { formerNames, ownershipOf } from "./ownership.ts";
import { titleOf } from "./marks.ts";
import type { Again, Converged, Plan } from "./plan.ts";
import { withManagedFields } from "./difference.ts";
import { hasFormerMarks } from "./replace.ts";
import { COMPLETED_REASON, isReady, refined, stateOf } from "./state.ts";
import { earlier, type TimeUse } from "./timing.ts";
import { type Found, UNCHANGED, type Work } from "./work.ts";
import { create, heldBack, notFound, notOurs, pending, update } from "./write.ts";

/** Converges one object. @throws the error of the server, and what the author's functions throw */
export async function converge(context: Context, plan: Plan): Promise<Converged> {
  const before = context.timing?.take("desired"); // A caller may have asked the author for the desired state already.
  const known = remembered(context, plan);
  if (known !== undefined) return known;
  const { policy, target, live } = plan;
  const desired = plan.desired?.();
  const rendering = joined(before, context.timing?.take("desired"));
  // It also refuses a desired state that is not JSON, which has no digest.
  const body = desired === undefined ? undefined : bodyOf(context, plan, desired);
  const digest = plan.once === undefined || desired === undefined ? undefined : digestOf({ target, desired: plan.unadjusted ?? desired });
  if (digest !== undefined && plan.once?.done(target) === digest && isAway(live)) return withDue(done(context, plan), rendering?.dueAtMs);
  const work: Work = {
    context,
    plan,
    memory: context.memory.unit(context.unit).object(policy.kind, target),
    body,
    isTimed: rendering?.isTimed === true,
  };
  const found = await bring(work, live);
  const { converged, judging } = judgedInTime(context, plan, found);
  if (digest !== undefined && converged.type === "there") plan.once?.note(target, digest);
  remember(work, found, { converged, rendering, judging, completed: digest });
  return withDue(converged, earlier(rendering?.dueAtMs, judging?.dueAtMs));
}

function isAway(live: KubernetesObject | undefined): boolean {
  return live === undefined || live.metadata.deletionTimestamp !== undefined;
}

/** The answer for an object that was complete, and that a user or its time to live has deleted since. */
function done(context: Context, plan: Plan): Converged {
  const message = `${titleOf(plan.policy, plan.target, context.owner)} was complete before it was deleted`;
  const state = refined(context, plan, { state: { type: "Ready", reason: COMPLETED_REASON, message }, live: undefined });
  return { type: "done", live: undefined, state, operation: UNCHANGED };
}

/**
 * Returns the result without rendering, if inputs and live version are the same as in a pass that needed no write; else
 * `undefined`. An object that was not ready is judged again, because the author's functions may depend on time. A caller may
 * ask before it computes what `converge()` needs. @throws what the author's functions throw
 */
export function remembered(context: Context, plan: Omit<Plan, "target" | "desired">): Converged | undefined {
  const { policy, live, inputs } = plan;
  if (live === undefined || inputs === undefined) return undefined;
  const settled = context.memory.unit(context.unit).known(policy.kind, live.metadata)?.settled;
  if (settled === undefined || settled.uid !== live.metadata.uid || settled.resourceVersion !== live.metadata.resourceVersion)
    return undefined;
  const { shared } = plan;
  const { dueAtMs } = settled;
  if (dueAtMs !== undefined && context.clock.now() >= dueAtMs) return undefined;
  if (shared === undefined ? !isSameInput(settled.seen, context, inputs) : !shared.isSameInput(settled.seen)) return undefined;
  const found = { type: "there", live, operation: UNCHANGED } as const;
  // The completion of an object that runs once must be stored; the write of an earlier pass may have failed.
  if (plan.once !== undefined && (settled.ready === undefined || plan.once.done(live.metadata) !== settled.completed)) return undefined;
  if (settled.ready !== undefined) return { ...found, state: settled.ready, dueAtMs };
  const { converged, judging } = judgedInTime(context, plan, found);
  return withDue(converged, earlier(dueAtMs, judging?.dueAtMs));
}

/** What the author's functions made of the object, and how they used the time. */
interface Judged {
  readonly converged: Converged;
  readonly judging: TimeUse | undefined;
}

function judgedInTime(context: Context, plan: Pick<Plan, "policy" | "readyWhen" | "refine">, found: Found): Judged {
  const converged = judged(context, plan, found);
  return { converged, judging: context.timing?.take("readyWhen") };
}

function withDue(converged: Converged, dueAtMs: number | undefined): Converged {
  return dueAtMs === undefined ? converged : { ...converged, dueAtMs };
}

function joined(a: TimeUse | undefined, b: TimeUse | undefined): TimeUse | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return { isTimed: a.isTimed || b.isTimed, dueAtMs: earlier(a.dueAtMs, b.dueAtMs) };
}

function remember(
  { context, plan, memory }: Work,
  found: Found,
  {
    converged,
    rendering,
    judging,
    completed,
  }: Judged & { readonly rendering: TimeUse | undefined; readonly completed: string | undefined },
): void {
  memory.settled = undefined;
  if (rendering?.isTimed === true) return;
  const { live, inputs, policy } = plan;
  const { uid, resourceVersion } = live?.metadata ?? {};
  if (live === undefined || inputs === undefined || uid === undefined || resourceVersion === undefined) return;
  // After a write the next pass compares: that is how a desired state that differs at every call is noticed.
  if (found.type !== "there" || found.operation.type !== "unchanged") return;
  // Fields of a former name are removed later, when the claim is due.
  if (formerNames(context, withManagedFields(context, policy, live)).length > 0) return;
  if (policy.writes === "replace" && hasFormerMarks(context, live)) return;
  const isFinal = converged.type === "there" && converged.state.type === "Ready" && judging?.isTimed !== true;
  const ready = isFinal ? converged.state : undefined;
  // A function that is called in each pass asks again itself.
  const dueAtMs = isFinal ? earlier(rendering?.dueAtMs, judging?.dueAtMs) : rendering?.dueAtMs;
  memory.settled = { seen: plan.shared?.seen() ?? seenInputs(context, inputs), uid, resourceVersion, ready, dueAtMs, completed };
}

async function bring(work: Work, live: KubernetesObject | undefined): Promise<Found> {
  const { context, plan, body } = work;
  const { policy } = plan;
  if (live === undefined) {
    if (!policy.isCreated || body === undefined) return notFound(work);
    const made = heldBack(work, undefined) ?? (await create({ ...work, body }));
    // A selector of the watch leaves the object out: the cache will never show it, so it is updated as the server has it.
    return made.type === "hidden" ? await bring(work, made.live) : made;
  }
  const owner = ownershipOf(context, policy, live);
  const isToBeKept = policy.isCreated || (policy.isUpdated && body !== undefined);
  if (owner.type === "foreign") return isToBeKept ? notOurs(work, live, owner.owner) : { type: "there", live, operation: UNCHANGED };
  if (live.metadata.deletionTimestamp !== undefined && policy.isCreated)
    return pending(work, { reason: "Deleting", is: "is being deleted, and will be created again", live });
  if (!policy.isUpdated || body === undefined) return { type: "there", live, operation: UNCHANGED };
  return await update({ ...work, body }, live, { hasController: owner.type === "adoptable" && owner.hasController });
}

/** What `readyWhen` and `refine` make of it. */
function judged(context: Context, plan: Pick<Plan, "policy" | "readyWhen" | "refine">, found: Found): Converged {
  const { policy } = plan;
  const byDefault: Again = policy.isWatched ? "watch" : "backoff";
  if (found.type === "not yet") {
    const { live, again = byDefault, isKept = false, operation } = found;
    const state = refined(context, plan, { state: found.state, live });
    return { type: "not yet", live, state, again, isApplied: false, cause: found.state.reason, isKept, operation };
  }
  const { live, operation } = found;
  const readiness: DependentState = stateOf(context, plan, live);
  const state = refined(context, plan, { state: readiness, live });
  return isReady(readiness, state)
    ? { type: "there", live, state, operation }
    : { type: "not yet", live, state, again: byDefault, isApplied: true, cause: undefined, isKept: true, operation };
}
