/** Containers and their parts. */
import type {
  V1Container,
  V1ContainerPort,
  V1EnvFromSource,
  V1EnvVar,
  V1EnvVarSource,
  V1Lifecycle,
  V1PodSecurityContext,
  V1Probe,
  V1ResourceRequirements,
  V1SecurityContext,
  V1VolumeDevice,
  V1VolumeMount,
} from "@kubernetes/client-node";
import {
  Container as ContainerDefinition,
  ContainerPort as ContainerPortDefinition,
  EnvFromSource as EnvFromSourceDefinition,
  EnvVar as EnvVarDefinition,
  EnvVarSource as EnvVarSourceDefinition,
  Lifecycle as LifecycleDefinition,
  PodSecurityContext as PodSecurityContextDefinition,
  Probe as ProbeDefinition,
  ResourceRequirements as ResourceRequirementsDefinition,
  SecurityContext as SecurityContextDefinition,
  VolumeDevice as VolumeDeviceDefinition,
  VolumeMount as VolumeMountDefinition,
} from "./definitions.ts";
import { objectSchema, type SchemaOptions } from "./to-zod.ts";
import type { BuiltInSchema } from "./types.ts";

/** Returns the schema of a container. */
export function container(options?: SchemaOptions): BuiltInSchema<V1Container> {
  return objectSchema(ContainerDefinition, options) as BuiltInSchema<V1Container>;
}

/** Returns the schema of a port of a container. */
export function containerPort(options?: SchemaOptions): BuiltInSchema<V1ContainerPort, "protocol"> {
  return objectSchema(ContainerPortDefinition, options) as BuiltInSchema<V1ContainerPort, "protocol">;
}

/** Returns the schema of an environment variable. */
export function envVar(options?: SchemaOptions): BuiltInSchema<V1EnvVar> {
  return objectSchema(EnvVarDefinition, options) as BuiltInSchema<V1EnvVar>;
}

/** Returns the schema of the source of the value of an environment variable. */
export function envVarSource(options?: SchemaOptions): BuiltInSchema<V1EnvVarSource> {
  return objectSchema(EnvVarSourceDefinition, options) as BuiltInSchema<V1EnvVarSource>;
}

/** Returns the schema of a ConfigMap or Secret whose keys become environment variables. */
export function envFromSource(options?: SchemaOptions): BuiltInSchema<V1EnvFromSource> {
  return objectSchema(EnvFromSourceDefinition, options) as BuiltInSchema<V1EnvFromSource>;
}

/** Returns the schema of the requests and limits of a container. */
export function resourceRequirements(options?: SchemaOptions): BuiltInSchema<V1ResourceRequirements> {
  return objectSchema(ResourceRequirementsDefinition, options) as BuiltInSchema<V1ResourceRequirements>;
}

/** Returns the schema of a probe. */
export function probe(options?: SchemaOptions): BuiltInSchema<V1Probe> {
  return objectSchema(ProbeDefinition, options) as BuiltInSchema<V1Probe>;
}

/** Returns the schema of what runs after the start and before the stop of a container. */
export function lifecycle(options?: SchemaOptions): BuiltInSchema<V1Lifecycle> {
  return objectSchema(LifecycleDefinition, options) as BuiltInSchema<V1Lifecycle>;
}

/** Returns the schema of the security settings of a container. */
export function securityContext(options?: SchemaOptions): BuiltInSchema<V1SecurityContext> {
  return objectSchema(SecurityContextDefinition, options) as BuiltInSchema<V1SecurityContext>;
}

/** Returns the schema of the security settings of a pod. */
export function podSecurityContext(options?: SchemaOptions): BuiltInSchema<V1PodSecurityContext> {
  return objectSchema(PodSecurityContextDefinition, options) as BuiltInSchema<V1PodSecurityContext>;
}

/** Returns the schema of a mount of a volume in a container. */
export function volumeMount(options?: SchemaOptions): BuiltInSchema<V1VolumeMount> {
  return objectSchema(VolumeMountDefinition, options) as BuiltInSchema<V1VolumeMount>;
}

/** Returns the schema of a raw block device of a container. */
export function volumeDevice(options?: SchemaOptions): BuiltInSchema<V1VolumeDevice> {
  return objectSchema(VolumeDeviceDefinition, options) as BuiltInSchema<V1VolumeDevice>;
}
