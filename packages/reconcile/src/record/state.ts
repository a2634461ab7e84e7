/**
 * Step state: where it is stored and how it is read. A kind of `defineResource` has it in `status.steps.<step>`; another kind, whose
 * status would prune it, in one annotation.
 */
import type { KubernetesObject } from "@treadle/apimachinery";
import { ReconcileError } from "../errors.ts";
import { stateAnnotationOf } from "../build/names.ts";
import type { Pipeline } from "../build/pipeline.ts";
import type { StepRuntime } from "../build/step-runtime.ts";

/** Returns the stored state of all steps, unknown steps included. @throws ReconcileError if it cannot be read. */
export function storedState(pipeline: Pipeline, object: KubernetesObject): Readonly<Record<string, unknown>> {
  if (pipeline.stateIn === "status") return members(stepsOf(object));
  // The annotation of a former name is ours until ours is written.
  const { annotations = {} } = object.metadata;
  const names = pipeline.before.names.map(stateAnnotationOf);
  const annotation = names.find((name) => annotations[name] !== undefined) ?? stateAnnotationOf(pipeline.name);
  const text = annotations[annotation];
  if (text === undefined || text === "") return {};
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return members(parsed);
  } catch {
    // The text may have any content, so it is not quoted.
  }
  throw new ReconcileError(
    "ERR_STATE_INVALID",
    `the annotation ${annotation} is not a JSON object: restore or remove it; step state is never dropped automatically`,
  );
}

/** Returns the state of one step, at first the parsed `{}`. @throws ReconcileError if the stored state breaks the step's schema. */
export function parseState(step: StepRuntime, stored: unknown): Record<string, unknown> {
  const parsed = step.state?.safeParse(stored ?? {});
  if (parsed === undefined) return {};
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${issue.path.join(".") || "(root)"}: ${issue.message}`);
  throw new ReconcileError(
    "ERR_STATE_INVALID",
    `the stored state of step "${step.name}" breaks its schema (${problems.join("; ")}): fix it, or give the schema a default for what older versions stored`,
    {
      step: step.name,
    },
  );
}

/** Without inherited members: a step may be named "constructor". */
function members(steps: object): Readonly<Record<string, unknown>> {
  return { __proto__: null, ...steps };
}

function stepsOf(object: KubernetesObject): Readonly<Record<string, unknown>> {
  // `steps` of a kind made by defineResource holds an object per step; anything else is refused by its CRD.
  const status = (object as { readonly status?: { readonly steps?: Readonly<Record<string, unknown>> } }).status;
  return status?.steps ?? {};
}
