/** `@treadle/components`: features of an operator with one lifecycle and one condition each. Most programs import these names from `treadle`. */
export { component } from "./component.ts";
export type { AnyComponent, ComponentInputs, ComponentOf, ComponentOptions, ComponentStep } from "./types.ts";
export type { PreviewOptions, RenderedObject } from "./preview.ts";
export type { OwnerInput } from "./preview-owner.ts";
export { type ComponentReason, componentReasons, type ReasonFacts } from "./reasons.ts";
export { recordOf } from "./kinds/record-of.ts";
export type { AnyKindRecord, Category, Grade, KindRecord, ResourceState, StateFacts, Suspend } from "./kinds/kind-record.ts";
