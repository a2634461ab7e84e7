/** Templates and strategies of workloads. */
import type {
  V1DaemonSetUpdateStrategy,
  V1DeploymentSpec,
  V1DeploymentStrategy,
  V1JobSpec,
  V1JobTemplateSpec,
  V1PodDisruptionBudgetSpec,
  V1PodFailurePolicy,
  V1PodSpec,
  V1PodTemplateSpec,
  V1StatefulSetPersistentVolumeClaimRetentionPolicy,
  V1StatefulSetUpdateStrategy,
  V2HorizontalPodAutoscalerBehavior,
  V2MetricSpec,
} from "@kubernetes/client-node";
import {
  DaemonSetUpdateStrategy as DaemonSetUpdateStrategyDefinition,
  DeploymentSpec as DeploymentSpecDefinition,
  DeploymentStrategy as DeploymentStrategyDefinition,
  HorizontalPodAutoscalerBehavior as HorizontalPodAutoscalerBehaviorDefinition,
  JobSpec as JobSpecDefinition,
  JobTemplateSpec as JobTemplateSpecDefinition,
  MetricSpec as MetricSpecDefinition,
  PodDisruptionBudgetSpec as PodDisruptionBudgetSpecDefinition,
  PodFailurePolicy as PodFailurePolicyDefinition,
  PodSpec as PodSpecDefinition,
  PodTemplateSpec as PodTemplateSpecDefinition,
  StatefulSetPersistentVolumeClaimRetentionPolicy as StatefulSetPersistentVolumeClaimRetentionPolicyDefinition,
  StatefulSetUpdateStrategy as StatefulSetUpdateStrategyDefinition,
} from "./definitions.ts";
import { objectSchema, type SchemaOptions } from "./to-zod.ts";
import type { BuiltInSchema } from "./types.ts";

/** Returns the schema of a pod template. */
export function podTemplateSpec(options?: SchemaOptions): BuiltInSchema<V1PodTemplateSpec> {
  return objectSchema(PodTemplateSpecDefinition, options) as BuiltInSchema<V1PodTemplateSpec>;
}

/** Returns the schema of the spec of a pod. */
export function podSpec(options?: SchemaOptions): BuiltInSchema<V1PodSpec> {
  return objectSchema(PodSpecDefinition, options) as BuiltInSchema<V1PodSpec>;
}

/** Returns the schema of a template of Jobs. */
export function jobTemplateSpec(options?: SchemaOptions): BuiltInSchema<V1JobTemplateSpec> {
  return objectSchema(JobTemplateSpecDefinition, options) as BuiltInSchema<V1JobTemplateSpec>;
}

/** Returns the schema of the spec of a Job. */
export function jobSpec(options?: SchemaOptions): BuiltInSchema<V1JobSpec> {
  return objectSchema(JobSpecDefinition, options) as BuiltInSchema<V1JobSpec>;
}

/** Returns the schema of the policy of a Job for failed pods. */
export function podFailurePolicy(options?: SchemaOptions): BuiltInSchema<V1PodFailurePolicy> {
  return objectSchema(PodFailurePolicyDefinition, options) as BuiltInSchema<V1PodFailurePolicy>;
}

/** Returns the schema of the spec of a Deployment. */
export function deploymentSpec(options?: SchemaOptions): BuiltInSchema<V1DeploymentSpec> {
  return objectSchema(DeploymentSpecDefinition, options) as BuiltInSchema<V1DeploymentSpec>;
}

/** Returns the schema of how a Deployment replaces its pods. */
export function deploymentStrategy(options?: SchemaOptions): BuiltInSchema<V1DeploymentStrategy> {
  return objectSchema(DeploymentStrategyDefinition, options) as BuiltInSchema<V1DeploymentStrategy>;
}

/** Returns the schema of how a StatefulSet replaces its pods. */
export function statefulSetUpdateStrategy(options?: SchemaOptions): BuiltInSchema<V1StatefulSetUpdateStrategy> {
  return objectSchema(StatefulSetUpdateStrategyDefinition, options) as BuiltInSchema<V1StatefulSetUpdateStrategy>;
}

/** Returns the schema of when a StatefulSet deletes its claims. */
export function statefulSetPersistentVolumeClaimRetentionPolicy(
  options?: SchemaOptions,
): BuiltInSchema<V1StatefulSetPersistentVolumeClaimRetentionPolicy> {
  return objectSchema(
    StatefulSetPersistentVolumeClaimRetentionPolicyDefinition,
    options,
  ) as BuiltInSchema<V1StatefulSetPersistentVolumeClaimRetentionPolicy>;
}

/** Returns the schema of how a DaemonSet replaces its pods. */
export function daemonSetUpdateStrategy(options?: SchemaOptions): BuiltInSchema<V1DaemonSetUpdateStrategy> {
  return objectSchema(DaemonSetUpdateStrategyDefinition, options) as BuiltInSchema<V1DaemonSetUpdateStrategy>;
}

/** Returns the schema of the spec of a PodDisruptionBudget. */
export function podDisruptionBudgetSpec(options?: SchemaOptions): BuiltInSchema<V1PodDisruptionBudgetSpec> {
  return objectSchema(PodDisruptionBudgetSpecDefinition, options) as BuiltInSchema<V1PodDisruptionBudgetSpec>;
}

/** Returns the schema of a metric of a HorizontalPodAutoscaler. */
export function metricSpec(options?: SchemaOptions): BuiltInSchema<V2MetricSpec> {
  return objectSchema(MetricSpecDefinition, options) as BuiltInSchema<V2MetricSpec>;
}

/** Returns the schema of how fast a HorizontalPodAutoscaler scales. */
export function horizontalPodAutoscalerBehavior(options?: SchemaOptions): BuiltInSchema<V2HorizontalPodAutoscalerBehavior> {
  return objectSchema(HorizontalPodAutoscalerBehaviorDefinition, options) as BuiltInSchema<V2HorizontalPodAutoscalerBehavior>;
}
