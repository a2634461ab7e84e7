/** What every part of the walk over a zod tree shares: where it stands, and where problems go. */
import type { DefinitionProblem } from "../definition-error.ts";
import type { JsonSchema } from "../crd-types.ts";
import type { AnySchema } from "./zod-tree.ts";

/** A place in the schema. */
export interface Place {
  /** E.g. `spec.ports[].name`. */
  readonly path: string;
  /** Whether the server can tell which old value belongs to a new one here, as transition rules need it. */
  readonly isCorrelatable: boolean;
  /** How many values may stand here in one object: the bounds of the enclosing lists and maps multiplied, or Infinity. */
  readonly cardinality: number;
}

export interface Walk {
  readonly problems: DefinitionProblem[];
  /** The schemas that enclose the present one: meeting one of them again is a recursion. */
  readonly open: Set<AnySchema>;
  /** Whether the nesting went too deep: the walk ends then, for each level may double the work. */
  isTooDeep: boolean;
}

/** What a handler of one kind of schema gives; `undefined` after it reported a problem. */
export type Shape = JsonSchema | undefined;

/** Reports a problem; returns `undefined` so that a handler can end with it. */
export function refuse(walk: Walk, place: Place, reason: string, fix: string): undefined {
  walk.problems.push({ path: place.path, reason, fix });
  return undefined;
}

/** The place of a whole section, e.g. of the spec. */
export function section(path: string): Place {
  return { path, isCorrelatable: true, cardinality: 1 };
}

export function child(place: Place, suffix: string): Place {
  return { ...place, path: `${place.path}${suffix}` };
}

/** The place of the elements of a list or the values of a map, of which there are at most `count`. */
export function elements(place: Place, suffix: string, isCorrelatable: boolean, count: number | undefined): Place {
  return {
    path: `${place.path}${suffix}`,
    isCorrelatable: place.isCorrelatable && isCorrelatable,
    cardinality: place.cardinality * Math.max(1, count ?? Number.POSITIVE_INFINITY),
  };
}
