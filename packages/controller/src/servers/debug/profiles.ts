/** Heap snapshots and CPU profiles of this process, for Chrome's developer tools. */
import { Session } from "node:inspector/promises";
import type { Readable } from "node:stream";
import { getHeapSnapshot } from "node:v8";

/** Makes a heap snapshot in the format of `.heapsnapshot`. Meanwhile the process is blocked, and needs as much memory again. */
export function heapSnapshot(): Readable {
  return getHeapSnapshot();
}

/** Makes a CPU profile in the format of `.cpuprofile`. The signal ends it early. */
export async function cpuProfile(seconds: number, signal: AbortSignal): Promise<string> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.start");
    await ended(seconds, signal);
    const { profile } = await session.post("Profiler.stop");
    return JSON.stringify(profile);
  } finally {
    session.disconnect();
  }
}

async function ended(seconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const onAbort = (): void => resolve();
  const timer = setTimeout(resolve, seconds * 1000);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) resolve();
  await promise;
  clearTimeout(timer);
  signal.removeEventListener("abort", onAbort);
}
