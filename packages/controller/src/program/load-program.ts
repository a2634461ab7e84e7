/** Loads the module of an operator for a tool, and finds its handlers. No manager of the module runs. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { AnyHandler } from "@treadle/reconcile";
import { type InspectedManager, inspectManagers } from "../inspect-managers.ts";
import type { Runnable } from "../runnable.ts";
import { handlersIn } from "./handlers-in.ts";
import { importFailure } from "./import-failure.ts";
import { ProgramError } from "./program-error.ts";

/** A loaded program is what a module of an operator exports and runs. */
export interface LoadedProgram {
  /** The handlers: those that are exported, also in arrays and plain objects, then those that its managers run. Each is in the list once. */
  readonly handlers: readonly AnyHandler[];
  /** The runnables that its managers start; empty if exports were named. */
  readonly runnables: readonly Runnable[];
  /** The managers that the module starts. */
  readonly managers: readonly InspectedManager[];
}

/** Options of {@link loadProgram}. */
export interface LoadOptions {
  /** The exports whose handlers are returned. @defaultValue all exports, and what the managers run */
  readonly exports?: readonly string[] | undefined;
}

/**
 * Imports a module, and returns its handlers. Its timers and sockets stay, so the process of a tool must end by itself. Node caches the
 * module: a second call gives the first result, but for managers, which start once.
 *
 * @param module path of a file, relative to the working directory
 * @throws ProgramError if the file does not exist, throws at import, or lacks a handler in a named export
 */
export async function loadProgram(module: string, { exports: names }: LoadOptions = {}): Promise<LoadedProgram> {
  const path = resolve(module);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
    throw new ProgramError("ERR_PROGRAM_NOT_FOUND", `${module} is not a file: name the module of an operator, such as src/main.ts`);
  let exported: Readonly<Record<string, unknown>> = {};
  const managers = await inspectManagers(async () => {
    try {
      exported = (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
    } catch (error) {
      const text = `cannot load ${module}: ${importFailure(error, process.cwd())}`;
      throw new ProgramError("ERR_PROGRAM_FAILED", text, { cause: error });
    }
  });
  for (const name of names ?? [])
    if (handlersIn(exported[name]).length === 0) throw new ProgramError("ERR_PROGRAM_EMPTY", `${module} exports no handler "${name}"`);
  // The same handler may be exported under two names, and run.
  const handlers = new Set((names ?? Object.keys(exported)).flatMap((name) => handlersIn(exported[name])));
  if (names !== undefined) return { handlers: [...handlers], runnables: [], managers };
  for (const manager of managers) for (const handler of manager.handlers) handlers.add(handler);
  return { handlers: [...handlers], runnables: [...new Set(managers.flatMap(({ runnables }) => runnables))], managers };
}

/** Returns the error of a tool that needs a handler in a module which has none. */
export function noHandler(module: string): ProgramError {
  return new ProgramError("ERR_PROGRAM_EMPTY", `${module} exports no handler, and runs none: export what handler(...).build() gave`);
}
