/**
 * Parts of the schema of a custom resource that has a set: fields of the status that the set fills, and fields of the spec with the
 * functions that read them. A resource has only the fields that its author spreads.
 */
import type { JsonSchema, Kind } from "@treadle/apimachinery";
import { misuse } from "@treadle/reconcile/unstable/engine";
import { z } from "zod";
import { DEFAULT_TIMEOUT_MS } from "./definition.ts";
import { parseDuration } from "./policies/duration.ts";
import type { SetPolicies } from "./policies/policies.ts";
import type { Placement } from "./types.ts";

/** The state of a set in one word. */
export type SetState = "Ready" | "Pending" | "Processing" | "DeletionPending" | "Deleting" | "Error";

const STATES = ["Ready", "Pending", "Processing", "DeletionPending", "Deleting", "Error"] as const satisfies readonly SetState[];

/** The fields of {@link setStatus}. */
export interface SetStatusFields {
  /** `state`: the set in one word. */
  readonly state: z.ZodOptional<z.ZodEnum<{ readonly [State in SetState]: State }>>;
  /** `revision`: the number of distinct desired states so far. */
  readonly revision: z.ZodOptional<z.ZodInt>;
  /** `appliedGeneration`: the generation whose objects were all ready. */
  readonly appliedGeneration: z.ZodOptional<z.ZodInt>;
  /** `lastAppliedAt`: the time at which all objects were ready after a change. */
  readonly lastAppliedAt: z.ZodOptional<z.ZodISODateTime>;
}

/**
 * Fields of a status that the set fills: `state`, `revision`, `appliedGeneration` and `lastAppliedAt`. Spread them, or some of them.
 *
 * @example
 * ```ts
 * status: z.object({ ...setStatus, url: z.string().optional() })
 * ```
 */
export const setStatus: SetStatusFields = Object.freeze({
  state: z.enum(STATES).optional().describe("State of the objects."),
  revision: z.int().min(0).optional().describe("Number of distinct desired states so far."),
  appliedGeneration: z.int().min(0).optional().describe("Generation whose objects were all ready."),
  lastAppliedAt: z.iso.datetime().optional().describe("Time at which all objects were ready after a change."),
});

/** The name of a field of {@link setStatus}. */
export type SetStatusField = keyof SetStatusFields;

/** The answers of {@link fillsStatus}: a pass asks for each object, and the CRD does not change. */
const FILLED = new WeakMap<Kind, ReadonlySet<SetStatusField>>();

/**
 * Returns which fields of {@link setStatus} the status of a kind has. A field of the author with the same name and another schema is
 * not one of them.
 */
export function fillsStatus(kind: Kind): ReadonlySet<SetStatusField> {
  let filled = FILLED.get(kind);
  if (filled === undefined) FILLED.set(kind, (filled = filledBy(kind)));
  return filled;
}

function filledBy(kind: Kind): ReadonlySet<SetStatusField> {
  const version = kind.resource?.crd().spec.versions.find(({ name }) => name === kind.version);
  const fields = version?.schema?.openAPIV3Schema?.properties?.["status"]?.properties ?? {};
  return new Set(FIELDS.filter((name) => Object.hasOwn(fields, name) && IS_OURS[name](fields[name] as JsonSchema)));
}

const IS_OURS: { readonly [Field in SetStatusField]: (field: JsonSchema) => boolean } = {
  state: (field) => field.type === "string" && STATES.every((state) => field.enum?.includes(state) === true),
  revision: isCount,
  appliedGeneration: isCount,
  lastAppliedAt: (field) => field.type === "string" && field.format === "date-time",
};

const FIELDS = Object.keys(IS_OURS) as readonly SetStatusField[]; // the keys of the table

function isCount({ type, minimum }: JsonSchema): boolean {
  return type === "integer" && minimum === 0;
}

type Words<Word extends string> = z.ZodOptional<z.ZodEnum<{ readonly [W in Word]: W }>>;

/** The fields of {@link specFields}. */
export interface SetSpecFields {
  /** `namespace` and `name`. @defaultValue those of the owner */
  readonly placement: { readonly namespace: z.ZodOptional<z.ZodString>; readonly name: z.ZodOptional<z.ZodString> };
  /** `suspend`. @defaultValue false */
  readonly suspend: { readonly suspend: z.ZodDefault<z.ZodBoolean> };
  /** `adoptionPolicy`, `updatePolicy`, `deletePolicy` and `missingNamespacesPolicy`. @defaultValue those of the operator */
  readonly policies: {
    readonly adoptionPolicy: Words<"never" | "ifUnowned" | "force">;
    readonly updatePolicy: Words<"apply" | "apply-and-reclaim" | "replace" | "recreate">;
    readonly deletePolicy: Words<"delete" | "orphan">;
    readonly missingNamespacesPolicy: Words<"create" | "fail">;
  };
  /** `timeout`, a duration such as `90s` or `1h30m`. @defaultValue 10 minutes */
  readonly timeout: { readonly timeout: z.ZodOptional<z.ZodString> };
}

