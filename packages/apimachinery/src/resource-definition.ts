/** What an author says of a custom resource, and the types that follow from it. Types only. */
import type { z } from "zod";
import type { JsonSchema, PrinterColumn, ScaleSubresource, ValidationRule } from "./crd.ts";
import type { Kind, ResourceTraits } from "./kind.ts";
import type { ObjectMetaInput } from "./object-input.ts";
import type { Condition, DeepReadonly, KubernetesObject } from "./objects.ts";

/** What the engine keeps in every status; not part of an author's draft. */
export interface EngineStatus {
  readonly conditions?: readonly Condition[];
  readonly observedGeneration?: number;
  /** The last value of the annotation `treadle.dev/reconcile-requested-at` that a pass followed. */
  readonly lastHandledReconcileAt?: string;
  /** What steps remember between passes, by step name. Only with `stepState`. */
  readonly steps?: Readonly<Record<string, unknown>>;
}

/** What the server returns: defaults applied, no field of the status certain. */
export type CustomResource<Spec, Status> = KubernetesObject & {
  readonly spec: DeepReadonly<Spec>;
  readonly status?: Partial<DeepReadonly<Status>> & EngineStatus;
};

/** What a client may send: fields with a default may be absent, and so may a spec that needs no field. */
export type CustomResourceInput<Spec, Status> = {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMetaInput;
  readonly status?: Partial<DeepReadonly<Status>> & EngineStatus;
} & ({} extends Spec ? { readonly spec?: DeepReadonly<Spec> } : { readonly spec: DeepReadonly<Spec> });

/** What zod reads, without the index signature that it gives to an object without fields. */
export type OutputOf<S extends z.ZodObject> = [keyof S["shape"]] extends [never] ? {} : z.output<S>;

/** What zod accepts, without the index signature that it gives to an object without fields. */
export type InputOf<S extends z.ZodObject> = [keyof S["shape"]] extends [never] ? {} : z.input<S>;

/** The object with no fields: the status of a resource that declares none. */
export type NoFields = z.ZodObject<{}>;

/** A kind that {@link defineResource} made. */
export interface Resource<Read extends KubernetesObject, Write> extends Kind<Read, Write> {
  readonly resource: ResourceTraits;
}

/** The kind of a resource with this spec and status. */
export type ResourceOf<S extends z.ZodObject, U extends z.ZodObject = NoFields> = Resource<
  CustomResource<OutputOf<S>, OutputOf<U>>,
  CustomResourceInput<InputOf<S>, InputOf<U>>
>;

/** A field's path in dots, e.g. `replicas` or `template.name`, four levels deep. */
export type FieldPath<T, Depth extends readonly unknown[] = []> = Depth["length"] extends 4
  ? never
  : T extends readonly unknown[] | string | number | boolean
    ? never
    : T extends object
      ? { [K in keyof T & string]: K | `${K}.${FieldPath<NonNullable<T[K]>, readonly [...Depth, unknown]>}` }[keyof T & string]
      : never;

/** The paths that a printer column may name. */
export type ColumnPath<Spec, Status> =
  | `spec.${FieldPath<Spec>}`
  | `status.${FieldPath<Status>}`
  | "status.observedGeneration"
  | "status.lastHandledReconcileAt"
  | `metadata.${"name" | "namespace" | "generation" | "creationTimestamp" | "deletionTimestamp"}`;

/** A column of `kubectl get`: a field of the schema by its `path`, which gives the type too, or any `jsonPath`. */
export type PrinterColumnInput<Path extends string> = Pick<PrinterColumn, "name" | "description" | "format" | "priority"> & {
  /** @defaultValue the type of the field; `string` for a jsonPath */
  readonly type?: PrinterColumn["type"];
} & ({ readonly path: Path; readonly jsonPath?: never } | { readonly jsonPath: string; readonly path?: never });

/** What belongs to one version of a resource. */
export interface VersionDefinition<S extends z.ZodObject = z.ZodObject, U extends z.ZodObject = z.ZodObject, Path extends string = string> {
  readonly spec: S;
  readonly status?: U;
  /** Shown before the default ones. */
  readonly printerColumns?: readonly PrinterColumnInput<Path>[];
  /** Whether to add the columns Ready, Reason and Age where their names are free. @defaultValue true */
  readonly defaultColumns?: boolean;
  readonly scale?: ScaleSubresource;
  /** CEL rules beside those in `.meta({ "x-kubernetes-validations": [...] })`; `object` sees spec, status and metadata.name. */
  readonly validations?: {
    readonly object?: readonly ValidationRule[];
    readonly spec?: readonly ValidationRule[];
    readonly status?: readonly ValidationRule[];
  };
  /** @defaultValue true */
  readonly served?: boolean;
  /** `true`, or the warning that clients see. @defaultValue false */
  readonly deprecated?: boolean | string;
}

/** What belongs to a resource in all its versions. */
export interface ResourceCommon {
  /** A domain, e.g. `widgets.example.com`. */
  readonly group: string;
  readonly kind: string;
  /** @defaultValue the English plural of the kind */
  readonly plural?: string;
  /** @defaultValue the kind in lower case */
  readonly singular?: string;
  /** @defaultValue the kind with `List` */
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly scope: "Namespaced" | "Cluster";
  /** What `kubectl explain` says of the resource. */
  readonly description?: string;
  /** Whether steps may keep state in `status.steps`. @defaultValue false */
  readonly stepState?: boolean;
  /** Whether dependent objects are recorded in `status.dependents`. @defaultValue false */
  readonly dependents?: boolean;
  /** More fields of the status that extensions of the engine own, with their schemas: authors cannot write them. @defaultValue none */
  readonly statusParts?: Readonly<Record<string, JsonSchema>>;
  /** Labels of the CRD. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations of the CRD. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A mistake that the compiler explains. */
export interface ReservedStatusField<Message extends string> {
  readonly "treadle: this status cannot be defined": Message;
}

type Unreserved<U extends z.ZodObject> = [Extract<keyof U["shape"], keyof EngineStatus>] extends [never]
  ? unknown
  : ReservedStatusField<`status.${Extract<keyof U["shape"], keyof EngineStatus>} is kept by the engine: remove it, it is added to every status`>;

/** A resource with one version. */
export type ResourceDefinition<S extends z.ZodObject, U extends z.ZodObject> = ResourceCommon &
  Omit<VersionDefinition<S, U, ColumnPath<OutputOf<S>, OutputOf<U>>>, "status"> & {
    readonly version: string;
    readonly status?: U & Unreserved<U>;
  };

/** A resource with several versions, the first one stored. */
export type VersionedResourceDefinition<
  Versions extends Readonly<Record<string, VersionDefinition>>,
  Version extends keyof Versions & string,
> = ResourceCommon & {
  /** The version of the kind itself, which must be the first; it only makes the type exact. */
  readonly version?: Version;
  readonly versions: Versions;
};

/** The kind of one version of a resource with several. */
export type VersionOf<Definition> = Definition extends {
  readonly spec: infer S extends z.ZodObject;
  readonly status: infer U extends z.ZodObject;
}
  ? ResourceOf<S, U>
  : Definition extends { readonly spec: infer S extends z.ZodObject }
    ? ResourceOf<S>
    : never;

/** A kind with the kinds of all its versions. */
export type VersionedResource<Versions, Version extends keyof Versions> = VersionOf<Versions[Version]> & {
  readonly versions: { readonly [V in keyof Versions]: VersionOf<Versions[V]> };
};
