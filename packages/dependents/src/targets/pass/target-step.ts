/** A step with a target, as the code that finds, enters and leaves targets sees it. Types only. */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { Wait } from "@treadle/reconcile";
import type { DependentPass } from "../../extension/data.ts";
import type { Place } from "../../place.ts";
import type { TargetDefinition } from "../types.ts";
import type { HeldTargets } from "./held-target.ts";
import type { StoredTarget } from "./stored-target.ts";

/** The reasons that are about the target. */
export type TargetReason = "TargetUnreachable" | "TargetRefused" | "TargetChanged";

/** What a step reports of its target. */
export interface TargetReport {
  readonly reason: TargetReason;
  readonly message: string;
  /** Whether a person must act. @defaultValue false */
  readonly needsAction?: boolean;
  /** Time until the next try, in milliseconds. @defaultValue the backoff of waits */
  readonly afterMs?: number | undefined;
}

/** The part of the step state that is about the target. */
export interface TargetState {
  /** Where the objects are; `undefined`: in the cluster of the operator, or nowhere. */
  target?: StoredTarget | undefined;
  /** Whether the present annotation that gives up a target was used. */
  abandoned?: boolean | undefined;
}

/** The part of a `req` that is needed here, of both phases. */
export interface TargetReq {
  readonly signal: AbortSignal;
  readonly reads: object;
  readonly client: Place["client"];
  wait(reason: string): Wait;
  event(type: "Normal" | "Warning", reason: string, message: string): void;
}

/** A step with a target in one pass. */
export interface TargetStep {
  /** The name of the step. */
  readonly name: string;
  /** What messages call it. */
  readonly noun: "set" | "step";
  /** Identifies the owner and the step: for connections, watches and slots. */
  readonly key: string;
  readonly owner: KubernetesObject;
  readonly req: TargetReq;
  readonly pass: Pick<DependentPass, "client" | "clock" | "conceal" | "waker" | "shared">;
  /** The option of the author; `undefined`: objects of an earlier version may be in a target. */
  readonly target: TargetDefinition | undefined;
  readonly targets: HeldTargets;
  readonly state: TargetState;
  /** Whether nothing may be removed, because the pass is a dry run. */
  readonly isPlanned: boolean;
  /** Whether objects may exist, as far as the state knows. */
  hasObjects(): boolean;
  /** Whether objects in the cluster of the operator are looked for in all namespaces: theirs are not known. */
  isOwnWhole(): boolean;
  /** The kinds of the objects, for messages. */
  kinds(): readonly string[];
  /** Reports, and returns the end of the pass. What exists stays. */
  report(report: TargetReport): Wait;
  /** Removes all objects at a place, as far as it goes in this pass. `undefined`: none is left. */
  removeAt(place: Place): Promise<Wait | undefined>;
  /** Nothing is left at the place that the state names. */
  forget(): void;
}