/**
 * Fields of a spec with which users control a set. Spread the groups that the resource needs, and pass the function of the same group
 * in {@link fromSpec} to `dependentSet()`.
 *
 * @example
 * ```ts
 * spec: z.object({ ...specFields.placement, ...specFields.suspend, tenants: z.array(z.string()) })
 * // ...
 * dependentSet(Platform, { placement: fromSpec.placement, suspended: fromSpec.suspended, ... })
 * ```
 */
export const specFields: SetSpecFields = Object.freeze({
  placement: {
    namespace: z.string().max(63).optional().describe("Namespace of the objects that name none. Default: the namespace of this object."),
    name: z.string().max(253).optional().describe("Name of the deployment. Default: the name of this object."),
  },
  suspend: {
    suspend: z.boolean().default(false).describe("Whether no object is applied or removed. The deletion of this object works."),
  },
  policies: {
    adoptionPolicy: z.enum(["never", "ifUnowned", "force"]).optional().describe("Which existing objects are adopted."),
    updatePolicy: z.enum(["apply", "apply-and-reclaim", "replace", "recreate"]).optional().describe("How existing objects are updated."),
    deletePolicy: z.enum(["delete", "orphan"]).optional().describe("Whether objects are deleted or left behind when they are removed."),
    missingNamespacesPolicy: z.enum(["create", "fail"]).optional().describe("Whether missing namespaces are created."),
  },
  timeout: {
    timeout: z
      .string()
      .max(32)
      .regex(/^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$/)
      .optional()
      .describe("Time for which the objects may be not ready, such as 90s or 1h30m. Default: 10m."),
  },
});

/** The value of a field that may be absent. */
type Given<Shape> = { readonly [Field in keyof Shape]?: (Shape[Field] extends z.ZodType<infer Value> ? Value : never) | undefined };

/** An object whose spec has fields of {@link specFields}. */
export interface WithSpec<Spec> {
  /** The spec. */
  readonly spec?: Spec | undefined;
}

/** The functions that read {@link specFields}. */
export interface FromSpec {
  /** For the option `placement`. */
  readonly placement: (object: WithSpec<Given<SetSpecFields["placement"]>>) => Placement;
  /** For the option `suspended`. */
  readonly suspended: (object: WithSpec<Given<SetSpecFields["suspend"]>>) => boolean;
  /** For the option `policies`. */
  readonly policies: (object: WithSpec<Given<SetSpecFields["policies"]>>) => SetPolicies;
  /** For the option `timeoutMs`. @throws TypeError for a text that is not a duration */
  readonly timeoutMs: (object: WithSpec<Given<SetSpecFields["timeout"]>>) => number;
}

/** The options of `dependentSet()` that follow from {@link specFields}. An absent field and an empty text mean the default. */
export const fromSpec: FromSpec = Object.freeze({
  placement: ({ spec }) => ({ namespace: spec?.namespace, name: spec?.name }),
  suspended: ({ spec }) => spec?.suspend ?? false,
  policies: ({ spec = {} }) => ({
    ...(spec.adoptionPolicy === undefined ? {} : { adopt: spec.adoptionPolicy }),
    ...(spec.updatePolicy === undefined ? {} : { update: spec.updatePolicy }),
    ...(spec.deletePolicy === undefined ? {} : { onRemoval: spec.deletePolicy }),
    ...(spec.missingNamespacesPolicy === undefined ? {} : { missingNamespaces: spec.missingNamespacesPolicy }),
  }),
  timeoutMs: ({ spec }) => {
    const { timeout } = spec ?? {};
    if (timeout === undefined || timeout === "") return DEFAULT_TIMEOUT_MS;
    const ms = parseDuration(timeout);
    if (ms !== undefined) return ms;
    throw misuse("ERR_INVALID_REFERENCE", `spec.timeout is ${JSON.stringify(timeout)}, not a duration: write it as 90s or 1h30m`);
  },
} satisfies FromSpec);
