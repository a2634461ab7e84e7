/** Finds the target of a step, and enters it when it is the turn of the step. */
import { called } from "../../core/ask.ts";
import { statusMessage } from "@treadle/reconcile/unstable/engine";
import type { StepResult, Wait } from "@treadle/reconcile";
import { LOOK_AGAIN_MS } from "../../retry-later.ts";
import { noteAnnotation } from "./abandon-target.ts";
import type { HeldTarget } from "./held-target.ts";
import { formerOf, leaveFormer } from "./leave-target.ts";
import { servicesOf } from "./services.ts";
import { type StoredTarget, storedTargetOf } from "./stored-target.ts";
import { secretIn } from "./target-read.ts";
import type { TargetStep } from "./target-step.ts";
import { troubleOf } from "./trouble.ts";
import type { TargetDefinition } from "../types.ts";

/** The target of the owner: held, or the end of the pass, because it is not allowed. */
export type Found = { readonly type: "held"; readonly held: HeldTarget } | { readonly type: "refused"; readonly wait: Wait };

/** Finds the target of the owner and holds its connection, without a request. @throws what the author's functions throw */
export function heldTarget(step: TargetStep, target: TargetDefinition): Found {
  const { name, owner, req, pass, targets, key } = step;

  const identity = called(`step "${name}": target`, () => target.identify(owner, secretIn(req.reads)));
  if (identity.type === "refused") {
    const { reason, message } = identity;
    return { type: "refused", wait: step.report({ reason, message, needsAction: true, afterMs: LOOK_AGAIN_MS }) };
  }
  pass.conceal(identity.secrets);
  return {
    type: "held",
    held: targets.hold(key, identity, {
      as: "present",
      cluster: step.state.target?.cluster,
      connect: () => target.connect(identity, servicesOf(step)),
    }),
  };
}

/** What a step does in its target. */
export interface Visit<R> {
  /** Runs when the pass is in the target, and the objects are nowhere else. */
  use(target: StoredTarget): Promise<R>;
  /** The end of a pass that waits for its turn. */
  later(message: string): R;
  /** Runs after `use`, when no former target is needed any more. */
  settle(): void;
}

/** Runs the pass when it is its turn, and reports the errors of the target. @throws other errors */
export async function entered<R extends StepResult<{}>>(step: TargetStep, held: HeldTarget, visit: Visit<R>): Promise<R | Wait> {
  const { req, pass, targets, key } = step;
  const wake = pass.waker();
  const entry = held.connection.enter(key, () => wake("the target cluster can be used"));
  if (entry.type === "away")
    return step.report({ reason: "TargetUnreachable", message: entry.message, afterMs: Math.max(entry.retryMs, AWAY_AGAIN_MS) });
  if (entry.type === "later") return visit.later("waits until other passes have used the target cluster");
  try {
    const cluster = await held.connection.clusterId(req.signal);
    held.cluster = cluster;
    const target = storedTargetOf(held.identity, cluster);
    const former = formerOf(step, target);
    if (former !== undefined) {
      const left = await leaveFormer(step, former, { cannot: "TargetChanged" });
      if (left !== undefined) return left;
    }
    // Annotations that gave up the former target are used up.
    if (former === undefined) noteAnnotation(step);
    targets.answered();
    const result = await visit.use(target);
    targets.releaseAll(held);
    visit.settle();
    return result;
  } catch (error) {
    const trouble = req.signal.aborted ? undefined : troubleOf(error);
    if (trouble === undefined) throw error;
    return step.report({ reason: "TargetUnreachable", message: statusMessage(error) });
  } finally {
    entry.slot.release();
  }
}

/** Shortest time until a target that does not answer is looked at again, in milliseconds. A pass is triggered when it answers. */
const AWAY_AGAIN_MS = 10_000;
