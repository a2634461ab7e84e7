/**
 * A thread in the process of the operator. It ends that process, and the programs that it started, when `treadle dev` no longer exists: code
 * that never returns hears no message, so only another thread can do it.
 */
import { workerData } from "node:worker_threads";

const { parent, graceMs } = workerData as { readonly parent: number; readonly graceMs: number }; // Only startGuard() makes this thread.

const timer = setInterval(() => {
  if (isParent()) return;
  clearInterval(timer);
  // The process has this time to end by itself.
  setTimeout(end, graceMs);
}, 500);

function isParent(): boolean {
  if (process.ppid !== parent) return false;
  try {
    // On Windows the number of the parent stays.
    return process.kill(parent, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function end(): void {
  try {
    // Its group: the programs that it started.
    if (process.platform !== "win32") process.kill(-process.pid, "SIGKILL");
  } finally {
    process.kill(process.pid, "SIGKILL");
  }
}
