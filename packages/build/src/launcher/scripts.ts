/**
 * Loads the scripts of a bundle, each as a function, with the code that V8 kept of them. Kept code of another Node or of other sources is
 * refused by V8, and then the script is compiled as any other.
 */
import type { ScriptOptions } from "node:vm";
import { flagOfManager, flagsIn } from "./flags.ts";

// An import would load every lazy part of a module, and a built program has some 20 of them.
const { readFileSync } = process.getBuiltinModule("node:fs");
const { join } = process.getBuiltinModule("node:path");
const { createRequire, isBuiltin } = process.getBuiltinModule("node:module");
const { setFlagsFromString } = process.getBuiltinModule("node:v8");
const { constants, Script } = process.getBuiltinModule("node:vm");

interface Module {
  exports: unknown;
}

type Load = (id: string) => unknown;
// oxlint-disable-next-line max-params -- the parameters of a module in CommonJS
type Run = (exports: unknown, require: Load, module: Module, file: string, folder: string) => void;

/** Returns the function that loads a script of `folder`, or a module of Node. */
export function scriptsOf(folder: string, codeFolder: string): Load {
  const loaded = new Map<string, Module>();
  const other = createRequire(join(folder, "x"));
  const flags = flagsIn(process.execArgv, process.env["NODE_OPTIONS"] ?? "");

  const isDebugged = process.env["NODE_DEBUG"]?.split(",").includes("treadle-build") === true;

  function report(filename: string, state: string): void {
    if (isDebugged) process.stderr.write(`treadle-build: the kept code of ${filename} is ${state}\n`);
  }

  function load(id: string): unknown {
    if (isBuiltin(id)) return process.getBuiltinModule(id);
    if (!id.startsWith("./")) return other(id);
    const known = loaded.get(id);
    if (known !== undefined) return known.exports;
    const module: Module = { exports: {} };
    loaded.set(id, module);
    const file = join(folder, id);
    try {
      // The text is in ASCII: a string of one byte for each character.
      const code = readFileSync(file, "latin1");
      const run: Run = compiled(code, file, read(join(codeFolder, `${id.slice(2)}.code`)));
      run(module.exports, require, module, file, folder);
    } catch (error) {
      loaded.delete(id);
      throw error;
    }
    return module.exports;
  }
  const require = Object.assign(load, { resolve: other.resolve, cache: other.cache, main: undefined });

  function compiled(code: string, filename: string, cachedData: Buffer | undefined): Run {
    const options: ScriptOptions = { filename, importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER };
    if (cachedData === undefined) {
      report(filename, `missing for ${process.version} on ${process.arch}`);
      return new Script(code, options).runInThisContext() as Run;
    }
    // V8 has used them by now. It compares the flags alone.
    const all = [...flags, ...flagOfManager()];
    for (const { byDefault } of all) setFlagsFromString(byDefault);
    try {
      const script = new Script(code, { ...options, cachedData });
      report(filename, script.cachedDataRejected === true ? "refused" : "used");
      return script.runInThisContext() as Run;
    } finally {
      for (const { given } of all) setFlagsFromString(given);
    }
  }
  return require;
}

function read(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
