/** Merges of parameters. */
import { isFields } from "../fields.ts";
import type { Parameters } from "./types.ts";

/**
 * Returns parameters merged in order, as Helm merges files with values: objects are merged, and everything else replaces the former
 * value, also an object. `null` stays: in the values of a chart it removes the default. The arguments do not change.
 */
export function mergeParameters(...all: readonly Parameters[]): Record<string, unknown> {
  return all.reduce<Record<string, unknown>>((result, each) => merged(result, each), {});
}

function merged(former: Parameters, latter: Parameters): Record<string, unknown> {
  const result: Record<string, unknown> = { ...former };
  for (const [key, value] of Object.entries(latter)) {
    if (value === undefined) continue;
    const present = Object.hasOwn(result, key) ? result[key] : undefined;
    const next = isFields(value) ? merged(isFields(present) ? present : {}, value) : value;
    // An assignment to __proto__ would set the prototype.
    Object.defineProperty(result, key, { value: next, writable: true, enumerable: true, configurable: true });
  }
  return result;
}
