/** What a handler was called before, and whose place it takes: everything that counts as its own beside its name. */
import type { Kind } from "@treadle/apimachinery";
import type { HandlerOptions } from "../handler-options.ts";
import { finalizerOf } from "./names.ts";

/** The handlers whose objects this handler takes over. */
export interface Predecessors {
  /** The present name first, then those of before. */
  readonly names: readonly string[];
  /** Their finalizers. */
  readonly finalizers: ReadonlySet<string>;
  /** Field managers of other operators. */
  readonly fieldManagers: readonly string[];
  /** Leases that must be held beside that of the operator. */
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

/** Everything under which what is ours was written: for caches, and for whoever asks managedFields. */
export function managersOf({ names, fieldManagers }: Predecessors): ReadonlySet<string> {
  return new Set([...names, ...fieldManagers]);
}
