/** The outcome of one object of a set in a pass. */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { DependentState } from "../../core/entries.ts";
import type { Operation } from "../../core/plan.ts";
import type { Plan, PlannedMember } from "../plan/plan.ts";

/** Where an object is on its way. */
export type Phase =
  /** It waits for its wave, for another object or for its kind, and was not applied. */
  | "Waiting"
  /** It was created, and has not been ready since. */
  | "Creating"
  /** It exists, and is not ready. */
  | "Updating"
  | "Ready"
  | "Deleting"
  /** It was purged, or applied once and then deleted. It is not created again. */
  | "Completed";

/** The outcome of one object. */
export interface Outcome {
  readonly member: PlannedMember;
  readonly phase: Phase;
  readonly state: DependentState;
  /** Whether other objects may rely on it. */
  readonly isReady: boolean;
  /** The object as it is stored; `undefined`: it does not exist, or was not looked at. */
  readonly live: KubernetesObject | undefined;
  readonly operation: Operation;
  /** The error of the server or of the network; `undefined`: none. */
  readonly error: unknown;
  /** When to look again, in milliseconds; `"backoff"`: soon; `undefined`: its watch reports a change. */
  readonly again: number | "backoff" | undefined;
}

/** What a pass knows when it applies objects. */
export interface Given {
  readonly plan: Plan;
  /** The namespaces that the pass creates because objects miss them, by name; `undefined`: it creates none. */
  readonly namespaces: Map<string, Promise<void>> | undefined;
}

/** Whether later objects and the owner wait for the object. */
export function holdsUp({ isReady, member }: Outcome): boolean {
  return !isReady && member.isChecked;
}
