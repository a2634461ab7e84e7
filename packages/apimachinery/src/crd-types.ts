/**
 * The shape of a CustomResourceDefinition, apiextensions.k8s.io/v1, as it is on the wire. Types only.
 *
 * client-node's model is not used: it renames `x-kubernetes-*`, `default` and `enum`, so a manifest of that type would be wrong.
 */
import type { Condition, KubernetesObject } from "./objects.ts";
import type { ObjectMetaInput } from "./object-input.ts";

/** A CEL rule of a schema. Usually exactly one of `message` and `messageExpression` is given. */
export interface ValidationRule {
  /** The rule in CEL. `self` is the value; `oldSelf` is the stored value, and a rule that names it is checked on updates only. */
  readonly rule: string;
  /** Text of the error when the rule is broken. */
  readonly message?: string;
  /** CEL expression that computes the text of the error. */
  readonly messageExpression?: string;
  /** The reason that the API server gives for the error. */
  readonly reason?: "FieldValueInvalid" | "FieldValueForbidden" | "FieldValueRequired" | "FieldValueDuplicate";
  /** JSONPath of the field that the error names, relative to the value. */
  readonly fieldPath?: string;
  /** Whether a rule that names `oldSelf` is also checked when there is no old value. */
  readonly optionalOldSelf?: boolean;
}

/** A structural schema: the part of JSON Schema that a CRD may use. */
export interface JsonSchema {
  /** The type of the value. */
  readonly type?: "object" | "array" | "string" | "integer" | "number" | "boolean";
  /** The format of the value, such as `date-time` or `int32`. */
  readonly format?: string;
  /** A short name of the value. */
  readonly title?: string;
  /** The text that `kubectl explain` prints. */
  readonly description?: string;
  /** The value that the API server sets when the field is absent. */
  readonly default?: unknown;
  /** An example value. */
  readonly example?: unknown;
  /** The allowed values. */
  readonly enum?: readonly unknown[];
  /** Whether `null` is allowed. */
  readonly nullable?: boolean;
  /** The fields of an object. */
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  /** The names of the required fields. */
  readonly required?: readonly string[];
  /** The schema of the values of a map. */
  readonly additionalProperties?: JsonSchema | boolean;
  /** Minimum number of entries of a map. */
  readonly minProperties?: number;
  /** Maximum number of entries of a map. */
  readonly maxProperties?: number;
  /** The schema of the elements of an array. */
  readonly items?: JsonSchema;
  /** Minimum number of elements. */
  readonly minItems?: number;
  /** Maximum number of elements. */
  readonly maxItems?: number;
  /** Whether elements must differ. The API server allows only `false`. */
  readonly uniqueItems?: boolean;
  /** Minimum length of a string, in characters. */
  readonly minLength?: number;
  /** Maximum length of a string, in characters. */
  readonly maxLength?: number;
  /** Regular expression (RE2) that a string must match. */
  readonly pattern?: string;
  /** Minimum of a number. */
  readonly minimum?: number;
  /** Maximum of a number. */
  readonly maximum?: number;
  /** Whether `minimum` itself is not allowed. */
  readonly exclusiveMinimum?: boolean;
  /** Whether `maximum` itself is not allowed. */
  readonly exclusiveMaximum?: boolean;
  /** Number of which the value must be a multiple. */
  readonly multipleOf?: number;
  /** Schemas that the value must match, all of them. */
  readonly allOf?: readonly JsonSchema[];
  /** Schemas of which the value must match at least one. */
  readonly anyOf?: readonly JsonSchema[];
  /** Schemas of which the value must match exactly one. */
  readonly oneOf?: readonly JsonSchema[];
  /** A schema that the value must not match. */
  readonly not?: JsonSchema;
  /** A link to more documentation. */
  readonly externalDocs?: { readonly description?: string; readonly url?: string };
  /** Whether the value is an integer or a string. */
  readonly "x-kubernetes-int-or-string"?: boolean;
  /** Whether the API server keeps fields that the schema does not name. */
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  /** Whether the value is a whole Kubernetes object. */
  readonly "x-kubernetes-embedded-resource"?: boolean;
  /** How server-side apply merges a list. Elements of a `set` and keys of a `map` must be unique. */
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  /** The fields that identify an element of a list of type `map`. */
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  /** Whether server-side apply owns an object as a whole or field by field. */
  readonly "x-kubernetes-map-type"?: "atomic" | "granular";
  /** CEL rules for the value. */
  readonly "x-kubernetes-validations"?: readonly ValidationRule[];
}

/** A column of `kubectl get`. */
export interface PrinterColumn {
  /** Header of the column. */
  readonly name: string;
  /** Type of the value. */
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  /** JSONPath of the value. It begins with a dot, as in `.spec.replicas`. */
  readonly jsonPath: string;
  /** What the column shows. */
  readonly description?: string;
  /** Format of the value, such as `int32` or `date-time`. */
  readonly format?: string;
  /** 0 or absent: always shown. Above 0: shown with `-o wide` only. */
  readonly priority?: number;
}

