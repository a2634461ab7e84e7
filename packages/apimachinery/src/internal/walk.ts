/** What every part of the walk over a zod tree shares: where it stands, and where problems go. */
import type { DefinitionProblem } from "../definition-error.ts";
import type { JsonSchema } from "../crd.ts";
import type { AnySchema } from "./zod-tree.ts";

/** A place in the schema. */
export interface Place {
  /** E.g. `spec.ports[].name`. */
  readonly path: string;
  /** Whether the server can tell which old value belongs to a new one here, as transition rules need it. */
  readonly isCorrelatable: boolean;
}

export interface Walk {
  readonly problems: DefinitionProblem[];
  /** The schemas that enclose the present one: meeting one of them again is a recursion. */
  readonly open: Set<AnySchema>;
}

/** What a handler of one kind of schema gives; `undefined` after it reported a problem. */
export type Shape = JsonSchema | undefined;

/** Reports a problem; returns `undefined` so that a handler can end with it. */
export function refuse(walk: Walk, place: Place, reason: string, fix: string): undefined {
  walk.problems.push({ path: place.path, reason, fix });
  return undefined;
}

export function child(place: Place, suffix: string, isCorrelatable = true): Place {
  return { path: `${place.path}${suffix}`, isCorrelatable: place.isCorrelatable && isCorrelatable };
}
