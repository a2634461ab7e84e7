/** What any object may have: metadata of templates, selectors and references. */
import type {
  V1ConfigMapKeySelector,
  V1LabelSelector,
  V1LocalObjectReference,
  V1ObjectReference,
  V1OwnerReference,
  V1SecretKeySelector,
  V1SecretReference,
  V1TypedLocalObjectReference,
  V1TypedObjectReference,
  V2CrossVersionObjectReference,
} from "@kubernetes/client-node";
import {
  ConfigMapKeySelector as ConfigMapKeySelectorDefinition,
  CrossVersionObjectReference as CrossVersionObjectReferenceDefinition,
  LabelSelector as LabelSelectorDefinition,
  LocalObjectReference as LocalObjectReferenceDefinition,
  ObjectMeta as ObjectMetaDefinition,
  ObjectReference as ObjectReferenceDefinition,
  OwnerReference as OwnerReferenceDefinition,
  SecretKeySelector as SecretKeySelectorDefinition,
  SecretReference as SecretReferenceDefinition,
  TypedLocalObjectReference as TypedLocalObjectReferenceDefinition,
  TypedObjectReference as TypedObjectReferenceDefinition,
} from "./definitions.ts";
import { objectSchema, type SchemaOptions } from "./to-zod.ts";
import type { BuiltInSchema, ObjectSchema, TemplateMetadata } from "./types.ts";

/** Returns the schema of the metadata of a template: labels, annotations, finalizers, name and namespace. */
export function objectMeta(options?: SchemaOptions): ObjectSchema<TemplateMetadata> {
  return objectSchema(ObjectMetaDefinition, options) as ObjectSchema<TemplateMetadata>;
}

/** Returns the schema of a label selector. */
export function labelSelector(options?: SchemaOptions): BuiltInSchema<V1LabelSelector> {
  return objectSchema(LabelSelectorDefinition, options) as BuiltInSchema<V1LabelSelector>;
}

/** Returns the schema of an owner reference. */
export function ownerReference(options?: SchemaOptions): BuiltInSchema<V1OwnerReference> {
  return objectSchema(OwnerReferenceDefinition, options) as BuiltInSchema<V1OwnerReference>;
}

/** Returns the schema of a reference to an object of any kind, as in the list of active Jobs of a CronJob. */
export function objectReference(options?: SchemaOptions): BuiltInSchema<V1ObjectReference> {
  return objectSchema(ObjectReferenceDefinition, options) as BuiltInSchema<V1ObjectReference>;
}

/** Returns the schema of a reference to an object of a known kind in the same namespace. */
export function localObjectReference(options?: SchemaOptions): BuiltInSchema<V1LocalObjectReference, "name"> {
  return objectSchema(LocalObjectReferenceDefinition, options) as BuiltInSchema<V1LocalObjectReference, "name">;
}

/** Returns the schema of a reference to an object of any kind in the same namespace. */
export function typedLocalObjectReference(options?: SchemaOptions): BuiltInSchema<V1TypedLocalObjectReference> {
  return objectSchema(TypedLocalObjectReferenceDefinition, options) as BuiltInSchema<V1TypedLocalObjectReference>;
}

/** Returns the schema of a reference to an object of any kind, perhaps in another namespace. */
export function typedObjectReference(options?: SchemaOptions): BuiltInSchema<V1TypedObjectReference> {
  return objectSchema(TypedObjectReferenceDefinition, options) as BuiltInSchema<V1TypedObjectReference>;
}

/** Returns the schema of a reference to a Secret, perhaps in another namespace. */
export function secretReference(options?: SchemaOptions): BuiltInSchema<V1SecretReference> {
  return objectSchema(SecretReferenceDefinition, options) as BuiltInSchema<V1SecretReference>;
}

/** Returns the schema of a key of a Secret in the same namespace. */
export function secretKeySelector(options?: SchemaOptions): BuiltInSchema<V1SecretKeySelector, "name"> {
  return objectSchema(SecretKeySelectorDefinition, options) as BuiltInSchema<V1SecretKeySelector, "name">;
}

/** Returns the schema of a key of a ConfigMap in the same namespace. */
export function configMapKeySelector(options?: SchemaOptions): BuiltInSchema<V1ConfigMapKeySelector, "name"> {
  return objectSchema(ConfigMapKeySelectorDefinition, options) as BuiltInSchema<V1ConfigMapKeySelector, "name">;
}

/** Returns the schema of the target of an autoscaler. */
export function crossVersionObjectReference(options?: SchemaOptions): BuiltInSchema<V2CrossVersionObjectReference> {
  return objectSchema(CrossVersionObjectReferenceDefinition, options) as BuiltInSchema<V2CrossVersionObjectReference>;
}
