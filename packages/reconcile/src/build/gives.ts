/** Values that a step may hand over late or not at all, and the steps that run without them. */
import type { KubernetesObject } from "@treadle/apimachinery";

/** These are the values that a step may hand over late, or not at all, by `handOver()`. */
export interface Gives {
  /** The names of the vars. */
  readonly names: readonly string[];
  /** Returns the source of the values for messages, such as `Role app`. It must not throw. */
  readonly of: (object: KubernetesObject) => string;
  /** Time until a step that waits for the values runs again, in milliseconds. @defaultValue the waiting backoff */
  readonly afterMs?: number;
}

const OPTIONAL: symbol = Symbol.for("treadle.reconcile.Optional");

/** Makes what `optional(step)` returns, from the runtime of the step. @throws TypeError if there is none */
export function optionalStep(runtime: { readonly name: string } | undefined): object {
  if (runtime === undefined) throw new TypeError("optional: give it a step made by step(), whose vars may be missing");
  return Object.freeze(Object.defineProperty({ name: runtime.name }, OPTIONAL, { value: runtime }));
}

/** Returns the runtime that `optionalStep()` was called with, or `undefined` for another value. */
export function optionalOf(value: unknown): unknown {
  return typeof value === "object" && value !== null ? (value as { [OPTIONAL]?: unknown })[OPTIONAL as never] : undefined;
}
