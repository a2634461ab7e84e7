/**
 * A step whose objects a plugin plans: a set, and the condition `PluginReady`.
 *
 * Guarantees
 * - `PluginReady` is True only with a plan for the present owner, live objects and plugin.
 * - Without an answer nothing is applied or removed.
 * - A settled pass makes no call. The deletion of an owner needs no plugin.
 */
import type { Kind, ObjectOf } from "@treadle/apimachinery";
import { renderLaterIn } from "@treadle/dependents/unstable/render";
import { type AnySetOptions, noAnswerIn, setParts } from "@treadle/dependents/unstable/set";
import { type DoReq, isTerminalError, type Step } from "@treadle/reconcile";
import { defineStep, statusMessage } from "@treadle/reconcile/unstable/engine";
import type { PluginStepOptions } from "../types.ts";
import { planRenderer, type StepHost } from "./plan-renderer.ts";

const CONDITION = "PluginReady";

type Req = DoReq<never, object, object, typeof CONDITION, object>;

/** Makes the step. @throws TypeError for a kind without namespaces, and as `dependentSet()` does */
export function pluginStep<P extends Kind, C extends string>(
  primary: P,
  options: PluginStepOptions<ObjectOf<P>, C>,
  host: StepHost,
): Step<ObjectOf<P>, {}, {}, C | typeof CONDITION> {
  const { name = "plugin", condition = "DependentsReady", adopt = "never" } = options;
  if (primary.scope === "Cluster")
    throw new TypeError(`plugins.step: ${primary.kind} is cluster-scoped: objects of plugins are in the namespace of their owner`);
  // The options are functions of this kind.
  const objects = planRenderer(primary, options as unknown as Parameters<typeof planRenderer>[1], host);
  const set: AnySetOptions = { name, condition, kinds: host.kinds, live: true, order: "given", defaults: { adopt }, objects };
  const parts = setParts(primary, set, (req, error) => report(req as Req, error)); // The step declares the condition.
  const definition = {
    ...parts,
    conditions: [CONDITION, ...(parts.conditions ?? [])],
    do(req: unknown) {
      // What was known, until this pass knows more.
      (req as Req).conditions.keep(CONDITION);
      return parts.do?.(req as never);
    },
  };
  // What defineStep() gives is opaque; the signature is what is known of it.
  return defineStep(primary, definition) as unknown as Step<ObjectOf<P>, {}, {}, C | typeof CONDITION>;
}

/** Sets the condition by the end of a rendering. */
function report({ conditions }: Req, error: unknown): void {
  const none = noAnswerIn(error);
  if (error === undefined) conditions.true(CONDITION, "Ready", "the plan is that of the present plugin");
  else if (none !== undefined) conditions.false(CONDITION, none.reason, statusMessage(none));
  // The set remembers such an error, with its code in the message.
  else if (isTerminalError(error)) conditions.false(CONDITION, error.code, statusMessage(error).replace(`${error.code}: `, ""));
  else if (renderLaterIn(error) !== undefined && conditions.previous(CONDITION) === undefined)
    conditions.unknown(CONDITION, "Starting", statusMessage(error));
}
