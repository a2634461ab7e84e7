/**
 * Schemas of built-in types, for the spec of a custom resource: `spec: z.object({ template: podTemplateSpec() })`. A schema has the type
 * of the built-in type. Its part of the CRD validates as the OpenAPI of Kubernetes does, with descriptions for `kubectl explain`.
 *
 * Importing this module loads zod, and the definitions as text. A call parses the definitions that its schema needs.
 */
export {
  configMapKeySelector,
  crossVersionObjectReference,
  labelSelector,
  localObjectReference,
  objectMeta,
  objectReference,
  ownerReference,
  secretKeySelector,
  secretReference,
  typedLocalObjectReference,
  typedObjectReference,
} from "./metadata.ts";
export {
  daemonSetUpdateStrategy,
  deploymentSpec,
  deploymentStrategy,
  horizontalPodAutoscalerBehavior,
  jobSpec,
  jobTemplateSpec,
  metricSpec,
  podDisruptionBudgetSpec,
  podFailurePolicy,
  podSpec,
  podTemplateSpec,
  statefulSetPersistentVolumeClaimRetentionPolicy,
  statefulSetUpdateStrategy,
} from "./workloads.ts";
export {
  container,
  containerPort,
  envFromSource,
  envVar,
  envVarSource,
  lifecycle,
  podSecurityContext,
  probe,
  resourceRequirements,
  securityContext,
  volumeDevice,
  volumeMount,
} from "./containers.ts";
export { keyToPath, persistentVolumeClaimSpec, persistentVolumeClaimTemplate, volume, volumeResourceRequirements } from "./volumes.ts";
export {
  affinity,
  hostAlias,
  nodeAffinity,
  nodeSelector,
  podAffinity,
  podAntiAffinity,
  podDNSConfig,
  toleration,
  topologySpreadConstraint,
} from "./scheduling.ts";
export {
  ingressRule,
  ingressSpec,
  ingressTLS,
  networkPolicyPeer,
  networkPolicyPort,
  networkPolicySpec,
  policyRule,
  roleRef,
  servicePort,
  serviceSpec,
  subject,
} from "./networking.ts";
export { intOrString, quantity } from "./scalars.ts";
export type { SchemaOptions } from "./to-zod.ts";
export type { BuiltInSchema, BuiltInShape, FieldSchema, ObjectSchema, TemplateMetadata, ValueSchema } from "./types.ts";
