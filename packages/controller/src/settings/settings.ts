/**
 * Options that are set by environment or file, so that a user can change them without building the operator.
 *
 * Precedence: environment, then file, then code, then defaults. The environment wins because the overlay of a Deployment can
 * change it in one line; the code loses because it holds the author's defaults. For one controller: its settings, then the
 * options of `manager.add`, then the settings of all controllers, then the options of the manager.
 */
import type { ControllerOptions } from "../controller-options.ts";
import { ManagerError } from "../manager-error.ts";
import type { ManagerOptions } from "../manager-options.ts";
import { checkManagerOptions } from "../manager/check-options.ts";
import { messageOf } from "../internal/error-text.ts";
import { CONFIG_VARIABLE, type Environment, merged, settingsOfEnvironment, settingsOfFile, type Tree } from "./sources.ts";
import { nearest } from "./table.ts";

/** The options of the program, with the settings. */
export interface MergedSettings {
  readonly options: ManagerOptions;
  /** By the names of their handlers. */
  readonly controllers: Readonly<Record<string, Pick<ControllerOptions, "concurrency" | "backoff" | "resyncMs">>>;
  /** The sources of the settings, for the log. */
  readonly from: { readonly file?: string; readonly environment: readonly string[] };
}

/**
 * Reads the file and the environment.
 * @throws ManagerError ERR_SETTINGS with every problem, each with its fix
 */
export async function mergeSettings(options: ManagerOptions, env: Environment, handlers: readonly string[]): Promise<MergedSettings> {
  const file = env[CONFIG_VARIABLE] || options.configFile;
  const outside = settingsOfEnvironment(env);
  const inFile = file === undefined ? { tree: {}, problems: [] } : await settingsOfFile(file);
  const { controllers = {}, ...tree } = merged(inFile.tree, outside.tree);
  // The tables check that each path has a value of the type of its option.
  const given: ManagerOptions = switchedOn(merged(options as unknown as Tree, tree));
  const byName = controllers as MergedSettings["controllers"];
  const problems = [...inFile.problems, ...outside.problems, ...strangers(byName, handlers)];
  if (problems.length === 0) problems.push(...together(given));
  if (problems.length > 0) throw new ManagerError("ERR_SETTINGS", textOf(problems));
  return { options: given, controllers: byName, from: { ...(file === undefined ? {} : { file }), environment: outside.names } };
}

/** An option that has no `true` in code is switched on by an empty object. */
function switchedOn(tree: Tree): ManagerOptions {
  const { probes, metrics } = tree;
  return { ...tree, ...(probes === true && { probes: {} }), ...(metrics === true && { metrics: {} }) };
}

function strangers(controllers: MergedSettings["controllers"], handlers: readonly string[]): readonly string[] {
  return Object.keys(controllers)
    .filter((name) => !handlers.includes(name))
    .map((name) => `there is no controller "${name}"${nearest(name, handlers) || `; there are: ${handlers.join(", ") || "none"}`}`);
}

/** Checks the options together. */
function together(options: ManagerOptions): readonly string[] {
  try {
    checkManagerOptions(options);
    return [];
  } catch (error) {
    return [messageOf(error).replace(/^createManager: /, "")];
  }
}

function textOf(problems: readonly string[]): string {
  const [first = "", ...others] = problems;
  const cannot = "cannot start with the settings from file and environment:";
  return others.length === 0 ? `${cannot} ${first}` : `${cannot}\n${problems.map((problem) => `- ${problem}`).join("\n")}`;
}
