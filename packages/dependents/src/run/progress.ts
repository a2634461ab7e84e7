/** What a pass found, as plain data for callers without an operator. */
import { apiVersionOf } from "@treadle/apimachinery";
import type { DependentIdentity, DependentState, NewEntry } from "../core/entries.ts";
import { identityOf } from "../core/marks.ts";
import type { Operation } from "../core/plan.ts";
import type { FoundInPass } from "../set/definition.ts";
import type { Outcome, Phase } from "../set/pass/outcome.ts";

/** An object of a set, and what became of it. */
export interface RunObject extends DependentIdentity {
  /** The wave in which it is applied. */
  readonly wave: number;
  /** Whether an object of the set defines its kind. */
  readonly isInstance: boolean;
  /** Where it is on its way. */
  readonly phase: Phase;
  /** Its health, or why it was not applied. */
  readonly state: DependentState;
  /** Whether other objects may rely on it. */
  readonly isReady: boolean;
  /** Whether the set waits for it. */
  readonly isAwaited: boolean;
  /** What the pass did. */
  readonly operation: Operation;
  /** The error of the server; `undefined`: none. */
  readonly error: unknown;
}

/** The progress of a run after a pass. */
export interface RunProgress {
  /** The reason of the condition of the set, such as `Processing`, `Ready` or `Error`. */
  readonly reason: string;
  /** The message of the condition. */
  readonly message: string;
  /** The objects in their order; empty while the owner is being deleted, and before they are known. */
  readonly objects: readonly RunObject[];
  /** Objects that are being removed, or that will be. */
  readonly leaving: readonly NewEntry[];
  /** The last wave that began. */
  readonly wave: number;
  /** All waves, in order. */
  readonly waves: readonly number[];
}

/** Returns the progress after a pass that looked at the objects. */
export function progressOf({ reason, message, plan, outcomes, wave, leaving }: FoundInPass): RunProgress {
  const waves = [...new Set((plan?.positions ?? []).map((position) => position.wave))];
  return { reason, message, wave, waves, leaving, objects: outcomes.map(objectOf) };
}

function objectOf({ member, phase, state, isReady, operation, error }: Outcome): RunObject {
  const { kind, ref, policies, isChecked, isInstance, desired } = member;
  const identity = identityOf(kind, ref);
  // A kind that is not served is known by its manifest only.
  const apiVersion = kind.plural === "" ? desired.apiVersion : apiVersionOf(kind);
  return { ...identity, apiVersion, wave: policies.apply, isInstance, phase, state, isReady, isAwaited: isChecked, operation, error };
}
