/** Makes steps with declarations that are decided after the step is made, such as by the group that the step becomes part of. */
import type { Kind } from "@treadle/apimachinery";
import { opaque, type RawDefinition, runtimeFrom, type StepRuntime } from "./step-runtime.ts";

/** Late declarations are the declarations of a step that `defineLateStep()` asks for. */
export type LateDeclarations = Pick<
  RawDefinition,
  "reads" | "cleanupReads" | "owns" | "permissions" | "refersFrom" | "events" | "state" | "uses"
>;

/**
 * Makes a step whose declarations `later` returns. It is asked once: when the step is added to a composite with an `order`, when a
 * handler with the step is built, or when the step runs alone. `definition` has all else, and none of the late declarations.
 *
 * @throws TypeError for an invalid definition
 */
export function defineLateStep(kind: Kind, definition: Omit<RawDefinition, keyof LateDeclarations>, later: () => LateDeclarations): object {
  const runtime = runtimeFrom(kind, definition);
  let declared: StepRuntime | undefined;
  const ask = (): StepRuntime => (declared ??= runtimeFrom(kind, { ...later(), name: definition.name }));
  const late: Pick<StepRuntime, LateMember> = {
    get reads() {
      return ask().reads;
    },
    get cleanupReads() {
      return ask().cleanupReads;
    },
    get owns() {
      return ask().owns;
    },
    get optionalOwns() {
      return ask().optionalOwns;
    },
    get permissions() {
      return ask().permissions;
    },
    get refersFrom() {
      return ask().refersFrom;
    },
    get events() {
      return ask().events;
    },
    get state() {
      return ask().state;
    },
    get uses() {
      return ask().uses;
    },
  };
  // The getters themselves, and not their values: other steps may refer to this one before it is asked.
  return opaque(Object.defineProperties({ ...runtime }, Object.getOwnPropertyDescriptors(late)));
}

/** The members of a runtime that follow from late declarations. */
type LateMember = keyof LateDeclarations | "optionalOwns";
