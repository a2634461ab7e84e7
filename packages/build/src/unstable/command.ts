/**
 * `@treadle/build/unstable/command`: the command that builds an operator, for programs with a command line of their own. It may change in
 * any version. To import it loads no bundler.
 */
import { relative } from "node:path";
import { OperatorBuildError } from "../build-error.ts";

/** A build flag is an option of the command line. */
export interface BuildFlag {
  /** The name without dashes. */
  readonly name: keyof BuildFlags;
  /** The word for its value in the help. */
  readonly value: string;
  /** Whether it may be repeated; its value is then a list. */
  readonly isRepeatable: boolean;
  /** The text for the help. */
  readonly description: string;
}

/** The values of the options, by name. */
export interface BuildFlags {
  /** Folder of the output. */
  readonly out?: string | undefined;
  /** Packages that are left out. */
  readonly omit?: readonly string[] | undefined;
}

/** The options of the command, in the order of the help. */
export const BUILD_FLAGS: readonly BuildFlag[] = [
  {
    name: "out",
    value: "DIR",
    isRepeatable: false,
    description: "folder of the output (default: dist); it must be new, empty, or of an earlier build",
  },
  {
    name: "omit",
    value: "NAME",
    isRepeatable: true,
    description: "leaves out a package; its import fails as if it were not installed; may be repeated",
  },
];

/** Where the command writes, line by line. */
export interface BuildOutput {
  /** The name of the command, in front of its errors. */
  readonly name: string;
  /** Writes a line of the result. */
  readonly log: (text: string) => void;
  /** Writes a warning or an error. */
  readonly error: (text: string) => void;
}

/** Builds the program `entry`, and reports it. Resolves to the exit code: 0 built, 1 the program cannot be built. */
export async function runBuild(entry: string, { out, omit }: BuildFlags, { name, log, error }: BuildOutput): Promise<0 | 1> {
  try {
    // It loads the bundler, which no help needs.
    const { buildOperator } = await import("../build-operator.ts");
    const { program, files, packages, hasCode, warnings } = await buildOperator({
      entry,
      ...(out === undefined ? {} : { out }),
      ...(omit === undefined ? {} : { omit }),
    });
    for (const warning of warnings) error(`warning: ${warning}`);
    const bytes = [...files.values()].reduce((sum, each) => sum + each, 0);
    const code = hasCode ? `with V8's code for Node ${process.version}` : "without V8's code, because a module awaits at its top";
    log(`${relative(process.cwd(), program)}: ${files.size} files, ${(bytes / 1e6).toFixed(1)} MB, ${packages} packages, ${code}`);
    return 0;
  } catch (problem) {
    if (!(problem instanceof OperatorBuildError)) throw problem;
    for (const each of problem.problems) error(`${name}: ${each}`);
    return 1;
  }
}
