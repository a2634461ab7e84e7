/** A lock between processes of one machine: a file with the pid of its holder. */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";

/** Runs `work` while no other process has the lock. The lock of a process that no longer exists is removed; two waiters may then both run. */
export async function withLock<T>(path: string, log: (line: string) => void, work: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(path), { recursive: true });
  for (let isFirst = true; !take(path); isFirst = false) {
    if (isFirst) log(`waiting for the process that has ${path}`);
    await setTimeout(500);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

function take(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    if (isAbandoned(path)) rmSync(path, { force: true });
    return false;
  }
}

function isAbandoned(path: string): boolean {
  try {
    const pid = Number(readFileSync(path, "utf8"));
    // Its holder is about to write the pid.
    if (pid === 0) return Date.now() - statSync(path).mtimeMs > 10_000;
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}
