import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";

interface Demo {
  readonly output: () => string;
  readonly ended: Promise<number | null>;
  /** Resolves when the text was printed; rejects when the demo ends without it. */
  readonly says: (text: string) => Promise<void>;
  readonly kill: (signal: NodeJS.Signals) => void;
}

function demo(...args: string[]): Demo {
  const child = spawn(process.execPath, ["--conditions=@treadle/source", join(import.meta.dirname, "demo.ts"), ...args]);
  let output = "";
  const ended = once(child, "close").then(([code]) => code as number | null);
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  return {
    output: () => output,
    ended,
    kill: (signal) => void child.kill(signal),
    async says(text) {
      while (!output.includes(text)) {
        const over = await Promise.race([once(child.stdout, "data").then(() => false), ended.then(() => true)]);
        if (over && !output.includes(text)) throw new Error(`the demo ended without "${text}":\n${output}`);
      }
    },
  };
}

test("the demo proves its claims and ends with exit code 0", async () => {
  const { ended, output } = demo();
  expect(await ended, output()).toBe(0);
  expect(output()).toContain("All 15 checks hold");
  expect(output()).toContain(
    "Simple default/by-zero: Ready is False (DivisionByZero): InputReady: 42 cannot be divided by 0: change spec.divisor",
  );
  // A pipe is not a terminal, so there are no colours.
  expect(output()).not.toContain("\u001b[");
});

test.for(["SIGINT", "SIGTERM"] as const)("the demo with --keep runs until %s", async (signal) => {
  const { ended, output, says, kill } = demo("--keep");
  await says("get simples,rwexternals --watch-only");
  const url = /curl (\S+)/.exec(output())?.[1] ?? "";
  const list = (await (await fetch(url)).json()) as { readonly items: readonly unknown[] };
  expect(list.items).toHaveLength(2);
  kill(signal);
  expect(await ended, output()).toBe(0);
});
