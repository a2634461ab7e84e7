/** The inputs of a set in one pass, and what was rendered from them. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { isPromiseLike, misuse } from "@treadle/reconcile/unstable/engine";
import { called, nameOfAnswer } from "../../core/ask.ts";
import { digestOf } from "../../core/body.ts";
import type { Inputs } from "../../core/inputs.ts";
import { IGNORED_ANNOTATIONS, inputDigest, isSameInputs, seenSetInputs } from "./input-digest.ts";
import type { SetPolicies } from "../policies/policies.ts";
import { requirePolicies } from "../policies/policy-levels.ts";
import { clusterFactsOf } from "./cluster-facts.ts";
import { callRenderer, factsIn, isSameCluster, NO_READS } from "./cluster.ts";
import type { Rendering } from "./rendering.ts";
import type { Run, SetDoReq } from "../pass/run.ts";
import type { Placement } from "../types.ts";

/** What the custom resource requests of its set. */
export interface Request {
  readonly policies: SetPolicies;
  readonly placement: { readonly namespace: string | undefined; readonly name: string };
  /** Digest of the inputs, without what the renderer reads of the cluster. */
  readonly inputs: string;
}

/** Whether the inputs are certainly those of the last rendering. Costs no request and no digest. */
export function isSameRequest(run: Run<SetDoReq>): boolean {
  const { memory, context, pass } = run;
  const { seen, rendered } = memory;
  if (seen === undefined || rendered === undefined || !isSameInputs(seen.inputs, context, givenTo(run))) return false;
  return rendered.read === NO_READS || isSameCluster(rendered.read, clusterFactsOf(pass.client, pass.clock).peek()) === true;
}

function givenTo({ req }: Run<SetDoReq>): Pick<Inputs, "vars" | "reads"> {
  return { vars: req.vars as Inputs["vars"], reads: req.reads }; // Vars are a record.
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
  memory.seen = { inputs: seenSetInputs(context, given) };
  return { policies, placement, inputs };
}

/** Returns the objects for these inputs: those that were rendered last, if nothing has changed. @throws what the renderer throws */
export async function renderedFor(run: Run<SetDoReq>, request: Request): Promise<Rendering> {
  const { req, pass, memory, state } = run;
  const { inputs } = request;
  const before = memory.rendered;
  if (before?.requested === inputs) {
    if (before.read === NO_READS) return before;
    const facts = await clusterFactsOf(pass.client, pass.clock).fetch(factsIn(before.read), req.signal);
    if (isSameCluster(before.read, facts) === true) return before;
  }
  const isNew = state.inputs?.split(".")[0] !== inputs;
  let rendering = await rendered(run, request, isNew ? state.revision + 1 : state.revision);
  // What the renderer reads of the cluster is known after its call. If that has changed, the revision is another one.
  if (!isNew && rendering.inputs !== state.inputs) rendering = await rendered(run, request, state.revision + 1);
  memory.rendered = rendering;
  memory.plan = undefined;
  return rendering;
}

async function rendered({ definition, context, req, pass }: Run<SetDoReq>, request: Request, revision: number): Promise<Rendering> {
  const { placement, inputs } = request;
  const release = { revision, isInstall: revision <= 1 };
  const given = { reads: req.reads, vars: req.vars, release, ...placement, signal: req.signal, log: req.log };
  const { objects, read } = await callRenderer(definition.options.objects, context.owner, given, {
    step: definition.name,
    facts: clusterFactsOf(pass.client, pass.clock),
    signal: req.signal,
  });
  const all = Object.keys(read).length === 0 ? inputs : `${inputs}.${digestOf(read).slice(0, 8)}`;
  return { inputs: all, requested: inputs, objects, read };
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
