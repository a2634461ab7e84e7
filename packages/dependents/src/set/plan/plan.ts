/** The plan of a set: its rendered objects as members with kinds, policies and an order. Types only. */
import type { SharedInputs } from "../../core/inputs.ts";
import type { Policy } from "../../core/plan.ts";
import type { KindState } from "./kind-state.ts";
import type { Member } from "./member.ts";
import type { Position } from "./order.ts";
import type { OwnKinds } from "./own-kinds.ts";
import type { SetProblem } from "./set-problem.ts";

/** A member with what the core needs of it. */
export interface PlannedMember extends Member {
  /** How the operator saw its kind when the plan was made. */
  readonly kindState: Exclude<KindState, { readonly type: "unlisted" }>;
  /** What is applied, without the marks of the core. */
  readonly body: object;
  readonly policy: Policy;
  /** Whether it has an entry in the status of the owner, and the set waits for it. */
  readonly isChecked: boolean;
  /** Digest of the desired state, to note a completed object. */
  readonly digest: () => string;
}

/** The plan. */
export interface Plan {
  /** Digest of the inputs from which it was rendered. */
  readonly inputs: string;
  /** What was rendered. Another rendering of the same inputs may give other states of objects. */
  readonly rendered: readonly unknown[];
  /** Digest of what was rendered, without the states of objects. */
  readonly digest: string;
  readonly members: readonly PlannedMember[];
  readonly byKey: ReadonlyMap<string, PlannedMember>;
  readonly positions: readonly Position<PlannedMember>[];
  /** How the operator saw each kind of the members when the plan was made, by `Kind.group`. */
  readonly kinds: ReadonlyMap<string, KindState>;
  readonly own: OwnKinds;
  /** Why nothing may be written. */
  readonly problems: readonly SetProblem[];
  /** Tells the core that objects of this plan have the same inputs. */
  readonly shared: Pick<SharedInputs, "seen" | "isSameInput" | "isSameQuestion">;
}
