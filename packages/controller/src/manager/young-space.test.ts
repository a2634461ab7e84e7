import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { keepYoungSpace } from "./young-space.ts";

function flagsFor(given: { readonly execArgv?: readonly string[]; readonly env?: Record<string, string> }): readonly string[] {
  const set: string[] = [];
  keepYoungSpace({ execArgv: [], env: {}, ...given }, (flags) => set.push(flags));
  return set;
}

test("the growth of the young generation is stopped", () => {
  expect(flagsFor({})).toEqual(["--semi-space-growth-factor=1"]);
  expect(flagsFor({ execArgv: ["--expose-gc"], env: { NODE_OPTIONS: "--max-old-space-size=200" } })).toHaveLength(1);
});

test.for([
  { name: "the command line", given: { execArgv: ["--expose-gc", "--max-semi-space-size=64"] } },
  { name: "the command line, with underscores", given: { execArgv: ["--min_semi_space_size=16"] } },
  { name: "NODE_OPTIONS", given: { env: { NODE_OPTIONS: "--no-warnings --max-semi-space-size=64" } } },
])("a size that $name gives is obeyed", ({ given }, { expect }) => {
  expect(flagsFor(given)).toEqual([]);
});

test("with the flag, the young generation of a busy process stays small", () => {
  const module = new URL("./young-space.ts", import.meta.url).href;
  expect(youngBytes("")).toBeGreaterThan(2 * youngBytes(`(await import(${JSON.stringify(module)})).keepYoungSpace();`));
});

/** The size of the young generation of a process after many objects, some of which live on. */
function youngBytes(before: string): number {
  const program = `
    import { getHeapSpaceStatistics } from "node:v8";
    ${before}
    let kept = [];
    for (let i = 0; i < 3_000_000; i++) {
      kept.push({ i, list: [i] });
      if (kept.length > 200_000) kept = kept.slice(100_000);
    }
    console.log(getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space").space_size);
  `;
  const env = { PATH: process.env["PATH"] };
  return Number(execFileSync(process.execPath, ["--no-warnings", "--input-type=module", "--eval", program], { env, encoding: "utf8" }));
}
