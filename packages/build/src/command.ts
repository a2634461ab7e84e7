/** `treadle-build`: builds an operator from the command line. */
import { parseArgs } from "node:util";
import { BUILD_FLAGS, type BuildFlags, runBuild } from "./unstable/command.ts";

const USAGE = [
  "usage: treadle-build ENTRY [options]",
  "  ENTRY        the program, e.g. operator.ts",
  ...BUILD_FLAGS.map(({ name, value, description }) => `  ${`--${name} ${value}`.padEnd(12)} ${description}`),
  "  --help       shows this text",
  "exit codes: 0 built, 1 the program cannot be built, 2 wrong arguments",
].join("\n");

/** Where the command writes. */
export interface Output {
  readonly log: (text: string) => void;
  readonly error: (text: string) => void;
}

/** Runs the command. Resolves to its exit code. */
export async function main(args: readonly string[], { log, error }: Output = console): Promise<number> {
  let given: ReturnType<typeof parsed>;
  try {
    given = parsed(args);
  } catch (problem) {
    error(`treadle-build: ${problem instanceof Error ? problem.message : String(problem)}\n${USAGE}`);
    return 2;
  }
  const { values, positionals } = given;
  const [entry, ...rest] = positionals;
  if (values.help === true) return (log(USAGE), 0);
  if (entry === undefined || rest.length > 0) return (error(`treadle-build: name one program\n${USAGE}`), 2);
  return await runBuild(entry, values, { name: "treadle-build", log, error });
}

function parsed(args: readonly string[]): {
  readonly values: BuildFlags & { readonly help?: boolean };
  readonly positionals: readonly string[];
} {
  const flags = BUILD_FLAGS.map(({ name, isRepeatable }) => [name, { type: "string" as const, multiple: isRepeatable }]);
  const options = { ...Object.fromEntries(flags), help: { type: "boolean" as const } };
  // The declarations give the flags these types.
  return parseArgs({ args: [...args], allowPositionals: true, options }) as ReturnType<typeof parsed>;
}
