/** The configuration of a manager: the options of the program, and the settings from the environment and the config file. */
import type { ManagerOptions } from "../manager-options.ts";
import type { MergedSettings } from "../settings/settings.ts";
import type { Assignment } from "./additions.ts";

export interface Configured {
  readonly options: ManagerOptions;
  readonly assignments: readonly Assignment[];
  /** The sources of the settings, for the log; undefined: there are no settings. */
  readonly from: MergedSettings["from"] | undefined;
}

/**
 * Combines options and settings. Without a file and without variables nothing is loaded and read.
 * @throws ManagerError ERR_SETTINGS; RangeError for a drain that cannot end
 */
export async function configure(options: ManagerOptions, assignments: readonly Assignment[]): Promise<Configured> {
  const configured = await withSettings(options, assignments);
  const drain = configured.assignments.find((assignment) => assignment.options.drain !== undefined);
  if (configured.options.dryRun && drain !== undefined)
    throw new RangeError(`a drain of handler "${drain.handler.name}" in a dry run would never end: set either drain or dryRun`);
  return configured;
}

/** Loads the code of the settings only where a file or a variable has some. */
async function withSettings(options: ManagerOptions, assignments: readonly Assignment[]): Promise<Configured> {
  const { env = process.env, configFile } = options;
  if (configFile === undefined && !Object.keys(env).some((name) => name.startsWith("TREADLE_")))
    return { options, assignments: assigned(options, assignments), from: undefined };
  const { mergeSettings } = await import("../settings/settings.ts");
  const names = assignments.map(({ handler }) => handler.name);
  const { options: merged, controllers, from } = await mergeSettings(options, env, names);
  const isSet = from.file !== undefined || from.environment.length > 0;
  return { options: merged, assignments: assigned(merged, assignments, controllers), from: isSet ? from : undefined };
}

/** Options of one controller win over options of all controllers. */
function assigned(
  { concurrency, resyncMs, drain }: ManagerOptions,
  assignments: readonly Assignment[],
  outside: MergedSettings["controllers"] = {},
): readonly Assignment[] {
  const ofAll = {
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(resyncMs === undefined ? {} : { resyncMs }),
    ...(drain === undefined ? {} : { drain }),
  };
  return assignments.map(({ handler, options }) => ({ handler, options: { ...ofAll, ...options, ...outside[handler.name] } }));
}
