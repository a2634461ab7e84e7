/** Arguments of edits that are values, or functions of the owner. */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { RenderContext } from "@treadle/dependents";
import type { Given } from "./types.ts";

/**
 * Returns a function that returns the argument for an owner. A value is checked now, and the result of a function when the edit runs.
 * @param check throws for a value that is not valid
 */
export function givenFor<Value, T extends KubernetesObject, R, V>(
  given: Given<Value, T, R, V>,
  check: (value: unknown) => void,
): (owner: T, context: RenderContext<R, V>) => Value {
  if (typeof given !== "function") {
    check(given);
    return () => given;
  }
  const ask = given as (owner: T, context: RenderContext<R, V>) => Value; // Arguments of edits are JSON, so a function is one of the owner.
  return (owner, context) => {
    const value = ask(owner, context);
    check(value);
    return value;
  };
}
