/** The command as a process: arguments, streams and signals of the process, and its end. */
import { runTreadle } from "./program.ts";
import { endProcess, processTerminal } from "./terminal/terminal.ts";

/** Runs the command line of the process after the words `before`, and ends the process with its exit code. `name` is the name in texts. */
export async function main(name = "treadle", before: readonly string[] = []): Promise<void> {
  endProcess(await runTreadle([...before, ...process.argv.slice(2)], processTerminal(), { name }));
}
