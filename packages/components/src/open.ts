/** The beginning of a component in a pass: the gate, the barrier, then the suspension decide how its resources run. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { called, nameOfAnswer } from "@treadle/dependents/unstable/core";
import { holds, isKnown, LOOK_AGAIN_MS, UNKNOWN_INPUTS } from "@treadle/dependents/unstable/step";
import type { DoReq, StepResult, Wait } from "@treadle/reconcile";
import { isPromiseLike, misuse } from "@treadle/reconcile/unstable/engine";
import type { Definition } from "./definition.ts";
import type { AnyGates } from "./any-options.ts";
import { beginRun, type Run, type Unmet } from "./extension.ts";
import { autoscaledBy } from "./replicas.ts";
import type { State } from "./state.ts";
import { rememberReplicas } from "./suspension.ts";

/** The req of a component, as its functions get it. */
export type ComponentReq = DoReq<KubernetesObject, object, Readonly<Record<string, unknown>>, string, State>;

/** Decides how the resources run. A wait means that they do not. @throws what the functions of the author throw */
export function open(definition: Definition, req: ComponentReq): StepResult<{}> | Promise<StepResult<{}>> {
  const run = beginRun(definition, req);
  const { enabled } = definition.options;
  if (!isTrue(definition, req, { gates: enabled, name: "enabled", otherwise: true })) return disable(definition, req, run);
  run.stage = "barrier";
  const unmet = unmetOf(definition, req);
  return unmet instanceof Promise
    ? unmet.then((answer) => begin(definition, req, { run, unmet: answer }))
    : begin(definition, req, { run, unmet });
}

/**
 * Opens a component whose own values of `needs` are missing. Only the gates that ask the owner alone are asked: a component that is
 * off must not wait for a value. @throws what they throw
 */
export function openWithout(definition: Definition, req: ComponentReq, wait: Wait): StepResult<{}> {
  const run = beginRun(definition, req);
  const { name, options } = definition;
  const gates = [options.enabled ?? []].flat().filter((gate) => isKnown(() => gate(req.object, UNKNOWN_INPUTS)));
  return holds(gates, [req.object, UNKNOWN_INPUTS], `component "${name}": enabled`) ? wait : disable(definition, req, run);
}

/** A component that is off forgets what it knew: when it is on again, it begins again. */
function disable({ hasState }: Definition, req: ComponentReq, run: Run): StepResult<{}> {
  run.mode = "disabled";
  if (hasState) for (const key of ["passedAt", "grace", "replicas"] as const) if (req.state[key] !== undefined) delete req.state[key];
  return req.next();
}

function begin(
  definition: Definition,
  req: ComponentReq,
  { run, unmet }: { readonly run: Run; readonly unmet: Unmet | undefined },
): StepResult<{}> | Promise<StepResult<{}>> {
  if (unmet !== undefined) {
    run.unmet = unmet;
    return req.wait(unmet.message, unmet.afterMs);
  }
  run.stage = "suspension";
  const { suspended } = definition.options;
  const isSuspended = isTrue(definition, req, { gates: suspended, name: "suspended", otherwise: false });
  if (definition.autoscalers.length > 0) run.autoscaled = autoscaledBy(definition, req);
  run.mode = isSuspended ? "suspended" : "running";
  if (definition.hasState) run.replicas = req.state.replicas ?? run.replicas;
  run.stage = "resources";
  return isSuspended && definition.hasReplicas ? rememberReplicas(definition, req, run).then(() => req.next()) : req.next();
}

/** Asks the barrier, until it was passed once. Without `until` it needs no promise. */
function unmetOf(definition: Definition, req: ComponentReq): Unmet | undefined | Promise<Unmet | undefined> {
  const { name, after, options } = definition;
  const { until } = options;
  if ((after.length === 0 && until === undefined) || req.state.passedAt !== undefined) return undefined;
  for (const { step, runtime } of after) {
    const message = unmetCondition(req, step, runtime.conditions[0]?.type ?? "");
    // The component runs after the step in each pass, so no timer is needed.
    if (message !== undefined) return { message: `Prerequisite not met: ${message}`, afterMs: LOOK_AGAIN_MS };
  }
  const passed = (answer: unknown): Unmet | undefined => {
    if (typeof answer === "string" && answer !== "") return { message: `Prerequisite not met: ${answer}`, afterMs: undefined };
    if (answer !== true)
      throw misuse(
        "ERR_INVALID_STEP",
        `component "${name}": until returned ${nameOfAnswer(answer)}, but must return true, or a text with the reason why not`,
      );
    req.state.passedAt = req.now().toISOString();
    return undefined;
  };
  if (until === undefined) return passed(true);
  const where = `component "${name}": until`;
  const answer = called(where, () => until(req.object, inputsOf(req)));
  if (!isPromiseLike(answer)) return passed(answer);
  return Promise.resolve(answer).then(passed, (error: unknown) => {
    called(where, () => {
      throw error;
    });
    return undefined; // called() throws.
  });
}

/** Returns why a condition is not met; `undefined`: it is True. */
function unmetCondition(req: ComponentReq, step: unknown, type: string): string | undefined {
  const condition = req.conditions.of(step as never, type as never);
  const { generation } = req.object.metadata;
  const isStale = condition?.observedGeneration !== undefined && generation !== undefined && condition.observedGeneration < generation;
  if (condition?.status === "True" && !isStale) return undefined;
  const { status, message } = condition === undefined ? { status: "Unknown", message: "" } : condition;
  const said = isStale ? `${status} of an earlier generation` : status;
  return `waiting for condition "${type}" to become True (currently ${said}${message === "" ? "" : `: ${message}`})`;
}

function isTrue(
  { name }: Definition,
  req: ComponentReq,
  { gates, name: option, otherwise }: { readonly gates: AnyGates | undefined; readonly name: string; readonly otherwise: boolean },
): boolean {
  if (gates === undefined) return otherwise;
  return holds(gates, [req.object, inputsOf(req)], `component "${name}": ${option}`);
}

/** What the functions of the author get besides the owner. */
function inputsOf({ vars, reads }: ComponentReq): object {
  return { vars, reads };
}
