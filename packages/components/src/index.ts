/** `@treadle/components`: features of an operator with one lifecycle and one condition each. */
export { type ComponentReason, componentReasons, type ReasonFacts } from "./reasons.ts";
export type { Category, Grade, KindRecord, ResourceState, StateFacts, Suspend } from "./kinds/kind-record.ts";
