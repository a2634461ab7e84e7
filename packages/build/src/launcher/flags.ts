/** V8's flags of a built program. Kept code is of use only under the flags with which it was made. */

/**
 * Flags that V8 reads while the program runs.
 *
 * - The growth of the young generation. V8 reads the sizes of semi-spaces before the first line of a program, so no program can set them.
 * - WebAssembly stays as it was first compiled. The optimised HTTP parser of undici, one very large function, takes 15 MB to compile.
 */
export const RUNTIME_FLAGS: readonly string[] = ["--semi-space-growth-factor=1", "--wasm-tiering-budget=500000000"];

/** Sizes of the heap that a user may give to Node. V8 refuses code that was kept under other values. */
const SIZES = ["max-old-space-size", "max-semi-space-size", "min-semi-space-size", "max-heap-size", "initial-old-space-size"];

/** The sizes among the arguments of Node, as in `--max-old-space-size=400`. */
export function sizesIn(execArgv: readonly string[], nodeOptions: string): readonly (readonly [flag: string, value: string])[] {
  const words = [...nodeOptions.split(/\s+/), ...execArgv].join(" ");
  const found = words.matchAll(/(?<=^|\s)--([a-z_-]+)(?:=|\s+)(\d+)/g);
  const named = Array.from(found, ([, name = "", value = ""]) => [name.replaceAll("_", "-"), value] as const);
  // The heap limit as a part of the container's memory sets the size of the old space.
  const sizes = named.map(([name, value]) => (name === "max-old-space-size-percentage" ? (["max-old-space-size", "0"] as const) : ([name, value] as const)));
  return [...new Map(sizes.filter(([name]) => SIZES.includes(name)))];
}
