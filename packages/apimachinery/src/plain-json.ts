/**
 * Types of built-in objects as they are on the wire, derived from client-node's models. The models describe the output of
 * client-node's serializer: `Date` for times, and other names where a JSON name is a JavaScript keyword or has a dash.
 * Treadle reads and writes plain JSON, so this module converts the types back, once for all models.
 */
import type { Kind } from "./kind.ts";
import type { KubernetesObject } from "./objects.ts";
import type { ObjectMetaInput } from "./object-input.ts";

/** `Model` as plain JSON. Times are RFC 3339 strings, names are as on the wire, and everything is read-only. */
export type PlainJson<Model> = 0 extends 1 & Model // `any` in the model; nothing is known about the value
  ? unknown
  : Model extends Date
    ? string
    : Model extends readonly (infer Item)[]
      ? readonly PlainJson<Item>[]
      : Model extends object
        ? { readonly [Name in keyof Model as WireName<Name>]: PlainJson<Model[Name]> }
        : Model;

/** An object of a built-in kind, as the server returns it. */
export type BuiltInObject<Model> = KubernetesObject & Omit<PlainJson<Model>, "apiVersion" | "kind" | "metadata">;

/** An object of a built-in kind, as a client may send it. */
export type BuiltInInput<Model> = {
  /** Optional: it follows from the kind. */
  readonly apiVersion?: string;
  /** Optional: it follows from the kind. */
  readonly kind?: string;
  /** Metadata of the object. */
  readonly metadata: ObjectMetaInput;
} & Omit<PlainJson<Model>, "apiVersion" | "kind" | "metadata">;

/** A built-in kind, typed by client-node's model. */
export type BuiltInKind<Model> = Kind<BuiltInObject<Model>, BuiltInInput<Model>>;

/** The name of a field on the wire. client-node replaced the dashes of `x-kubernetes-*` with underscores, and put an underscore before JavaScript keywords. */
export type WireName<Name> = Name extends `x_kubernetes_${infer Rest}`
  ? `x-kubernetes-${Dashed<Rest>}`
  : Name extends `_${infer Word}`
    ? Word
    : Name;

type Dashed<Text extends string> = Text extends `${infer Head}_${infer Tail}` ? `${Head}-${Dashed<Tail>}` : Text;
