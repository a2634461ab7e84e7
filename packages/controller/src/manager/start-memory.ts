/**
 * Gives back what the start of the process has left in memory, once, as soon as the process has nothing to do: V8 collects garbage when new
 * objects need room, so that a small operator at rest would keep it forever, a tenth of its resident memory (docs/benchmarks.md, Causes).
 *
 * The collection takes about 2 ms for each MB in use. So a large heap is left alone: it is collected often enough.
 *
 * Assumption: V8 has the flag and the function. With an engine that has none, nothing changes.
 */
import { type EventLoopUtilization, performance } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type Clock, systemClock, type Timer } from "@treadle/apimachinery";

/** Between two looks at the process. */
const LOOK_MS = 4_000;
/** The share of this time in which a process at rest works. */
const REST = 0.05;
const MAX_USED_BYTES = 32 * 1024 ** 2;

/** The parts of a process that are needed. */
export interface StartMemoryHost {
  /** The share of the time since the last call in which the event loop worked, from 0 to 1. */
  busy(): number;
  usedBytes(): number;
  /** Collects all garbage, and gives the room back to the system. */
  collect(): void;
}

/** Gives back the memory of the start when the process is at rest. Returns a function that ends the wait for that. */
export function releaseStartMemory(clock: Clock = systemClock, host: StartMemoryHost = thisProcess()): () => void {
  let timer: Timer | undefined;
  const look = (): void => {
    if (host.usedBytes() > MAX_USED_BYTES) return;
    if (host.busy() < REST) host.collect();
    else timer = clock.after(LOOK_MS, look);
  };
  host.busy();
  timer = clock.after(LOOK_MS, look);
  return () => timer?.cancel();
}

/** The process that runs this. */
export function thisProcess(): StartMemoryHost {
  let last: EventLoopUtilization | undefined;
  return {
    busy() {
      const now = performance.eventLoopUtilization();
      const { utilization } = last === undefined ? now : performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    usedBytes: () => getHeapStatistics().used_heap_size,
    collect,
  };
}

function collect(): void {
  const own: unknown = Reflect.get(globalThis, "gc");
  const gc = typeof own === "function" ? own : hiddenCollection();
  if (typeof gc === "function") gc({ type: "major", flavor: "last-resort" });
}

/** V8's function, for which the owner of the process has set no flag. The flag is for new contexts: no program sees the function. */
function hiddenCollection(): unknown {
  setFlagsFromString("--expose-gc");
  try {
    return runInNewContext("globalThis.gc");
  } finally {
    setFlagsFromString("--no-expose-gc");
  }
}
