/** A component with its defaults, and what follows from its options without a pass. */
import { groupKindOf, type Kind } from "@treadle/apimachinery";
import { type Dependent, type Facts, factsOf } from "@treadle/dependents/unstable/step";
import { runtimeOf, type StepRuntime } from "@treadle/reconcile/unstable/engine";
import type { AnyKindRecord } from "./kinds/kind-record.ts";
import { recordOf } from "./kinds/record-of.ts";
import type { AnyComponentOptions } from "./any-options.ts";
import { requireOptions } from "./require-options.ts";

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
  const known = resources.map((step) => resourceOf(step, kinds));
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

function resourceOf(step: unknown, kinds: readonly AnyKindRecord[]): Resource {
  const { dependent, dependsOn } = factsOf(step) as Facts; // requireOptions() has checked it.
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
