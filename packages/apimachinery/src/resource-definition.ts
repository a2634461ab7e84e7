/** The declaration of a custom resource, and the types that follow from it. Types only. */
import type { z } from "zod";
import type { JsonSchema, PrinterColumn, ScaleSubresource, ValidationRule } from "./crd-types.ts";
import type { HubOf, KnownHub } from "./hub-version.ts";
import type { Kind, ResourceTraits } from "./kind.ts";
import type { ObjectMetaInput } from "./object-input.ts";
import type { Condition, DeepReadonly, KubernetesObject } from "./objects.ts";

/** The fields of every status that only the engine writes. A step cannot set them in `req.status`. */
export interface EngineStatus {
  /** Conditions of the object. */
  readonly conditions?: readonly Condition[];
  /** The `metadata.generation` that the status describes. */
  readonly observedGeneration?: number;
  /** Last value of the annotation `treadle.dev/reconcile-requested-at` that a pass handled. */
  readonly lastHandledReconcileAt?: string;
  /** State of the steps by step name. Only with `stepState`. */
  readonly steps?: Readonly<Record<string, unknown>>;
}

/** A custom resource as the server returns it. Defaults are applied. Every field of the status may be absent. */
export type CustomResource<Spec, Status> = KubernetesObject & {
  /** The desired state. */
  readonly spec: DeepReadonly<Spec>;
  /** The state that the operator reports. */
  readonly status?: Partial<DeepReadonly<Status>> & EngineStatus;
};

/** A custom resource as a client may send it. Fields with a default may be absent, and so may a spec without required fields. */
export type CustomResourceInput<Spec, Status> = {
  /** Optional: it follows from the kind. */
  readonly apiVersion?: string;
  /** Optional: it follows from the kind. */
  readonly kind?: string;
  /** Metadata of the object. */
  readonly metadata: ObjectMetaInput;
  /** The status; only writes of the status subresource store it. */
  readonly status?: Partial<DeepReadonly<Status>> & EngineStatus;
} & ({} extends Spec ? { readonly spec?: DeepReadonly<Spec> } : { readonly spec: DeepReadonly<Spec> });

/** The output type of a zod object, without the index signature that zod gives to an object without fields. */
export type OutputOf<S extends z.ZodObject> = [keyof S["shape"]] extends [never] ? {} : z.output<S>;

/** The input type of a zod object, without the index signature that zod gives to an object without fields. */
export type InputOf<S extends z.ZodObject> = [keyof S["shape"]] extends [never] ? {} : z.input<S>;

/** A zod object without fields: the status of a resource that declares none. */
export type NoFields = z.ZodObject<{}>;

/** A kind that {@link defineResource} made. */
export interface Resource<Read extends KubernetesObject, Write> extends Kind<Read, Write> {
  /** The traits of the kind, among them its CRD. */
  readonly resource: ResourceTraits;
}

/** The kind of a resource with this spec and status. */
export type ResourceOf<S extends z.ZodObject, U extends z.ZodObject = NoFields> = Resource<
  CustomResource<OutputOf<S>, OutputOf<U>>,
  CustomResourceInput<InputOf<S>, InputOf<U>>
>;

/**
 * The paths of the fields of `T`, as `replicas` or `template.name`, down to four levels. A list ends a path. Where the type
 * names no fields, as in a record, any text is a path.
 */
export type FieldPath<T> = PathWithin<T, []>;

type PathWithin<T, Depth extends readonly unknown[]> = Depth["length"] extends 4
  ? never
  : T extends readonly unknown[] | string | number | boolean
    ? never
    : T extends object
      ? string extends keyof T
        ? string
        : { [K in keyof T & string]: K | `${K}.${PathWithin<NonNullable<T[K]>, readonly [...Depth, unknown]>}` }[keyof T & string]
      : never;

/** The paths of fields that a printer column may show. */
export type ColumnPath<Spec, Status> =
  | `spec.${FieldPath<Spec>}`
  | `status.${FieldPath<Status>}`
  | "status.observedGeneration"
  | "status.lastHandledReconcileAt"
  | `metadata.${"name" | "namespace" | "generation" | "creationTimestamp" | "deletionTimestamp"}`;

/** A column of `kubectl get`: either the `path` of a field of the schema, from which the type follows, or any `jsonPath`. */
export type PrinterColumnInput<Path extends string> = Pick<PrinterColumn, "name" | "description" | "format" | "priority"> & {
  /** Type of the column. @defaultValue the type of the field; `string` for a jsonPath */
  readonly type?: PrinterColumn["type"];
} & ({ readonly path: Path; readonly jsonPath?: never } | { readonly jsonPath: string; readonly path?: never });

