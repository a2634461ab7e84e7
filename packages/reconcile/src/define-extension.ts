/** Makes extensions of the engine. `extension.ts` describes the interface. */
import type { AnyExtension, Extension, ExtensionDefinition, ExtensionPass } from "./extension.ts";
import { scopeOf } from "./save/extension-scope.ts";
import type { HandOver, Progress } from "./record/progress.ts";
import { checkMetrics } from "./metric.ts";
import { stepOf } from "./pass/step-req.ts";
import { leavesOf, runtimeOf, type StepRuntime } from "./build/step-runtime.ts";
import { handOverVars } from "./record/vars.ts";

/**
 * Makes an extension of the engine. Make each extension once, at the top of a module.
 * @throws TypeError for metrics with a name, label or buckets that Prometheus does not accept
 */
export function defineExtension<Data, Memory extends object = {}, Found extends object = {}>(
  definition: ExtensionDefinition<Data, Memory, Found>,
): Extension<Data, Memory, Found> {
  const extension = Object.freeze({ ...definition }) as unknown as AnyExtension; // It gets back only what it gave.
  const { name } = definition;
  checkMetrics(definition);
  return {
    name,
    use: (data) => ({ name, extension, data }),
    dataOf: (step) => (runtimeOf(step) ?? (step as Partial<StepRuntime> | undefined))?.uses?.get(name)?.data as Data | undefined,
    of: (req) => scopeOf(stepOf(req).pass, extension) as unknown as ExtensionPass<Data, Memory, Found>,
  };
}

/**
 * Returns the progress of each part of a composite step, by name, in the order of the parts. The phases of the composite, which
 * run after its parts, call it. A part that was not reached is missing.
 * @throws TypeError for a value that is not a `req` of the engine
 */
export function partsOf(req: unknown): ReadonlyMap<string, Progress> {
  const { pass, step } = stepOf(req);
  const parts = leavesOf(step.parts?.steps ?? []);
  return new Map(
    parts.flatMap((part) => {
      const progress = pass.progress.get(part);
      return progress === undefined ? [] : [[part.name, progress] as const];
    }),
  );
}

/**
 * Returns how the opening of a composite step ended, for its `do`; `undefined` if it did not run.
 * @throws TypeError for a value that is not a `req` of the engine
 */
export function openingOf(req: unknown): Progress | undefined {
  const { pass, step } = stepOf(req);
  return pass.openings?.get(step);
}

/**
 * Hands over values of a step with `gives`, while its `do` runs. They are there at once for the steps that need them, whatever
 * `do` returns. A later call in the same pass replaces the values. A value that is `undefined` is missing.
 *
 * @throws TypeError for a value that is not a `req` of the engine, after the end of `do`, and for names that `gives` does not list
 */
export function handOver(req: unknown, values: HandOver): void {
  const { pass, step, scope } = stepOf(req);
  scope.check(step.name);
  handOverVars(pass, step, values);
}
