/** One object while it is converged: what is to be done, and what was found. Types, and the operation that changes nothing. */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { Body } from "./body.ts";
import type { Context } from "./context.ts";
import type { DependentState } from "./entries.ts";
import type { ObjectMemory } from "./memory.ts";
import type { Again, Operation, Plan } from "./plan.ts";

/** One object on its way to the desired state. */
export interface Work {
  readonly context: Context;
  readonly plan: Plan;
  readonly memory: ObjectMemory;
  /** What is applied; `undefined` where the author only looks. */
  readonly body: Body | undefined;
}

/** Work with a desired state. */
export interface Wanted extends Work {
  readonly body: Body;
}

/** What there is of the object, before its readiness is judged. */
export type Found =
  | { readonly type: "there"; readonly live: KubernetesObject; readonly operation: Operation }
  | {
      readonly type: "not yet";
      readonly live: KubernetesObject | undefined;
      readonly state: DependentState;
      /** @defaultValue by the watch, or where there is none with the backoff */
      readonly again?: Again;
      readonly operation: Operation;
    };

/** No request was made. */
export const UNCHANGED: Operation = Object.freeze({ type: "unchanged" });
