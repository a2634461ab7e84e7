/** Calls the hooks of extensions about a pass. */
import type { AnyExtension } from "../extension.ts";
import type { StepRuntime } from "../build/step-runtime.ts";
import type { Pass } from "../record/pass-state.ts";
import type { Setting } from "../record/progress.ts";
import { endedScopeOf } from "./extension-scope.ts";
import { failure } from "./step-settings.ts";

/** Returns the setting that an extension gives to the conditions of a step that uses it. */
export function settingBy(pass: Pass, extension: AnyExtension, step: StepRuntime): Setting | undefined {
  const use = step.uses.get(extension.name);
  if (use === undefined || extension.condition === undefined) return undefined;
  return guardedBy(pass, extension, undefined, () =>
    extension.condition?.(endedScopeOf(pass, extension), { name: step.name, data: use.data, step }),
  );
}

/** Returns what a hook returns. An exception in it fails the pass, leaves its part as it is, and keeps nothing else from being stored. */
export function guardedBy<T>(pass: Pass, { name }: AnyExtension, otherwise: T, hook: () => T): T {
  if (pass.brokenParts?.has(name) === true) return otherwise;
  try {
    return hook();
  } catch (thrown) {
    const error = pass.hideInError(thrown);
    (pass.brokenParts ??= new Set()).add(name);
    pass.failures.push({ rank: "save", error });
    pass.trouble ??= failure(error, `extension "${name}": `);
    return otherwise;
  }
}
