/** V8's flags of a built program. Kept code is of use only under the flags with which it was made. */

/**
 * Flags that V8 reads while the program runs.
 *
 * WebAssembly stays as it was first compiled. The optimised HTTP parser of undici, one very large function, takes 15 MB to compile.
 * The size of the young generation is the manager's concern: it limits it in every process, built or not.
 */
export const RUNTIME_FLAGS: readonly string[] = ["--wasm-tiering-budget=500000000"];

/** Flags that a user may give to Node, with their defaults. V8 refuses code that was kept under other values, though it depends on none of them. */
const DEFAULTS: Readonly<Record<string, string>> = {
  "max-old-space-size": "0",
  "max-semi-space-size": "0",
  "min-semi-space-size": "0",
  "max-heap-size": "0",
  "initial-old-space-size": "0",
  "stack-trace-limit": "10",
};

/** A flag as the user gave it, and by its default. */
export interface GivenFlag {
  readonly given: string;
  readonly byDefault: string;
}

/** The flags of that kind among the arguments of Node, as in `--max-old-space-size=400`. */
export function flagsIn(execArgv: readonly string[], nodeOptions: string): readonly GivenFlag[] {
  const words = [...nodeOptions.split(/\s+/), ...execArgv].join(" ");
  const found = new Map<string, GivenFlag>();
  for (const [, given = "", value] of words.matchAll(/(?<=^|\s)--([a-z_-]+)(?:[= ](\d+))?/g)) {
    const name = given.replaceAll("_", "-");
    // The heap limit as a part of the container's memory sets the size of the old space, before this is read.
    if (name === "max-old-space-size-percentage") found.set(name, { given: "--max-old-space-size=0", byDefault: "--max-old-space-size=0" });
    else if (name === "expose-gc") found.set(name, { given: "--expose-gc", byDefault: "--no-expose-gc" });
    else if (value !== undefined && DEFAULTS[name] !== undefined)
      found.set(name, { given: `--${name}=${value}`, byDefault: `--${name}=${DEFAULTS[name]}` });
  }
  return [...found.values()];
}

/** The flag that a running manager has set (young-space.ts of `@treadle/controller`), if there is one. */
export function flagOfManager(): readonly GivenFlag[] {
  const given: unknown = Reflect.get(globalThis, Symbol.for("treadle.dev/young-space-flag"));
  return typeof given === "string" ? [{ given, byDefault: "--semi-space-growth-factor=2" }] : [];
}
