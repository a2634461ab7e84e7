/** The program `treadle-apiserver` as a process. */
import { runClusterCommand } from "./command.ts";

/** Runs the command line of the process. */
export async function main(): Promise<void> {
  const program = { name: "treadle-apiserver", usage: "npx treadle-apiserver", folder: process.cwd() };
  process.exitCode = await runClusterCommand(program, process.argv.slice(2));
}
