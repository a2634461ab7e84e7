/** Checks the options of a component, for untyped code: all mistakes are reported in one error. */
import { factsOf, requireGates } from "@treadle/dependents/unstable/step";
import { runtimeOf } from "@treadle/reconcile/unstable/engine";
import type { AnyComponentOptions } from "./any-options.ts";
import { requireRecord } from "./kinds/require-record.ts";

/** Returns the options. @throws TypeError with every mistake, and what to do */
export function requireOptions(options: AnyComponentOptions): AnyComponentOptions {
  if (typeof (options as Partial<AnyComponentOptions> | undefined)?.name !== "string" || options.name === "")
    throw new TypeError("component: the options need a name");
  const where = `component "${options.name}": `;
  const found = problemsOf(options, where);
  if (found.length > 0) throw new TypeError(`${where}${found.join("; ")}`);
  return options;
}

function problemsOf(
  { condition, resources, after, until, graceMs, warnOfGrace, blocked, kinds, ...gates }: AnyComponentOptions,
  where: string,
): readonly string[] {
  const found: string[] = [];
  const refuse = (isWrong: boolean, problem: string): void => void (isWrong && found.push(problem));
  const attempt = (check: () => void): void => {
    try {
      check();
    } catch (error) {
      found.push((error as Error).message.slice(where.length)); // The checks throw errors that begin with `where`.
    }
  };
  refuse(
    typeof condition !== "string" && typeof condition?.type !== "string",
    'condition must be the type of a condition, e.g. "DatabaseReady"',
  );
  if (Array.isArray(resources)) found.push(...resourceProblems(resources));
  else found.push("resources must be a list of steps made by dependentApply()");
  for (const name of ["enabled", "suspended"] as const) attempt(() => requireGates(gates[name], `${where}${name}`));
  refuse(
    Array.isArray(gates.suspended) && gates.suspended.length === 0,
    "suspended is an empty list, which always holds: leave it out, or name a gate",
  );
  refuse(until !== undefined && typeof until !== "function", "until must be a function");
  refuse(
    graceMs !== undefined && !isTime(graceMs),
    `graceMs must be a number of milliseconds from 0, not ${typeof graceMs === "string" ? JSON.stringify(graceMs) : String(graceMs)}: 0 means indefinitely`,
  );
  refuse(
    warnOfGrace !== undefined && typeof warnOfGrace !== "boolean",
    `warnOfGrace must be true or false, not ${JSON.stringify(warnOfGrace)}`,
  );
  refuse(
    blocked !== undefined && blocked !== "rest" && blocked !== "dependants",
    `blocked must be "rest" or "dependants", not ${JSON.stringify(blocked)}`,
  );
  if (kinds === undefined || Array.isArray(kinds)) for (const record of kinds ?? []) attempt(() => requireRecord(`${where}kinds`, record));
  else found.push("kinds must be a list of kind records");
  return [...found, ...afterProblems(after)];
}

function isTime(value: unknown): boolean {
  return typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY;
}

function resourceProblems(resources: readonly unknown[]): readonly string[] {
  if (resources.every((step) => factsOf(step) !== undefined)) return [];
  return ["resources must list steps made by dependentApply(): place other steps next to the component"];
}

function afterProblems(after: unknown): readonly string[] {
  if (after === undefined) return [];
  if (!Array.isArray(after)) return ["after must be a list of components or steps"];
  return after.flatMap((step: unknown): readonly string[] => {
    const runtime = runtimeOf(step);
    if (runtime === undefined) return ["after must list components, or steps made by step()"];
    const { name, conditions } = runtime;
    return conditions.length === 1 ? [] : [`after lists "${name}", which has ${conditions.length} conditions: a step with one is needed`];
  });
}
