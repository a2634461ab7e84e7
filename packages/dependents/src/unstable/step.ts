/**
 * `@treadle/dependents/unstable/step`: for packages that make composites of dependents and report for them. Not for operators; it
 * may change in any version.
 */

// What a composite decides about its parts, and what it learns of them.
export {
  type Cause,
  causeOfError,
  type Course,
  RUN,
  type Running,
  type SeenObject,
  type Supervision,
  supervision,
  type Unworded,
} from "../supervision.ts";
export { type PartRemoval, type PartReport, partReportOf, removalsOf } from "../part-report.ts";
export { LOOK_AGAIN_MS } from "../retry-later.ts";
export type { Absence } from "../entry-condition.ts";
export { GRACE_CLOCK, type GraceClock, type GraceFacts, spentMs, tick } from "../grace.ts";

// What follows from a step without a pass.
export {
  type DesiredObject,
  desiredByOwner,
  type Facts,
  factsOf,
  isWantedWith,
  renderedWith,
  replicasAreOurs,
} from "../step-facts.ts";
export { type Asked, type Dependent, desiredOf, refsOrNone } from "../dependent.ts";
export type { Named, NamedObjects } from "../objects.ts";
export type { AnyOptions } from "../types.ts";
export { holds, requireGates } from "../gates.ts";
export { isKnown, UNKNOWN_INPUTS } from "../core/ask.ts";
export { digestOf } from "../core/body.ts";
export { withPartial } from "../layers/layered.ts";
