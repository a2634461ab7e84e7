/** Checks of options that JavaScript and casts get past the types. */
import { misuse } from "@treadle/reconcile/unstable/engine";
import { isFields } from "../fields.ts";
import { whatIs } from "./mistake.ts";

/**
 * Refuses options that a renderer does not have, and those of a wrong type.
 * @param where the renderer, for errors: `helm`
 * @throws TypeError with code ERR_INVALID_STEP
 */
export function requireOptions(where: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) throw misuse("ERR_INVALID_STEP", `${where}: there is no option ${unknown}: use ${known.join(", ")}`);
  const { values, parameters, edit } = options as Readonly<Record<string, unknown>>;
  if (values !== undefined && typeof values !== "function" && !isFields(values))
    throw misuse("ERR_INVALID_STEP", `${where}: values is ${whatIs(values)}: give an object, or a function that returns one`);
  for (const [name, given] of Object.entries({ parameters, edit }))
    for (const each of given === undefined ? [] : [given].flat())
      if (typeof each !== "function")
        throw misuse("ERR_INVALID_STEP", `${where}: ${name} has ${whatIs(each)}: give a function, or a list of functions`);
}
