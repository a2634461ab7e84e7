/** The values of a renderer for one owner: those of the author, with the edits of parameters. */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { RenderContext } from "@treadle/dependents";
import { calledAsync, nameOfAnswer, plainJson } from "@treadle/dependents/unstable/render";
import { misuse } from "@treadle/reconcile/unstable/engine";
import { isFields } from "../fields.ts";
import { editParameters, type OneOrMore } from "./calls.ts";
import type { ParameterEdit, Parameters } from "./types.ts";

/** Where values come from. */
export interface ValuesSource<T extends KubernetesObject, R, V> {
  /** The renderer, for errors: `helm` */
  readonly where: string;
  /** The values, or a function that returns them. @defaultValue none */
  readonly values?: Parameters | ((owner: T, context: RenderContext<R, V>) => object | Promise<object>) | undefined;
  /** Edits of the values, in order. @defaultValue none */
  readonly parameters?: OneOrMore<ParameterEdit<T, R, V>> | undefined;
  /** Values of the framework. @defaultValue none */
  readonly own?: Parameters;
  /** The names of all values that the framework may set. @defaultValue none */
  readonly reserved?: readonly string[];
}

/** Returns the values of an owner as plain JSON. @throws TypeError for values that are not an object, and what the author's functions throw */
export async function valuesFor<T extends KubernetesObject, R, V>(
  { where, values = {}, parameters, own = {}, reserved = [] }: ValuesSource<T, R, V>,
  owner: T,
  context: RenderContext<R, V>,
): Promise<Parameters> {
  const place = `${where}: values`;
  const answer: unknown = typeof values === "function" ? await calledAsync(place, () => values(owner, context)) : values;
  if (!isFields(answer)) throw misuse("ERR_INVALID_STEP", `${place} returned ${nameOfAnswer(answer)}: return the values as an object`);
  const taken = reserved.find((name) => Object.hasOwn(answer, name));
  if (taken !== undefined) throw misuse("ERR_INVALID_STEP", `${place} returned ${taken}, which the framework sets: use another name`);
  // plainJson() keeps the shape of an object.
  const edited = await editParameters(where, plainJson(place, { ...answer, ...own }) as Parameters, parameters, owner, context);
  return plainJson(`${where}: the edited parameters`, edited) as Parameters;
}
