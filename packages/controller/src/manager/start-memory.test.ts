import { execFileSync } from "node:child_process";
import { fakeClock } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { releaseStartMemory } from "./start-memory.ts";

const MB = 1024 ** 2;

/** Looks `busy.length` times at a process that is as busy as given. */
async function looks(busy: readonly number[], usedBytes = 20 * MB): Promise<{ readonly asked: number; readonly collected: number }> {
  const clock = fakeClock();
  let [asked, collected] = [-1, 0];
  releaseStartMemory(clock, { busy: () => busy[asked++] ?? 0, usedBytes: () => usedBytes, collect: () => void collected++ });
  for (const _ of busy) await clock.advance(4_000);
  return { asked, collected };
}

test("it is collected once, at the first look at a process at rest", async () => {
  await expect(looks([0.9, 0.06, 0.01, 0, 0])).resolves.toEqual({ asked: 3, collected: 1 });
});

test("a process that is never at rest, or has a large heap, is left alone", async () => {
  await expect(looks([0.9, 0.1, 0.5])).resolves.toEqual({ asked: 3, collected: 0 });
  await expect(looks([0, 0], 33 * MB)).resolves.toEqual({ asked: 0, collected: 0 });
});

test("the end of the manager ends the looks", async () => {
  const clock = fakeClock();
  let collected = 0;
  releaseStartMemory(clock, { busy: () => 0, usedBytes: () => MB, collect: () => void collected++ })();
  await clock.advance(60_000);
  expect(collected).toBe(0);
});

test("in a real process, the heap gets smaller, and no program sees the function of the collection", () => {
  const module = new URL("./start-memory.ts", import.meta.url).href;
  const program = `
    import { getHeapStatistics } from "node:v8";
    import { runInNewContext } from "node:vm";
    import { releaseStartMemory, thisProcess } from ${JSON.stringify(module)};
    let left = Array.from({ length: 100_000 }, (_, i) => ({ i }));
    left = undefined;
    const before = getHeapStatistics().total_heap_size;
    let look;
    releaseStartMemory({ after: (_ms, run) => void (look = run) }, { ...thisProcess(), busy: () => 0 });
    look();
    console.log(JSON.stringify({ freed: before - getHeapStatistics().total_heap_size, gc: [typeof gc, runInNewContext("typeof gc")] }));
  `;
  const args = ["--no-warnings", "--conditions=@treadle/source", "--input-type=module", "--eval", program];
  const { freed, gc } = JSON.parse(execFileSync(process.execPath, args, { env: { PATH: process.env["PATH"] }, encoding: "utf8" }));
  expect(freed).toBeGreaterThan(4 * MB);
  expect(gc).toEqual(["undefined", "undefined"]);
});
