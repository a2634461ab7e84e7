/** Volumes and claims. */
import type {
  V1KeyToPath,
  V1PersistentVolumeClaimSpec,
  V1PersistentVolumeClaimTemplate,
  V1Volume,
  V1VolumeResourceRequirements,
} from "@kubernetes/client-node";
import {
  KeyToPath as KeyToPathDefinition,
  PersistentVolumeClaimSpec as PersistentVolumeClaimSpecDefinition,
  PersistentVolumeClaimTemplate as PersistentVolumeClaimTemplateDefinition,
  Volume as VolumeDefinition,
  VolumeResourceRequirements as VolumeResourceRequirementsDefinition,
} from "./definitions.ts";
import { objectSchema, type SchemaOptions } from "./to-zod.ts";
import type { BuiltInSchema } from "./types.ts";

/** Returns the schema of a volume of a pod. */
export function volume(options?: SchemaOptions): BuiltInSchema<V1Volume> {
  return objectSchema(VolumeDefinition, options) as BuiltInSchema<V1Volume>;
}

/** Returns the schema of a key of a ConfigMap or Secret and the file for it. */
export function keyToPath(options?: SchemaOptions): BuiltInSchema<V1KeyToPath> {
  return objectSchema(KeyToPathDefinition, options) as BuiltInSchema<V1KeyToPath>;
}

/** Returns the schema of the spec of a PersistentVolumeClaim. */
export function persistentVolumeClaimSpec(options?: SchemaOptions): BuiltInSchema<V1PersistentVolumeClaimSpec> {
  return objectSchema(PersistentVolumeClaimSpecDefinition, options) as BuiltInSchema<V1PersistentVolumeClaimSpec>;
}

/** Returns the schema of a template of PersistentVolumeClaims: metadata and spec. */
export function persistentVolumeClaimTemplate(options?: SchemaOptions): BuiltInSchema<V1PersistentVolumeClaimTemplate> {
  return objectSchema(PersistentVolumeClaimTemplateDefinition, options) as BuiltInSchema<V1PersistentVolumeClaimTemplate>;
}

/** Returns the schema of the requested size of a claim. */
export function volumeResourceRequirements(options?: SchemaOptions): BuiltInSchema<V1VolumeResourceRequirements> {
  return objectSchema(VolumeResourceRequirementsDefinition, options) as BuiltInSchema<V1VolumeResourceRequirements>;
}
