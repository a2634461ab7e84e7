/**
 * A step whose objects a plugin plans: a set, and the condition `PluginReady`.
 *
 * Guarantees
 * - `PluginReady` is True only with a plan for the present owner, live objects and plugin.
 * - Without an answer nothing is applied or removed.
 * - A settled pass makes no call. The deletion of an owner needs no plugin.
 */
import type { Kind, KubernetesObject, ObjectOf } from "@treadle/apimachinery";
import type { RenderContext } from "@treadle/dependents";
import { type AnySetOptions, noAnswerIn, setParts } from "@treadle/dependents/unstable/set";
import { type AnyResult, type DoReq, isTerminalError, type Step } from "@treadle/reconcile";
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
  const { name = "plugin", condition = "DependentsReady" } = options;
  if (primary.scope === "Cluster")
    throw new TypeError(`plugins.step: ${primary.kind} is cluster-scoped: objects of plugins are in the namespace of their owner`);
  // The options are functions of this kind.
  const render = planRenderer(primary, options as unknown as Parameters<typeof planRenderer>[1], host);
  const passes: Passes = new WeakMap();
  const objects = async (owner: KubernetesObject, context: RenderContext): ReturnType<typeof render> => {
    try {
      const planned = await render(owner, context);
      passes.set(context.signal, { error: undefined });
      return planned;
    } catch (error) {
      passes.set(context.signal, { error });
      throw error;
    }
  };
  const set: AnySetOptions = { name, condition, kinds: host.kinds, live: true, order: "given", objects };
  const parts = setParts(primary, set);
  const run = parts.do as (req: Req) => AnyResult | Promise<AnyResult>; // setParts() makes it for this req.
  const definition = {
    ...parts,
    conditions: [CONDITION, ...(parts.conditions ?? [])],
    do: (req: unknown) => reported(req as Req, run, passes),
  };
  // What defineStep() gives is opaque; the signature is what is known of it.
  return defineStep(primary, definition) as unknown as Step<ObjectOf<P>, {}, {}, C | typeof CONDITION>;
}

/** What the plugin answered in a pass, by the signal of the pass; `undefined`: it was not asked. */
type Passes = WeakMap<AbortSignal, { readonly error: unknown }>;

/** Runs the set, and sets the condition by how it ends. */
async function reported(req: Req, run: (req: Req) => AnyResult | Promise<AnyResult>, passes: Passes): Promise<AnyResult> {
  const { conditions, signal } = req;
  try {
    const result = await run(req);
    const answer = passes.get(signal);
    const none = noAnswerIn(answer?.error);
    const reason = result.type === "continue" ? "" : result.reason;
    if (none !== undefined) conditions.false(CONDITION, none.reason, reason);
    // The set has not rendered, and what it rendered before may be outdated.
    else if (answer?.error !== undefined || (answer === undefined && isTransient(result))) keep(conditions, reason);
    else conditions.true(CONDITION, "Ready", READY);
    return result;
  } catch (error) {
    const answer = passes.get(signal);
    const none = noAnswerIn(error);
    if (none !== undefined) conditions.false(CONDITION, none.reason, statusMessage(none));
    else if (answer !== undefined && answer.error === undefined) conditions.true(CONDITION, "Ready", READY);
    // The set remembers such an error, with its code in the message.
    else if (isTerminalError(error)) conditions.false(CONDITION, error.code, statusMessage(error).replace(`${error.code}: `, ""));
    else keep(conditions, statusMessage(error));
    throw error;
  }
}

const READY = "the plan is that of the present plugin";

function isTransient(result: AnyResult): boolean {
  return result.type === "wait" && result.cause?.isTransient === true;
}

/** Keeps what was known before a pass without an answer. */
function keep(conditions: Req["conditions"], message: string): void {
  if (conditions.previous(CONDITION) === undefined) conditions.unknown(CONDITION, "Starting", message);
  else conditions.keep(CONDITION);
}
