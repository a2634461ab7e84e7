/** The former names of a handler, and the operators that it replaces. Their marks on objects are ours. */
import type { Kind } from "@treadle/apimachinery";
import type { HandlerOptions } from "../handler-options.ts";
import { finalizerOf } from "./names.ts";

/** Predecessors are the names under which the objects of a handler were written, before and now. */
export interface Predecessors {
  /** The present name, then the former names. */
  readonly names: readonly string[];
  /** The finalizers of the predecessors. */
  readonly finalizers: ReadonlySet<string>;
  /** The field managers of replaced operators. */
  readonly fieldManagers: readonly string[];
  /** The leases that must be held next to the lease of the operator. */
  readonly leases: readonly string[];
}

export function predecessorsOf(
  kind: Kind,
  name: string,
  { formerNames = [], takesOver = [] }: Pick<HandlerOptions, "formerNames" | "takesOver">,
): Predecessors {
  return {
    names: [name, ...formerNames],
    finalizers: new Set([
      ...formerNames.map((former) => finalizerOf(kind, former)),
      ...takesOver.flatMap(({ finalizers = [] }) => finalizers),
    ]),
    fieldManagers: takesOver.flatMap(({ fieldManagers = [] }) => fieldManagers),
    leases: takesOver.flatMap(({ lease }) => (lease === undefined ? [] : [lease])),
  };
}

/** Returns the field managers whose fields are ours, for caches and for code that reads managedFields. */
export function managersOf({ names, fieldManagers }: Predecessors): ReadonlySet<string> {
  return new Set([...names, ...fieldManagers]);
}
