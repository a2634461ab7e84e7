/** The command `treadle` as a function, for programs that contain it and for tests. */
export { type ExitCode, EXIT } from "./exit-codes.ts";
export { main } from "./main.ts";
export { type ProgramOptions, runTreadle } from "./program.ts";
export type { Prompter, TextQuestion } from "./terminal/prompter.ts";
export { processTerminal, type Terminal } from "./terminal/terminal.ts";
