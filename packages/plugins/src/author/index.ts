/** `@treadle/plugins/author`: for programs that are plugins. It loads neither the engine nor the client. */
export {
  type BodyOf,
  type Capability,
  type Dependent,
  dependent,
  type DependentOptions,
  type KindsInput,
  type LiveObjects,
  type LiveOfAny,
  type Plan,
  type PlanArguments,
  PlanError,
  type PlanErrorOptions,
  type PlannedBy,
  type PlanOwner,
  type TypeInput,
  type WithSpec,
} from "./capability.ts";
export { type AnyCapability, capability } from "./plan.ts";
export { type PartialOwner, planOf, type PlannedObjects, type PlanOfOptions } from "./plan-of.ts";
export { servePlugin } from "./serve.ts";
export type { DependentConfig, PlanProblem } from "../wire/messages.ts";
