/** `treadle-build`: builds an operator from the command line. */
import { relative } from "node:path";
import { parseArgs } from "node:util";
import { OperatorBuildError } from "./build-error.ts";
import { buildOperator } from "./build-operator.ts";

const USAGE = `usage: treadle-build ENTRY [options]
  ENTRY        the program, e.g. operator.ts
  --out DIR    folder of the output (default: dist); it must be new, empty, or of an earlier build
  --omit NAME  leaves out a package; its import fails as if it were not installed; may be repeated
  --help       shows this text
exit codes: 0 built, 1 the program cannot be built, 2 wrong arguments`;

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
  try {
    const { program, files, packages, hasCode, warnings } = await buildOperator({
      entry,
      ...(values.out === undefined ? {} : { out: values.out }),
      ...(values.omit === undefined ? {} : { omit: values.omit }),
    });
    for (const warning of warnings) error(`warning: ${warning}`);
    const bytes = [...files.values()].reduce((sum, each) => sum + each, 0);
    const code = hasCode ? `with V8's code for Node ${process.version}` : "without V8's code, because a module awaits at its top";
    log(`${relative(process.cwd(), program)}: ${files.size} files, ${(bytes / 1e6).toFixed(1)} MB, ${packages} packages, ${code}`);
    return 0;
  } catch (problem) {
    if (!(problem instanceof OperatorBuildError)) throw problem;
    for (const each of problem.problems) error(`treadle-build: ${each}`);
    return 1;
  }
}

function parsed(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { out: { type: "string" }, omit: { type: "string", multiple: true }, help: { type: "boolean" } },
  });
}
