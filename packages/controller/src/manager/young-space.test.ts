import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { limitYoungSpace } from "./young-space.ts";

const MB = 1024 ** 2;
const [KEEP, GROW] = ["--semi-space-growth-factor=1", "--semi-space-growth-factor=2"];

function limited(given: { readonly execArgv?: readonly string[]; readonly env?: Record<string, string>; readonly bytes?: number } = {}) {
  const flags: string[] = [];
  const listeners = new Set<() => void>();
  const host = { execArgv: [], env: {}, ...given, size: given.bytes ?? 16 * MB };
  const end = limitYoungSpace({
    ...host,
    bytes: () => host.size,
    setFlags: (text) => flags.push(text),
    onCollected(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });
  const collected = (bytes: number): void => {
    host.size = bytes;
    for (const listener of listeners) listener();
  };
  return { flags, listeners, collected, end };
}

test("a young generation of 16 MB does not grow any more", () => {
  expect(limited({ bytes: 16 * MB, execArgv: ["--expose-gc"], env: { NODE_OPTIONS: "--max-old-space-size=200" } }).flags).toEqual([KEEP]);
});

test("a smaller one grows, also after V8 has shrunk it in an idle process", () => {
  const { flags, collected } = limited({ bytes: 2 * MB });
  collected(8 * MB);
  collected(16 * MB);
  collected(64 * MB);
  collected(1 * MB);
  expect(flags).toEqual([GROW, GROW, KEEP, KEEP, GROW]);
});

test("the end restores V8's factor, and listens no more", () => {
  const { flags, listeners, end } = limited();
  end();
  expect([flags.at(-1), listeners.size]).toEqual([GROW, 0]);
});

test.for([
  { name: "the command line", given: { execArgv: ["--expose-gc", "--max-semi-space-size=64"] } },
  { name: "the command line, with underscores", given: { execArgv: ["--min_semi_space_size=16"] } },
  { name: "NODE_OPTIONS", given: { env: { NODE_OPTIONS: "--no-warnings --max-semi-space-size=64" } } },
])("a size that $name gives is obeyed", ({ given }, { expect }) => {
  const { flags, listeners, end } = limited(given);
  end();
  expect([flags, listeners.size]).toEqual([[], 0]);
});

test("with the limit, the young generation of a busy process stays small", () => {
  const module = new URL("./young-space.ts", import.meta.url).href;
  // V8 may grow it once more before the collection is noticed.
  expect(2 * youngBytes(`(await import(${JSON.stringify(module)})).limitYoungSpace();`)).toBeLessThanOrEqual(youngBytes(""));
});

/** The size of the young generation of a process after many objects, some of which live on. */
function youngBytes(before: string): number {
  const program = `
    import { getHeapSpaceStatistics } from "node:v8";
    ${before}
    let kept = [];
    for (let turn = 0; turn < 500; turn++) {
      for (let i = 0; i < 10_000; i++) kept.push({ i, list: [i, i] });
      if (kept.length > 400_000) kept = kept.slice(200_000);
      await new Promise(setImmediate);
    }
    console.log(getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space").space_size);
  `;
  const env = { PATH: process.env["PATH"] };
  return Number(execFileSync(process.execPath, ["--no-warnings", "--input-type=module", "--eval", program], { env, encoding: "utf8" }));
}
