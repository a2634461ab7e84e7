/** What a manager runs by: what its program said, and what is set from outside. */
import type { ManagerOptions } from "../manager-options.ts";
import type { Settled } from "../settings/settings.ts";
import type { Assignment } from "./additions.ts";

export interface Configured {
  readonly options: ManagerOptions;
  readonly assignments: readonly Assignment[];
  /** Where settings from outside came from, for the log. Undefined: there are none. */
  readonly from: Settled["from"] | undefined;
}

/**
 * Loads and reads nothing where no file and no variable is given.
 * @throws ManagerError ERR_SETTINGS; RangeError for a drain that cannot end
 */
export async function configure(options: ManagerOptions, assignments: readonly Assignment[]): Promise<Configured> {
  const configured = await settled(options, assignments);
  const drain = configured.assignments.find((assignment) => assignment.options.drain !== undefined);
  if (configured.options.dryRun && drain !== undefined)
    throw new RangeError(`a drain of handler "${drain.handler.name}" as a dry run would never end: give one of drain and dryRun`);
  return configured;
}

async function settled(options: ManagerOptions, assignments: readonly Assignment[]): Promise<Configured> {
  const { env = process.env, configFile } = options;
  if (configFile === undefined && !Object.keys(env).some((name) => name.startsWith("TREADLE_")))
    return { options, assignments: assigned(options, assignments), from: undefined };
  const { settle } = await import("../settings/settings.ts");
  const names = assignments.map(({ handler }) => handler.name);
  const { options: merged, controllers, from } = await settle(options, env, names);
  const isSet = from.file !== undefined || from.environment.length > 0;
  return { options: merged, assignments: assigned(merged, assignments, controllers), from: isSet ? from : undefined };
}

/** What is said of one controller is stronger than what is said of all. */
function assigned(
  { concurrency, resyncMs, drain }: ManagerOptions,
  assignments: readonly Assignment[],
  outside: Settled["controllers"] = {},
): readonly Assignment[] {
  const ofAll = {
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(resyncMs === undefined ? {} : { resyncMs }),
    ...(drain === undefined ? {} : { drain }),
  };
  return assignments.map(({ handler, options }) => ({ handler, options: { ...ofAll, ...options, ...outside[handler.name] } }));
}
