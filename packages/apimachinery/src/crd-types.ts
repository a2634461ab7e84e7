/**
 * The shape of a CustomResourceDefinition, apiextensions.k8s.io/v1, as it is on the wire. Types only.
 *
 * client-node's model is not used: it renames `x-kubernetes-*`, `default` and `enum`, so a manifest of that type would be wrong.
 */
import type { Condition, KubernetesObject } from "./objects.ts";
import type { ObjectMetaInput } from "./object-input.ts";

/** A CEL rule of a schema. Exactly one of `message` and `messageExpression` is usually given. */
export interface ValidationRule {
  /** CEL; `self` is the value, `oldSelf` the stored one: a rule that names it holds on updates only. */
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: "FieldValueInvalid" | "FieldValueForbidden" | "FieldValueRequired" | "FieldValueDuplicate";
  readonly fieldPath?: string;
  /** A transition rule that is evaluated also where there is no old value. */
  readonly optionalOldSelf?: boolean;
}

/** A structural schema, as far as a CRD may use JSON Schema. */
export interface JsonSchema {
  readonly type?: "object" | "array" | "string" | "integer" | "number" | "boolean";
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly enum?: readonly unknown[];
  readonly nullable?: boolean;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly externalDocs?: { readonly description?: string; readonly url?: string };
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: "atomic" | "granular";
  readonly "x-kubernetes-validations"?: readonly ValidationRule[];
}

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  /** Begins with a dot, e.g. `.spec.replicas`. */
  readonly jsonPath: string;
  readonly description?: string;
  readonly format?: string;
  /** Columns above zero are shown with `-o wide` only. */
  readonly priority?: number;
}

export interface ScaleSubresource {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

export interface CustomResourceDefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: JsonSchema };
  readonly subresources?: { readonly status?: Readonly<Record<string, never>>; readonly scale?: ScaleSubresource };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

export interface CustomResourceDefinitionNames {
  readonly kind: string;
  readonly plural: string;
  readonly singular?: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

export interface CustomResourceDefinitionSpec {
  readonly group: string;
  readonly names: CustomResourceDefinitionNames;
  readonly scope: "Namespaced" | "Cluster";
  readonly versions: readonly CustomResourceDefinitionVersion[];
  readonly conversion?: {
    readonly strategy: "None" | "Webhook";
    readonly webhook?: {
      readonly conversionReviewVersions: readonly string[];
      readonly clientConfig?: {
        readonly caBundle?: string;
        readonly url?: string;
        readonly service?: { readonly name: string; readonly namespace: string; readonly path?: string; readonly port?: number };
      };
    };
  };
  readonly preserveUnknownFields?: boolean;
}

export interface CustomResourceDefinitionStatus {
  readonly conditions?: readonly Partial<Condition>[];
  readonly acceptedNames?: CustomResourceDefinitionNames;
  readonly storedVersions?: readonly string[];
  readonly observedGeneration?: number;
}

/** A CRD as the server returns it. */
export interface CustomResourceDefinition extends KubernetesObject {
  readonly spec: CustomResourceDefinitionSpec;
  readonly status?: CustomResourceDefinitionStatus;
}

/** A CRD as a client sends it. */
export interface CustomResourceDefinitionInput {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMetaInput;
  readonly spec: CustomResourceDefinitionSpec;
  readonly status?: CustomResourceDefinitionStatus;
}