/** The scale subresource of a version: the paths of the fields by which `kubectl scale` and autoscalers work. */
export interface ScaleSubresource {
  /** JSONPath of the desired number of replicas, below `.spec`. */
  readonly specReplicasPath: string;
  /** JSONPath of the actual number of replicas, below `.status`. */
  readonly statusReplicasPath: string;
  /** JSONPath of the label selector of the replicas, as text. */
  readonly labelSelectorPath?: string;
}

/** One version of a CRD. */
export interface CustomResourceDefinitionVersion {
  /** Name of the version, `v1beta1`. */
  readonly name: string;
  /** Whether the API server serves the version. */
  readonly served: boolean;
  /** Whether objects are stored in this version. Exactly one version is. */
  readonly storage: boolean;
  /** Whether clients get a warning when they use the version. */
  readonly deprecated?: boolean;
  /** Text of that warning. Absent: the server's own text. */
  readonly deprecationWarning?: string;
  /** The schema of the objects. */
  readonly schema?: { readonly openAPIV3Schema?: JsonSchema };
  /** The subresources of the version. */
  readonly subresources?: { readonly status?: Readonly<Record<string, never>>; readonly scale?: ScaleSubresource };
  /** The columns of `kubectl get`. */
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  /** Fields that field selectors may name. */
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

/** The names of the kind that a CRD defines. */
export interface CustomResourceDefinitionNames {
  /** The kind, `Widget`. */
  readonly kind: string;
  /** The plural in lower case, as in URLs. */
  readonly plural: string;
  /** The singular in lower case. */
  readonly singular?: string;
  /** The kind of a list of these objects, `WidgetList`. */
  readonly listKind?: string;
  /** Short names for kubectl. */
  readonly shortNames?: readonly string[];
  /** Groups of resources to which `kubectl get <category>` adds this one, such as `all`. */
  readonly categories?: readonly string[];
}

/** A webhook that converts objects between versions, as the API server reaches it. Exactly one of `service` and `url` is set. */
export type ConversionWebhook = {
  /** The certificates by which the API server trusts the webhook: PEM, encoded in base64. Absent: those of the API server's system. */
  readonly caBundle?: string;
} & (
  | {
      /** A Service in the cluster. `path` is `/convert` and `port` is 443 by default. */
      readonly service: { readonly name: string; readonly namespace: string; readonly path?: string; readonly port?: number };
      readonly url?: never;
    }
  | {
      /** The whole `https` URL, for a webhook outside of the cluster. */
      readonly url: string;
      readonly service?: never;
    }
);

/** The options of {@link crdOf}. */
export interface CrdOptions {
  /** The webhook that converts objects. @defaultValue none: the API server changes only `apiVersion` */
  readonly conversion?: ConversionWebhook;
}

/** The `spec` of a CRD. */
export interface CustomResourceDefinitionSpec {
  /** The API group, `widgets.example.com`. */
  readonly group: string;
  /** The names of the kind. */
  readonly names: CustomResourceDefinitionNames;
  /** Whether objects are in namespaces. */
  readonly scope: "Namespaced" | "Cluster";
  /** The versions of the kind. */
  readonly versions: readonly CustomResourceDefinitionVersion[];
  /** How the API server converts objects between versions. */
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
  /** Whether fields without a schema are kept. The v1 API allows only `false`. */
  readonly preserveUnknownFields?: boolean;
}

/** The `status` of a CRD, written by the API server. */
export interface CustomResourceDefinitionStatus {
  /** The conditions, of which `Established` says that the kind is served. */
  readonly conditions?: readonly Partial<Condition>[];
  /** The names that the API server serves. */
  readonly acceptedNames?: CustomResourceDefinitionNames;
  /** The versions in which objects may still be stored. */
  readonly storedVersions?: readonly string[];
  /** The generation that the status describes. */
  readonly observedGeneration?: number;
}

/** A CRD as the server returns it. */
export interface CustomResourceDefinition extends KubernetesObject {
  /** The definition of the kind. */
  readonly spec: CustomResourceDefinitionSpec;
  /** What the API server reports about the definition. */
  readonly status?: CustomResourceDefinitionStatus;
}

/** A CRD as a client sends it. */
export interface CustomResourceDefinitionInput {
  /** Optional: it follows from the kind. */
  readonly apiVersion?: string;
  /** Optional: it follows from the kind. */
  readonly kind?: string;
  /** Metadata; the name must be `<plural>.<group>`. */
  readonly metadata: ObjectMetaInput;
  /** The definition of the kind. */
  readonly spec: CustomResourceDefinitionSpec;
  /** The status; only writes of the status subresource store it. */
  readonly status?: CustomResourceDefinitionStatus;
}
