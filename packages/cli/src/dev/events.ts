/** What `treadle dev` reports. The output is these events, as text or as one line of JSON each. */
import type { PhaseReport } from "@treadle/reconcile";
import type { StartReason } from "./operators.ts";

/** An object by its kind and name. */
export interface ObjectName {
  readonly kind: string;
  /** `namespace/name`, or the name of a cluster-scoped object. */
  readonly name: string;
}

/** A write of a pass. It names fields, and holds no values. */
export interface PassWrite {
  readonly operation: string;
  readonly object: ObjectName;
  readonly paths: readonly string[];
  /** The step that wrote; absent where the engine did. */
  readonly step?: string;
}

/** A condition that a pass has changed. */
export interface ChangedCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** An event that a pass recorded about its object. */
export interface RecordedEvent {
  readonly type: string;
  readonly reason: string;
  readonly note: string;
}

/** A line of the log. */
export interface LoggedLine {
  readonly level: string;
  readonly text: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A pass that has ended. */
export interface PassEvent {
  readonly type: "pass";
  readonly controller: string;
  readonly object: ObjectName;
  /** What started it; absent if it is not known. */
  readonly cause?: string;
  readonly outcome: string;
  readonly durationMs: number;
  readonly steps: readonly PhaseReport[];
  readonly writes: readonly PassWrite[];
  readonly conditions: readonly ChangedCondition[];
  readonly events: readonly RecordedEvent[];
  /** What the steps logged. */
  readonly lines: readonly LoggedLine[];
  /** The message of the error; absent if nothing failed. */
  readonly error?: string;
  /** The place in the code of the user where the error was made, as in `src/shop.ts:12:5`. */
  readonly place?: string;
  readonly nextMs?: number;
}

/** An event of `treadle dev`. */
export type DevEvent =
  /** The cluster is there. */
  | {
      readonly type: "cluster";
      readonly server: string;
      readonly isInMemory: boolean;
      /** The kubeconfig file for kubectl; absent for a cluster that the flags name. */
      readonly kubeconfig?: string;
    }
  /** A process of the operator is started. */
  | { readonly type: "loading"; readonly module: string; readonly reason: StartReason; readonly files: readonly string[] }
  /** A CRD or a sample was applied, and that has changed it. */
  | {
      readonly type: "applied";
      readonly what: "crd" | "sample";
      readonly object: ObjectName;
      readonly operation: "created" | "updated";
    }
  /** A CRD or samples cannot be applied. */
  | { readonly type: "refused"; readonly message: string }
  /** A process of the operator works. */
  | { readonly type: "started"; readonly handlers: readonly string[]; readonly durationMs: number; readonly pid?: number }
  /** A process of the operator could not start. */
  | { readonly type: "failed"; readonly message: string; readonly isPreviousRunning: boolean; readonly retryMs?: number }
  /** The process that worked has ended by itself. */
  | { readonly type: "ended"; readonly how: string; readonly message?: string; readonly retryMs?: number }
  | PassEvent
  /** Passes changed nothing since the last event of a pass. */
  | { readonly type: "quiet"; readonly passes: number }
  /** A line of the log that belongs to no pass. */
  | ({ readonly type: "log" } & LoggedLine)
  /** A line that the program printed. */
  | { readonly type: "output"; readonly stream: "stdout" | "stderr"; readonly text: string }
  /** Something that the developer should know. */
  | { readonly type: "note"; readonly message: string }
  | { readonly type: "stopping" };
