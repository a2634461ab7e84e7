/** The types of edits: of parameters before a renderer, and of objects after it. Types only. */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { RenderContext } from "@treadle/dependents";

/** The parameters of a renderer, such as the values of a chart. */
export type Parameters = Readonly<Record<string, unknown>>;

/** Changes the parameters of a renderer. It gets a copy, which it may change, and returns it or other parameters. */
export type ParameterEdit<T extends KubernetesObject = KubernetesObject, R = {}, V = {}> = (
  parameters: Record<string, unknown>,
  owner: T,
  context: RenderContext<R, V>,
) => Parameters | Promise<Parameters>;

/** A value, or a function that returns it for an owner. */
export type Given<Value, T extends KubernetesObject, R, V> = Value | ((owner: T, context: RenderContext<R, V>) => Value);

/** The type of contexts of edits that fit every set. */
// oxlint-disable-next-line typescript/no-explicit-any -- an edit without functions fits every context
export type AnyContext = any;
