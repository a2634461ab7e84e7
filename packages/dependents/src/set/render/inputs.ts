/** What the custom resource requests of its set in one pass, and whether that is what an earlier pass has seen. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { isPromiseLike, misuse } from "@treadle/reconcile/unstable/engine";
import { called, nameOfAnswer } from "../../core/ask.ts";
import type { Inputs } from "../../core/inputs.ts";
import { IGNORED_ANNOTATIONS, inputDigest, isSameInputs, seenSetInputs } from "./input-digest.ts";
import type { SetPolicies } from "../policies/policies.ts";
import { requirePolicies } from "../policies/policy-levels.ts";
import { clusterFactsOf } from "./cluster-facts.ts";
import { isSameCluster, NO_READS } from "./cluster.ts";
import { isSameLive } from "./live-inputs.ts";
import type { FailedRendering, RenderedFrom } from "./rendering.ts";
import type { Run, SetDoReq } from "../pass/run.ts";
import type { Placement } from "../types.ts";

/** What the custom resource requests of its set. */
export interface Request {
  readonly policies: SetPolicies;
  readonly placement: { readonly namespace: string | undefined; readonly name: string };
  /** Digest of the inputs, without what the renderer reads of the cluster. */
  readonly inputs: string;
}

/** Whether the inputs without live objects are certainly those of the last rendering. Costs no request and no digest. */
export function isSameRequest(run: Run<SetDoReq>): boolean {
  return isSameFor(run, run.memory.rendered);
}

/** Whether the time has come to render again although the inputs are the same. */
export function isRetryDue({ pass }: Run, { retryAtMs }: Pick<FailedRendering, "retryAtMs">): boolean {
  return retryAtMs !== undefined && pass.clock.elapsed() >= retryAtMs;
}

/** Whether the inputs without live objects are certainly those of `before`. Costs no request and no digest. */
export function isSameFor<F extends RenderedFrom>(run: Run<SetDoReq>, before: F | undefined): before is F {
  const { memory, context, pass } = run;
  const { seen } = memory;
  if (before === undefined || seen?.digest !== before.requested || !isSameInputs(seen.inputs, context, givenTo(run))) return false;
  if (!isSameLive(before.live)) return false;
  return before.read === NO_READS || isSameCluster(before.read, clusterFactsOf(context.raw, pass.clock).peek()) === true;
}

function givenTo({ req, reads }: Run<SetDoReq>): Pick<Inputs, "vars" | "reads"> {
  return { vars: req.vars as Inputs["vars"], reads: reads as Inputs["reads"] }; // Vars are a record.
}

/** Reads the request of the custom resource. @throws TypeError for what the author's functions must not return, and what they throw */
export function requestOf(run: Run<SetDoReq>): Request {
  const { definition, context, memory } = run;
  const { owner } = context;
  const { name, options } = definition;
  const policies = ownerPolicies(run);
  const placement = placementOf(owner, requirePlacement(name, asked(run, "placement", options.placement) ?? {}));
  const given = givenTo(run);
  const ignored = [...IGNORED_ANNOTATIONS, ...(options.ignoredAnnotations ?? [])];
  const inputs = inputDigest({ object: owner, ignored, placement, policies, ...given });
  memory.seen = { inputs: seenSetInputs(context, given), digest: inputs };
  return { policies, placement, inputs };
}

/** Returns the namespace of the placement; none if the author's function fails, which the rendering reports. */
export function requestNamespaces({ definition, context }: Run): readonly string[] {
  try {
    const { namespace } = placementOf(context.owner, definition.options.placement?.(context.owner as never) ?? {});
    return typeof namespace === "string" ? [namespace] : [];
  } catch {
    return [];
  }
}

/** Returns the policies of the custom resource. @throws TypeError for another answer than policies, and what the author's function throws */
export function ownerPolicies(run: Run): SetPolicies {
  const { name, options } = run.definition;
  const where = `step "${name}": policies`;
  return called(where, () => requirePolicies(where, asked(run, "policies", options.policies) ?? {}));
}

function asked(run: Run, what: string, ask: ((owner: never) => unknown) | undefined): object | undefined {
  if (ask === undefined) return undefined;
  const { name } = run.definition;
  const answer: unknown = called(`step "${name}": ${what}`, () => ask(run.context.owner as never));
  if (answer === undefined || answer === null) return undefined;
  if (typeof answer === "object" && !Array.isArray(answer) && !isPromiseLike(answer)) return answer;
  throw misuse("ERR_INVALID_STEP", `step "${name}": ${what} returned ${nameOfAnswer(answer)}, but must return an object`);
}

function requirePlacement(set: string, placement: Placement): Placement {
  for (const field of ["namespace", "name"] as const) {
    const value: unknown = placement[field];
    if (value !== undefined && typeof value !== "string")
      throw misuse(
        "ERR_INVALID_STEP",
        `step "${set}": placement returned ${nameOfAnswer(value)} as ${field}, but must return a text, or leave it out`,
      );
  }
  return placement;
}

/** An empty text means the default. */
function placementOf({ metadata }: KubernetesObject, { namespace, name }: Placement): Request["placement"] {
  return { namespace: namespace || metadata.namespace, name: name || metadata.name };
}
