/**
 * `@treadle/controller/unstable/program`: loads the module of an operator without running it. For tools that show handlers or
 * make manifests of them. Not for operators; it may change in any version.
 */
export { handlersIn } from "../program/handlers-in.ts";
export { importFailure } from "../program/import-failure.ts";
export { type LoadedProgram, type LoadOptions, loadProgram, noHandler } from "../program/load-program.ts";
export { ProgramError, type ProgramErrorCode } from "../program/program-error.ts";
export { withConfigFile } from "../settings/config-file.ts";
