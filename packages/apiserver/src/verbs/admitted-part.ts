/** Admission of a subresource whose object has a kind of its own, such as a Scale, an Eviction or the options of a connection. */
import type { JsonObject } from "../internal/json.ts";
import type { AdmittedPart } from "../admission/admitted-write.ts";
import type { Call } from "../request/context.ts";

/** An object of a subresource after the mutating webhooks. */
export interface Part {
  readonly object: JsonObject;
  /** Calls the policies and the validating webhooks. @throws Suspension, StatusError */
  validate(object?: JsonObject): void;
}

/** Calls the mutating webhooks. @throws Suspension, StatusError */
export function admitPart(call: Call, part: AdmittedPart & { readonly object: JsonObject }): Part {
  const { admission } = call.parts;
  const object = admission.mutatePart(call, part);
  return { object, validate: (next = object) => admission.validatePart(call, { ...part, object: next }) };
}
