/** The schemas of the fields of `status` that only the engine writes. */
import { CONDITION_LIMITS } from "../conditions.ts";
import type { JsonSchema } from "../crd-types.ts";
import type { KeptSteps } from "../kind.ts";

/** The schema of metav1.Condition lists, as controller-gen writes it. */
const CONDITIONS: JsonSchema = {
  description: "The state of the object, one entry per aspect.",
  type: "array",
  items: {
    type: "object",
    properties: {
      lastTransitionTime: { type: "string", format: "date-time", description: "When status last changed." },
      message: { type: "string", maxLength: CONDITION_LIMITS.message.maxLength, description: "Details for people." },
      observedGeneration: {
        type: "integer",
        format: "int64",
        minimum: 0,
        description: "The metadata.generation that the condition is about.",
      },
      reason: {
        type: "string",
        minLength: 1,
        maxLength: CONDITION_LIMITS.reason.maxLength,
        pattern: CONDITION_LIMITS.reason.pattern,
        description: "Why, as one CamelCase word for programs.",
      },
      status: { type: "string", enum: ["True", "False", "Unknown"], description: "Whether the condition holds." },
      type: {
        type: "string",
        maxLength: CONDITION_LIMITS.type.maxLength,
        pattern: CONDITION_LIMITS.type.pattern,
        description: "The aspect.",
      },
    },
    required: ["lastTransitionTime", "message", "reason", "status", "type"],
  },
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["type"],
};

const OBSERVED_GENERATION: JsonSchema = {
  description: "The metadata.generation that the status is about.",
  type: "integer",
  format: "int64",
  minimum: 0,
};

const LAST_HANDLED_RECONCILE_AT: JsonSchema = {
  description: "The last value of the annotation treadle.dev/reconcile-requested-at that was followed.",
  type: "string",
};

const STEPS: JsonSchema = {
  description: "What the operator's steps remember between passes. Not for other programs.",
  type: "object",
  "x-kubernetes-preserve-unknown-fields": true,
};

/** The schema of `status.dependents`. */
export const DEPENDENTS: JsonSchema = {
  description: "The objects that the operator keeps for this one.",
  type: "array",
  items: {
    type: "object",
    properties: {
      step: { type: "string", description: "The step that keeps it." },
      handler: { type: "string", description: "The handler of the step; absent: the default one." },
      apiVersion: { type: "string" },
      kind: { type: "string" },
      name: { type: "string" },
      namespace: { type: "string" },
      type: { type: "string", description: "Ready, Pending, Failed, Unknown, or another word." },
      reason: { type: "string", description: "Why, as one CamelCase word for programs." },
      message: { type: "string", description: "Details for people." },
      lastTransitionTime: { type: "string", format: "date-time", description: "When type last changed." },
    },
    required: ["apiVersion", "kind", "lastTransitionTime", "message", "name", "reason", "step", "type"],
    "x-kubernetes-preserve-unknown-fields": true,
  },
  "x-kubernetes-list-type": "atomic",
};

/** The parts of the declaration that add fields to the status. */
export interface StatusOptions {
  /** Whether the status has `steps`. */
  readonly stepState: boolean;
  /** The schemas of the fields that extensions of the engine own. */
  readonly statusParts: Readonly<Record<string, JsonSchema>>;
}

/** Returns the engine's fields of a status, in their order in the CRD. */
export function engineStatus(options: StatusOptions): Readonly<Record<string, JsonSchema>> {
  return {
    conditions: CONDITIONS,
    observedGeneration: OBSERVED_GENERATION,
    lastHandledReconcileAt: LAST_HANDLED_RECONCILE_AT,
    ...(options.stepState ? { steps: STEPS } : {}),
    ...options.statusParts,
  };
}

/** Returns the names that an author's status must not use. `steps` is reserved even without step state, which may be switched on later. */
export function reservedNames({ statusParts }: StatusOptions): readonly string[] {
  return ["conditions", "observedGeneration", "lastHandledReconcileAt", "steps", ...Object.keys(statusParts)];
}

/** Returns the entries of `status.dependents` without those of removed steps; the same value if nothing changes. */
export function withoutRemovedSteps(stored: unknown, { handlers, steps }: KeptSteps): unknown {
  if (!Array.isArray(stored)) return stored;
  const isRemoved = (entry: Partial<Record<string, unknown>> | null): boolean =>
    typeof entry?.["step"] === "string" && handlers.includes(entry["handler"] as string | undefined) && !steps.has(entry["step"]);
  const kept = stored.filter((entry) => !isRemoved(entry as Partial<Record<string, unknown>> | null));
  return kept.length === stored.length ? stored : kept;
}
