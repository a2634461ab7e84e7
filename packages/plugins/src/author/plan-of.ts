/** Plans for unit tests of plugins: no process, no cluster. */
import type { KubernetesObject, ObjectMeta } from "@treadle/apimachinery";
import type { PlanAnswer } from "../wire/messages.ts";
import { type AnyCapability, checkedPlan } from "./plan.ts";

/** An owner in a test: what is absent has a default. */
export interface PartialOwner {
  /** API version. @defaultValue "example.com/v1" */
  readonly apiVersion?: string;
  /** Kind. @defaultValue "Capability" */
  readonly kind?: string;
  /** Metadata. @defaultValue the name `example` in the namespace `default` */
  readonly metadata?: Partial<ObjectMeta>;
  /** The request. @defaultValue the first type, any version, no parameters */
  readonly spec?: { readonly type?: string; readonly version?: string; readonly parameters?: object; readonly [field: string]: unknown };
  /** Status. @defaultValue none */
  readonly status?: object;
}

/** Options of {@link planOf}. */
export interface PlanOfOptions {
  /** The objects that exist, by id. @defaultValue none */
  readonly live?: Readonly<Record<string, object>>;
  /** The requested type. @defaultValue `spec.type` of the owner, or the first type */
  readonly type?: string;
  /** The requested version. @defaultValue `spec.version` of the owner, or any */
  readonly version?: string;
}

/** The objects of a plan by id, as they are sent to the host: a test compares the fields that it needs. */
export type PlannedObjects = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * Returns the objects that a capability plans for an owner, by id; a promise if its `plan` is asynchronous. Parameters get the defaults of
 * their schema, and the plan is checked as in a process.
 * @throws Error with all problems of the owner, or what `plan` throws
 */
export function planOf<C extends AnyCapability>(
  capability: C,
  owner: PartialOwner,
  { live = {}, ...asked }: PlanOfOptions = {},
): ReturnType<C["plan"]> extends PromiseLike<unknown> ? Promise<PlannedObjects> : PlannedObjects {
  const { type = capability.types[0]?.name ?? "", version = "", parameters = {} } = { ...owner.spec, ...asked };
  const metadata = { name: "example", namespace: "default", uid: "example", ...owner.metadata };
  const answer = checkedPlan(capability, {
    type,
    version,
    parameters,
    owner: { apiVersion: "example.com/v1", kind: "Capability", ...owner, metadata },
    live: Object.entries(live).map(([id, object]) => ({ id, object: object as KubernetesObject })),
  });
  return (answer instanceof Promise ? answer.then(objectsOf) : objectsOf(answer)) as ReturnType<typeof planOf<C>>;
}

function objectsOf(answer: PlanAnswer): PlannedObjects {
  if (answer.type === "dependents") return Object.fromEntries(answer.dependents.map(({ id, object }) => [id, object]));
  const problems = answer.type === "problems" ? answer.problems : [];
  throw new Error(`the owner is not valid: ${problems.map(({ path, message }) => `${path}: ${message}`).join("; ")}`);
}
