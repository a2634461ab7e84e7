/** The types of the schemas, derived from client-node's models as those of the built-in kinds are. Types only. */
import type { z } from "zod";
import type { WireName } from "../plain-json.ts";

/** The metadata of a template: the fields that a controller copies to the objects that it makes. The server sets none of them. */
export interface TemplateMetadata {
  /** Annotations, for which no selector exists. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Finalizers; the server removes a deleted object only when none is left. */
  readonly finalizers?: readonly string[];
  /** Labels, by which selectors find the object. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Name of the object. */
  readonly name?: string;
  /** Namespace of the object. */
  readonly namespace?: string;
}

/** `Model` as plain JSON inside a spec. It differs from `PlainJson` in the metadata of templates. */
export type BuiltInShape<Model> = 0 extends 1 & Model // `any` in the model; nothing is known about the value
  ? unknown
  : Model extends Date
    ? string
    : Model extends readonly (infer Item)[]
      ? readonly BuiltInShape<Item>[]
      : Model extends object
        ? { readonly [Name in keyof Model as WireName<Name>]: Name extends "metadata" ? TemplateMetadata : BuiltInShape<Model[Name]> }
        : Model;

/**
 * A zod object with the fields of `Shape`: `.pick()`, `.omit()`, `.partial()`, `.extend()` and `.shape` know them. The fields in
 * `Defaulted` have a default, so the server always returns them.
 */
export type ObjectSchema<Shape, Defaulted extends keyof Shape = never> = z.ZodObject<
  { [Name in keyof Shape]-?: FieldSchema<Shape, Name, Defaulted> },
  z.core.$strip
>;

/** The schema of the field `Name` of `Shape`. */
export type FieldSchema<Shape, Name extends keyof Shape, Defaulted> = Name extends Defaulted
  ? z.ZodDefault<ValueSchema<Shape[Name]>>
  : {} extends Pick<Shape, Name>
    ? z.ZodExactOptional<ValueSchema<Shape[Name]>>
    : ValueSchema<Shape[Name]>;

/** The schema of a value that is present. */
export type ValueSchema<Value> = z.ZodType<Exclude<Value, undefined>, Exclude<Value, undefined>>;

/** The schema of a built-in type, by its model in client-node. */
export type BuiltInSchema<Model, Defaulted extends keyof BuiltInShape<Model> = never> = ObjectSchema<BuiltInShape<Model>, Defaulted>;
