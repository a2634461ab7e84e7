/**
 * Types of built-in objects as they are on the wire, derived from client-node's models. Those describe what its own
 * serializer makes of an object: `Date` for times and other names where the JSON name is a word of JavaScript or holds a
 * dash. Treadle reads and writes plain JSON, so the difference is undone here, once, for all models.
 */
import type { Kind } from "./kind.ts";
import type { KubernetesObject } from "./objects.ts";
import type { ObjectMetaInput } from "./object-input.ts";

/** `Model` as plain JSON: times are RFC 3339 strings, names are those of the wire, everything is read-only. */
export type PlainJson<Model> = 0 extends 1 & Model // `any`, and `unknown` is the honest word for it
  ? unknown
  : Model extends Date
    ? string
    : Model extends readonly (infer Item)[]
      ? readonly PlainJson<Item>[]
      : Model extends object
        ? { readonly [Name in keyof Model as WireName<Name>]: PlainJson<Model[Name]> }
        : Model;

/** What the server returns for a built-in kind. */
export type BuiltInObject<Model> = KubernetesObject & Omit<PlainJson<Model>, "apiVersion" | "kind" | "metadata">;

/** What a client may send for a built-in kind; `apiVersion` and `kind` follow from the kind. */
export type BuiltInInput<Model> = {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMetaInput;
} & Omit<PlainJson<Model>, "apiVersion" | "kind" | "metadata">;

/** A built-in kind, typed by client-node's model of it. */
export type BuiltInKind<Model> = Kind<BuiltInObject<Model>, BuiltInInput<Model>>;

/** The dashes of `x-kubernetes-*` became underscores, and words of JavaScript got one in front. */
type WireName<Name> = Name extends `x_kubernetes_${infer Rest}`
  ? `x-kubernetes-${Dashed<Rest>}`
  : Name extends `_${infer Word}`
    ? Word
    : Name;

type Dashed<Text extends string> = Text extends `${infer Head}_${infer Tail}` ? `${Head}-${Dashed<Tail>}` : Text;