/** The part of a declaration that belongs to one version of a resource. */
export interface VersionDefinition<S extends z.ZodObject = z.ZodObject, U extends z.ZodObject = z.ZodObject, Path extends string = string> {
  /** Schema of the spec. */
  readonly spec: S;
  /** Schema of the status, without the engine's fields. */
  readonly status?: U;
  /** Columns of `kubectl get`, shown before the default columns. */
  readonly printerColumns?: readonly PrinterColumnInput<Path>[];
  /**
   * Whether to add the columns Ready, Reason, Message (only with `-o wide`) and Age. One is left out if a column of `printerColumns` has its name.
   * @defaultValue true
   */
  readonly defaultColumns?: boolean;
  /** Paths of the scale subresource. Absent: the version has none. */
  readonly scale?: ScaleSubresource;
  /**
   * CEL rules in addition to those in `.meta({ "x-kubernetes-validations": [...] })`.
   * Rules of `object` see spec, status and metadata.name.
   */
  readonly validations?: {
    readonly object?: readonly ValidationRule[];
    readonly spec?: readonly ValidationRule[];
    readonly status?: readonly ValidationRule[];
  };
  /** Whether the API server serves the version. @defaultValue true */
  readonly served?: boolean;
  /** Whether clients get a warning when they use the version; a string is the text of that warning. @defaultValue false */
  readonly deprecated?: boolean | string;
}

/** The part of a declaration that all versions of a resource share. */
export interface ResourceCommon {
  /** API group: a domain, such as `widgets.example.com`. */
  readonly group: string;
  /** Kind in CamelCase, `Widget`. */
  readonly kind: string;
  /** Plural in lower case, as in URLs. @defaultValue the English plural of the kind */
  readonly plural?: string;
  /** Singular in lower case. @defaultValue the kind in lower case */
  readonly singular?: string;
  /** Kind of a list of these objects. @defaultValue the kind followed by `List` */
  readonly listKind?: string;
  /** Short names for kubectl. */
  readonly shortNames?: readonly string[];
  /** Groups of resources to which `kubectl get <category>` adds this one, such as `all`. */
  readonly categories?: readonly string[];
  /** Whether objects are in namespaces. */
  readonly scope: "Namespaced" | "Cluster";
  /** Text that `kubectl explain` prints. */
  readonly description?: string;
  /** Whether steps may store state in `status.steps`. @defaultValue false */
  readonly stepState?: boolean;
  /** Whether dependent objects are recorded in `status.dependents`. @defaultValue false */
  readonly dependents?: boolean;
  /** Schemas of more status fields that extensions of the engine own. Steps cannot write them in `req.status`. @defaultValue none */
  readonly statusParts?: Readonly<Record<string, JsonSchema>>;
  /** Labels of the CRD. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations of the CRD. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The compile error for a status that declares a field of the engine. */
export interface ReservedStatusField<Message extends string> {
  /** The explanation. */
  readonly "treadle: this status cannot be defined": Message;
}

type Unreserved<U extends z.ZodObject> = [Extract<keyof U["shape"], keyof EngineStatus>] extends [never]
  ? unknown
  : ReservedStatusField<`status.${Extract<keyof U["shape"], keyof EngineStatus>} is kept by the engine: remove it, it is added to every status`>;

/** The declaration of a resource with one version. */
export type ResourceDefinition<S extends z.ZodObject, U extends z.ZodObject> = ResourceCommon &
  Omit<VersionDefinition<S, U, ColumnPath<OutputOf<S>, OutputOf<U>>>, "status"> & {
    /** Name of the version, `v1`. */
    readonly version: string;
    /** Schema of the status, without the engine's fields. */
    readonly status?: U & Unreserved<U>;
  };

/** The declaration of a resource with several versions. Objects are stored in the first one, which is the hub. */
export type VersionedResourceDefinition<
  Versions extends Readonly<Record<string, VersionDefinition>>,
  Version extends keyof Versions & string = HubOf<Versions>,
> = ResourceCommon & {
  /**
   * Name of the first version. Required if another version has a higher Kubernetes priority, as in `{ v1alpha1, v1 }`: the type of the
   * kind follows from it. @defaultValue the first version
   */
  readonly version?: Version;
  /** The versions by name, the stored one first. */
  readonly versions: Versions & KnownHub<Versions, Version>;
};

/** The kind of one version of a resource with several versions. */
export type VersionOf<Definition> = Definition extends {
  readonly spec: infer S extends z.ZodObject;
  readonly status: infer U extends z.ZodObject;
}
  ? ResourceOf<S, U>
  : Definition extends { readonly spec: infer S extends z.ZodObject }
    ? ResourceOf<S>
    : never;

/** A kind of the first version, with the kinds of all versions. The type of each kind knows its version. */
export type VersionedResource<Versions, Version extends keyof Versions> = VersionOf<Versions[Version]> & {
  /** Name of the first version: the hub. */
  readonly version: Version;
  /** The kinds of all versions, by version, the hub first. */
  readonly versions: { readonly [V in keyof Versions]: VersionOf<Versions[V]> & { readonly version: V } };
};
