import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parseCpuProfile, timesOf } from "./cpu-profile.ts";
import { parseHeapSnapshot, sharesOf } from "./heap-snapshot.ts";
import { type Profile, Profiler, profilerEnv } from "./profiler.ts";

/** Works in one function, then in another when a signal comes, and ends by another signal. */
const PROGRAM = `
class Kept {}
function spin(ms) { for (const end = Date.now() + ms; Date.now() < end; ); }
function early() { spin(60); }
function late() { spin(60); }
const timer = setInterval(() => {}, 1000);
globalThis.kept = Array.from({ length: 100 }, () => new Kept());
process.on("SIGUSR2", () => { late(); console.log("late"); });
process.on("SIGTERM", () => clearInterval(timer));
early();
console.log("early");
`;

// Windows has no signals.
test.skipIf(process.platform === "win32")(
  "each profile has the work since the one before, and the profiled process ends by itself",
  async () => {
    const dir = mkdtempSync(join(tmpdir(), "profiler-"));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const child = spawn(process.execPath, ["--eval", PROGRAM], {
      stdio: ["ignore", "pipe", "inherit", "ipc"],
      env: { ...process.env, ...profilerEnv },
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const profiles: Profile[] = [];
    const profiler = new Profiler(child, "treadle", { dir, profiles });
    await once(child.stdout ?? child, "data");
    await profiler.cpu("start");
    child.kill("SIGUSR2");
    await once(child.stdout ?? child, "data");
    await profiler.heap("rest");
    await profiler.cpu("changes");
    expect(profiles.map(({ row, file }) => [row, file.slice(dir.length + 1)])).toEqual([
      ["start", "start.treadle.cpuprofile"],
      ["rest", "rest.treadle.heapsnapshot"],
      ["changes", "changes.treadle.cpuprofile"],
    ]);
    const [start = "", rest = ""] = profiles.map(({ file }) => readFileSync(file, "utf8"));
    const names = timesOf(parseCpuProfile(start)).functions.map(({ callFrame }) => callFrame.functionName);
    expect(names).toContain("early");
    expect(names).not.toContain("late");
    expect(sharesOf(parseHeapSnapshot(rest)).find(({ name }) => name === "Kept")?.count).toBeGreaterThanOrEqual(100);
    const exit = once(child, "exit");
    child.kill("SIGTERM");
    expect(await exit).toEqual([0, null]);
  },
);

test("a profile that cannot be written is an error with the reason", async () => {
  const child = spawn(process.execPath, ["--eval", PROGRAM], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    env: { ...process.env, ...profilerEnv },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout ?? child, "data");
  const profiler = new Profiler(child, "treadle", { dir: "/no/such/folder", profiles: [] });
  await expect(profiler.cpu("start")).rejects.toThrow(/profiler of treadle failed: .*ENOENT/);
});
