/** What a step that did not continue, and a step that was not reached, say of a condition and of Ready. Pure. */
import { reasonOf, statusMessage } from "../internal/redact.ts";
import type { StepRuntime } from "../build/step-runtime.ts";
import type { PassType, Progress, Setting } from "../record/progress.ts";

/** What a step that did not continue says of a condition that it has not set. */
export function settingOfEnd(progress: Progress & { readonly type: "wait" | "stop" | "failed" }): Setting {
  switch (progress.type) {
    case "wait":
      return waiting(progress, progress.reason);
    case "stop":
      return unknown("Stopped", progress.reason);
    case "failed":
      return failure(progress.error);
  }
}

/** The findings of a pass that say how far it came. */
export interface PassFacts {
  readonly type: PassType;
  /** The progress of each step in list order; a missing step was not reached. */
  readonly progress: ReadonlyMap<StepRuntime, Progress>;
  readonly leaves: readonly StepRuntime[];
  /** A problem that no step reports and that makes the object not ready: it breaks its schema, or a write failed. */
  readonly trouble: Setting | undefined;
}

/** The reason why the pass did not reach a step. */
export function notReached(facts: PassFacts): string {
  if (facts.trouble !== undefined) return facts.trouble.message;
  for (const step of facts.leaves) {
    const progress = facts.progress.get(step);
    if (progress !== undefined && progress.type !== "done" && progress.type !== "unreached") return `waiting for step "${step.name}"`;
  }
  return facts.type === "deletion" ? "the object is being deleted" : "no pass has reached it yet";
}

/** What Ready reports of a step that did not continue. */
export function endOf(step: StepRuntime, progress: Progress & { readonly type: "wait" | "stop" | "failed" }): Setting {
  if (progress.type === "failed") return failure(progress.error, `step "${step.name}": `);
  const message = `step "${step.name}": ${progress.reason}`;
  return progress.type === "wait" ? waiting(progress, message) : unknown("Stopped", message);
}

/** A step may wait for something that is known to be wrong, such as an object that another operator controls. */
function waiting({ cause }: Progress & { readonly type: "wait" }, message: string): Setting {
  const { code = "Waiting", severity = "pending" } = cause ?? {};
  return { status: severity === "failed" ? "False" : "Unknown", reason: code, message };
}

/** The setting of a condition for an error. */
export function failure(error: unknown, prefix: string = ""): Setting {
  const message = statusMessage(error);
  // Errors of the engine name their step themselves.
  return {
    status: "False",
    reason: reasonOf(error),
    message: message.startsWith(prefix.replace(/: $/, "")) ? message : `${prefix}${message}`,
  };
}

export function unknown(reason: string, message: string): Setting {
  return { status: "Unknown", reason, message };
}
