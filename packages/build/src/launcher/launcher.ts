/** The first file of a built program. The build replaces the names in capitals. */
import { RUNTIME_FLAGS } from "./flags.ts";
import { scriptsOf } from "./scripts.ts";
import { mapStacks } from "./stacks.ts";

/** The name of the program's first script or module. */
declare const TREADLE_BUILD_ENTRY: string;
/** Whether the program is modules, which Node imports. */
declare const TREADLE_BUILD_IS_MODULES: boolean;

const { join, sep } = process.getBuiltinModule("node:path");
const { pathToFileURL } = process.getBuiltinModule("node:url");
const { setFlagsFromString } = process.getBuiltinModule("node:v8");

const root = import.meta.dirname;
for (const flag of RUNTIME_FLAGS) setFlagsFromString(flag);
mapStacks(root + sep);
if (TREADLE_BUILD_IS_MODULES) await import(pathToFileURL(join(root, "app", TREADLE_BUILD_ENTRY)).href);
else {
  const load = scriptsOf(join(root, "app"), join(root, "code", `${process.version}-${process.arch}`));
  const { default: ended } = load(`./${TREADLE_BUILD_ENTRY}`) as { readonly default?: unknown };
  // A program that awaits at its top is a function that returns a promise.
  await ended;
}
