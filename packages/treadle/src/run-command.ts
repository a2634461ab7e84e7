/** Finds the command `treadle` of `@treadle/cli`, and runs it. This package does not depend on it. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const COMMAND = "@treadle/cli";

/** Runs the command, or writes how to install it. `argv` is that of the process. */
export async function runCommand(argv: readonly string[], cwd: string): Promise<void> {
  // pnpm has no other package beside the real path of this file: the path by which the program was started is in node_modules of the project.
  const found = commandFrom([...argv.slice(1, 2), join(cwd, "package.json"), import.meta.filename]);
  if (found === undefined) {
    console.error(installText(argv.slice(2)));
    process.exitCode = 2;
    return;
  }
  // The order of the packages forbids an import of its types.
  const { main } = (await import(pathToFileURL(found).href)) as { readonly main: () => Promise<void> };
  await main();
}

/** Returns the file of the command, as modules at `places` see it. `find` throws where there is none. */
export function commandFrom(
  places: readonly string[],
  find: (place: string) => string = (place) => createRequire(place).resolve(COMMAND),
): string | undefined {
  for (const place of places) {
    try {
      return find(place);
    } catch {
      // It is not installed for this place.
    }
  }
  return undefined;
}

/** Returns what to do without the command. */
export function installText(args: readonly string[]): string {
  const line = args.map((arg) => (/^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", `'\\''`)}'`)).join(" ");
  // `npx @treadle/cli` cannot choose: the package has two programs.
  return `treadle: the command is in the package ${COMMAND}, which is not installed here
Install it for this project: npm install -D ${COMMAND}
Or run it once:              npx -p ${COMMAND} treadle ${line === "" ? "--help" : line}`;
}
