/**
 * Step state: where it is kept, how it is read, and which part of it is ours. A kind of our own keeps it in
 * `status.steps.<step>`; a foreign one, whose status would prune it, in one annotation.
 */
import type { KubernetesObject } from "@treadle/apimachinery";
import { ReconcileError } from "../errors.ts";
import { stateAnnotationOf } from "../build/names.ts";
import type { Pipeline } from "../build/pipeline.ts";
import type { StepRuntime } from "../build/step-runtime.ts";

/** All step state that an object carries, steps that we do not know included. @throws ReconcileError when it cannot be read. */
export function storedState(pipeline: Pipeline, object: KubernetesObject): Readonly<Record<string, unknown>> {
  if (pipeline.stateIn === "status") return members(stepsOf(object));
  // What a handler of another name left is ours until it is written anew.
  const { annotations = {} } = object.metadata;
  const names = pipeline.before.names.map(stateAnnotationOf);
  const annotation = names.find((name) => annotations[name] !== undefined) ?? stateAnnotationOf(pipeline.name);
  const text = annotations[annotation];
  if (text === undefined || text === "") return {};
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return members(parsed);
  } catch {
    // The text itself may hold anything: it is not repeated.
  }
  throw new ReconcileError(
    "ERR_STATE_INVALID",
    `the annotation ${annotation} holds no JSON object: restore or remove it; step state is never dropped by itself`,
  );
}

/** The state of one step; starts as the parsed `{}`. @throws ReconcileError when what is stored breaks the step's schema. */
export function parseState(step: StepRuntime, stored: unknown): Record<string, unknown> {
  const parsed = step.state?.safeParse(stored ?? {});
  if (parsed === undefined) return {};
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${issue.path.join(".") || "(root)"}: ${issue.message}`);
  throw new ReconcileError(
    "ERR_STATE_INVALID",
    `the stored state of step "${step.name}" breaks its schema (${problems.join("; ")}): mend it, or give the schema a default for what older versions stored`,
    {
      step: step.name,
    },
  );
}

/** Without what every object inherits: a step may be called "constructor". */
function members(steps: object): Readonly<Record<string, unknown>> {
  return { __proto__: null, ...steps };
}

function stepsOf(object: KubernetesObject): Readonly<Record<string, unknown>> {
  // `steps` of a kind made by defineResource holds an object per step; anything else is refused by its CRD.
  const status = (object as { readonly status?: { readonly steps?: Readonly<Record<string, unknown>> } }).status;
  return status?.steps ?? {};
}
