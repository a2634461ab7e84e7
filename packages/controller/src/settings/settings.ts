/**
 * Options from outside of the program, so that who deploys an operator can change them without building it.
 *
 * Precedence: environment, then file, then code, then defaults. The environment wins since it is what a Deployment's
 * overlay can change in one line; the code loses since what it says are the author's defaults. For one controller: what
 * is said of it from outside, then what `manager.add` says of it, then what is said of all from outside, then in code.
 */
import type { ControllerOptions } from "../controller-options.ts";
import { ManagerError } from "../manager-error.ts";
import type { ManagerOptions } from "../manager-options.ts";
import { checkManagerOptions } from "../manager/check-options.ts";
import { messageOf } from "../internal/error-text.ts";
import { CONFIG_VARIABLE, type Environment, merged, settingsOfEnvironment, settingsOfFile, type Tree } from "./sources.ts";
import { nearest } from "./table.ts";

/** What is set from outside, together with what the program said. */
export interface Settled {
  readonly options: ManagerOptions;
  /** By the names of their handlers. */
  readonly controllers: Readonly<Record<string, Pick<ControllerOptions, "concurrency" | "backoff" | "resyncMs">>>;
  /** For the log: where it came from. */
  readonly from: { readonly file?: string; readonly environment: readonly string[] };
}

/**
 * Reads file and environment.
 * @throws ManagerError ERR_SETTINGS with every problem, each with what to do
 */
export async function settle(options: ManagerOptions, env: Environment, handlers: readonly string[]): Promise<Settled> {
  const file = env[CONFIG_VARIABLE] || options.configFile;
  const outside = settingsOfEnvironment(env);
  const inFile = file === undefined ? { tree: {}, problems: [] } : await settingsOfFile(file);
  const { controllers = {}, ...tree } = merged(inFile.tree, outside.tree);
  // The tables give each path what its option takes.
  const settled: ManagerOptions = switchedOn(merged(options as unknown as Tree, tree));
  const byName = controllers as Settled["controllers"];
  const problems = [...inFile.problems, ...outside.problems, ...strangers(byName, handlers)];
  if (problems.length === 0) problems.push(...together(settled));
  if (problems.length > 0) throw new ManagerError("ERR_SETTINGS", textOf(problems));
  return { options: settled, controllers: byName, from: { ...(file === undefined ? {} : { file }), environment: outside.names } };
}

/** What has no `true` in code is switched on by naming none of its parts. */
function switchedOn(tree: Tree): ManagerOptions {
  const { probes, metrics } = tree;
  return { ...tree, ...(probes === true && { probes: {} }), ...(metrics === true && { metrics: {} }) };
}

function strangers(controllers: Settled["controllers"], handlers: readonly string[]): readonly string[] {
  return Object.keys(controllers)
    .filter((name) => !handlers.includes(name))
    .map((name) => `there is no controller "${name}"${nearest(name, handlers) || `; there are: ${handlers.join(", ") || "none"}`}`);
}

/** What is right alone may not fit together. */
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
