/** What Node can tell about itself: the heap as a snapshot, and where the time goes. For Chrome's developer tools. */
import { Session } from "node:inspector/promises";
import type { Readable } from "node:stream";
import { getHeapSnapshot } from "node:v8";

/** In the format of `.heapsnapshot`. The process stands still until it is made, and needs as much memory again. */
export function heapSnapshot(): Readable {
  return getHeapSnapshot();
}

/** In the format of `.cpuprofile`. Ends early, with what there is, by the signal. */
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
