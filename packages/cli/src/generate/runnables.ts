/** Recognises runnables of packages by their functions for steps, so that these packages are not loaded. */
import type { Runnable } from "@treadle/controller";

/** Whether a runnable is a host of plugins. */
export function isPluginHost(runnable: Runnable): boolean {
  return "source" in runnable && has(runnable, "step");
}

/** Whether a runnable is what the target clusters of an operator share. */
export function isTargets(runnable: Runnable): boolean {
  return has(runnable, "target", "client");
}

function has(runnable: object, ...names: readonly string[]): boolean {
  return names.every((name) => typeof (runnable as Readonly<Record<string, unknown>>)[name] === "function");
}
