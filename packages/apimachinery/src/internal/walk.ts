/** The state of a walk over a zod tree: its present place, and the problems found so far. */
import type { DefinitionProblem } from "../definition-error.ts";
import type { JsonSchema } from "../crd-types.ts";
import type { AnySchema } from "./zod-tree.ts";

/** A place in the schema. */
export interface Place {
  /** Path of the place, `spec.ports[].name`. */
  readonly path: string;
  /** Whether the server can find the old value of a new value here, as transition rules need. */
  readonly isCorrelatable: boolean;
  /** Maximum number of values here in one object: the product of the bounds of the enclosing lists and maps, or Infinity. */
  readonly cardinality: number;
}

/** The state of the walk. */
export interface Walk {
  readonly problems: DefinitionProblem[];
  /** The schemas around the present one. If one of them occurs again, the schema is recursive. */
  readonly open: Set<AnySchema>;
  /** Whether the nesting is too deep. The walk ends then, because each level may double the work. */
  isTooDeep: boolean;
}

/** The schema that a part of the walk found, or `undefined` after it reported a problem. */
export type Shape = JsonSchema | undefined;

/** Reports a problem. Returns `undefined`, so that a caller can return the result. */
export function refuse(walk: Walk, place: Place, reason: string, fix: string): undefined {
  walk.problems.push({ path: place.path, reason, fix });
  return undefined;
}

/** Returns the place of a whole section, such as the spec. */
export function section(path: string): Place {
  return { path, isCorrelatable: true, cardinality: 1 };
}

/** Returns the place of a field or option. */
export function child(place: Place, suffix: string): Place {
  return { ...place, path: `${place.path}${suffix}` };
}

/** Returns the place of the elements of a list or the values of a map. There are at most `count` of them. */
export function elements(place: Place, suffix: string, isCorrelatable: boolean, count: number | undefined): Place {
  return {
    path: `${place.path}${suffix}`,
    isCorrelatable: place.isCorrelatable && isCorrelatable,
    cardinality: place.cardinality * Math.max(1, count ?? Number.POSITIVE_INFINITY),
  };
}
