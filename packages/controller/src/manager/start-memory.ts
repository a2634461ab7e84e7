/**
 * Returns to the system what the start of the process left in memory, once, as soon as the process is idle. V8 collects garbage only when new
 * objects need room. So a small idle operator would keep a tenth of its resident memory forever (docs/benchmarks.md, Causes).
 *
 * The collection takes about 2 ms for each MB in use. So it is not done for a large heap, which V8 collects often enough.
 *
 * Assumption: V8 has the flag and the function. With an engine that has none, nothing changes.
 */
import { type EventLoopUtilization, performance } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type Clock, systemClock, type Timer } from "@treadle/apimachinery";

/** Time between two checks of the process. */
const LOOK_MS = 4_000;
/** The share of this time in which an idle process may work. */
const MAX_IDLE_SHARE = 0.05;
const MAX_USED_BYTES = 32 * 1024 ** 2;

/** The parts of a process that are needed. */
export interface StartMemoryHost {
  /** The share of the time since the last call in which the event loop worked, from 0 to 1. */
  busy(): number;
  usedBytes(): number;
  /** Collects all garbage, and returns the memory to the system. */
  collect(): void;
}

/** Returns the memory of the start to the system when the process is idle. Returns a function that ends the wait for that. */
export function releaseStartMemory(clock: Clock = systemClock, host: StartMemoryHost = thisProcess()): () => void {
  let timer: Timer | undefined;
  const look = (): void => {
    if (host.usedBytes() > MAX_USED_BYTES) return;
    if (host.busy() < MAX_IDLE_SHARE) host.collect();
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
