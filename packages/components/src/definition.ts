/** A component with its defaults, and what follows from its options without a pass. */
import { groupKindOf, type Kind } from "@treadle/apimachinery";
import { type Dependent, type Facts, factsOf, requireGates } from "@treadle/dependents/unstable/step";
import type { Declared } from "@treadle/reconcile";
import { runtimeOf, type StepRuntime } from "@treadle/reconcile/unstable/engine";
import type { AnyKindRecord } from "./kinds/kind-record.ts";
import { recordOf } from "./kinds/record-of.ts";
import { requireRecord } from "./kinds/require-record.ts";

/** The options of a component with any types. */
export interface AnyComponentOptions {
  readonly name: string;
  readonly condition: Declared<string>;
  readonly resources: readonly unknown[];
  readonly enabled?: AnyGates;
  readonly after?: readonly unknown[];
  readonly until?: (object: unknown, inputs: unknown) => unknown;
  readonly needs?: readonly unknown[];
  readonly reads?: Readonly<Record<string, unknown>>;
  readonly suspended?: AnyGates;
  readonly graceMs?: number;
  readonly warnOfGrace?: boolean;
  readonly blocked?: "rest" | "dependants";
  readonly kinds?: readonly AnyKindRecord[];
}

/** Gates with any types. */
export type AnyGates = AnyGate | readonly AnyGate[];
type AnyGate = (...args: readonly unknown[]) => boolean | undefined;

/** One resource of a component. */
export interface Resource {
  readonly name: string;
  readonly step: unknown;
  readonly dependent: Dependent;
  readonly dependsOn: Facts["dependsOn"];
  readonly record: AnyKindRecord;
  /** Whether the state of the resource counts for the condition. */
  readonly counts: boolean;
  /** Whether the desired state has a number of replicas, which 0 suspends. */
  readonly hasReplicas: boolean;
}

/** A component as its step runs it. */
export interface Definition {
  readonly options: AnyComponentOptions;
  readonly name: string;
  /** The type of its condition. */
  readonly condition: string;
  readonly resources: readonly Resource[];
  readonly resourceOf: (name: string) => Resource;
  /** The steps in `after`. */
  readonly after: readonly { readonly step: unknown; readonly runtime: StepRuntime }[];
  readonly graceMs: number;
  /** Whether the component has state: a barrier, a grace clock, or numbers of replicas. */
  readonly hasState: boolean;
  /** Whether a suspension replaces numbers of replicas. */
  readonly hasReplicas: boolean;
  readonly isList: boolean;
  /** The resources that keep a HorizontalPodAutoscaler. */
  readonly autoscalers: readonly Resource[];
}

/** Returns the definition of a component. @throws TypeError with what is wrong, and what to do */
export function definitionOf(options: AnyComponentOptions): Definition {
  const { name, condition, resources, graceMs = 0, blocked = "rest", after = [], kinds = [] } = requireOptions(options);
  const known = resources.map((step) => resourceOf(name, step, kinds));
  const hasReplicas = options.suspended !== undefined && known.some((resource) => resource.hasReplicas);
  const byName = new Map(known.map((resource) => [resource.name, resource]));
  return {
    options,
    name,
    condition: typeof condition === "string" ? condition : condition.type,
    resources: known,
    resourceOf: (resource) => byName.get(resource) as Resource, // The supervisor is asked for its own parts only.
    after: after.map((step) => ({ step, runtime: runtimeOf(step) as StepRuntime })), // requireOptions() has checked them.
    graceMs,
    hasState: after.length > 0 || options.until !== undefined || graceMs > 0 || hasReplicas,
    hasReplicas,
    isList: blocked === "rest",
    autoscalers: known.filter(({ dependent: { policy } }) => isAutoscaler(policy.kind)),
  };
}

function resourceOf(component: string, step: unknown, kinds: readonly AnyKindRecord[]): Resource {
  const facts = factsOf(step);
  if (facts === undefined)
    throw new TypeError(
      `component "${component}": resources must list steps made by dependentApply(): put other steps beside the component`,
    );
  const { dependent, dependsOn } = facts;
  const record = recordOf(dependent.policy.kind, kinds);
  const merge = record.suspend?.merge as { readonly spec?: { readonly replicas?: unknown } } | undefined;
  return {
    name: dependent.name,
    step,
    dependent,
    dependsOn,
    record,
    counts: dependent.isChecked,
    hasReplicas: merge?.spec?.replicas === 0,
  };
}

function isAutoscaler(kind: Kind): boolean {
  return groupKindOf(kind) === "HorizontalPodAutoscaler.autoscaling";
}

function requireOptions(options: AnyComponentOptions): AnyComponentOptions {
  if (typeof (options as Partial<AnyComponentOptions> | undefined)?.name !== "string" || options.name === "")
    throw new TypeError("component: the options need a name");
  const { name, condition, resources, after, until, graceMs, warnOfGrace, blocked, kinds } = options;
  const where = `component "${name}"`;
  if (typeof condition !== "string" && typeof condition?.type !== "string")
    throw new TypeError(`${where}: condition must be the type of a condition, e.g. "DatabaseReady"`);
  if (!Array.isArray(resources)) throw new TypeError(`${where}: resources must be a list of steps made by dependentApply()`);
  requireGates(options.enabled, `${where}: enabled`);
  requireGates(options.suspended, `${where}: suspended`);
  if (Array.isArray(options.suspended) && options.suspended.length === 0)
    throw new TypeError(`${where}: suspended is an empty list, which always holds: leave it out, or name a gate`);
  if (until !== undefined && typeof until !== "function") throw new TypeError(`${where}: until must be a function`);
  if (graceMs !== undefined && !(typeof graceMs === "number" && graceMs >= 0 && graceMs < Number.POSITIVE_INFINITY))
    throw new TypeError(`${where}: graceMs must be a number of milliseconds from 0, not ${String(graceMs)}: 0 means indefinitely`);
  if (warnOfGrace !== undefined && typeof warnOfGrace !== "boolean")
    throw new TypeError(`${where}: warnOfGrace must be true or false, not ${JSON.stringify(warnOfGrace)}`);
  if (blocked !== undefined && blocked !== "rest" && blocked !== "dependants")
    throw new TypeError(`${where}: blocked must be "rest" or "dependants", not ${JSON.stringify(blocked)}`);
  if (kinds !== undefined && !Array.isArray(kinds)) throw new TypeError(`${where}: kinds must be a list of kind records`);
  for (const record of kinds ?? []) requireRecord(`${where}: kinds`, record);
  requireAfter(where, after);
  return options;
}

function requireAfter(where: string, after: unknown): void {
  if (after === undefined) return;
  if (!Array.isArray(after)) throw new TypeError(`${where}: after must be a list of components or steps`);
  for (const step of after) {
    const runtime = runtimeOf(step);
    if (runtime === undefined) throw new TypeError(`${where}: after must list components, or steps made by step()`);
    if (runtime.conditions.length !== 1)
      throw new TypeError(
        `${where}: after lists "${runtime.name}", which has ${runtime.conditions.length} conditions: a step with one is needed`,
      );
  }
}
