/**
 * Stops the growth of V8's young generation at 16 MB, 8 MB for each half. Without this the halves double under load, up to 64 MB each.
 * That costs 80 to 130 MB of resident memory and makes no operator faster (docs/benchmarks.md, Causes).
 *
 * V8 reads its size from flags at the start of the process only, but the factor of its growth at each growth. So the factor is 1 while it is
 * large enough, and V8's own while it is smaller. V8 shrinks it to 1 MB in an idle process. With halves of that size a busy operator
 * takes a sixth more processor time.
 *
 * A collection is noticed in the next turn of the event loop, so a long turn may let it grow once more. One that is larger when a manager
 * starts stays so until V8 shrinks it.
 *
 * Assumption: V8 has the flag. With a V8 that ignores it, nothing changes.
 * Not for processes whose owner gives a size: V8's flags for it, by the command line or NODE_OPTIONS, are obeyed.
 */
import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Both halves. */
const ENOUGH_BYTES = 16 * 1024 ** 2;

/** The parts of a process that the limit needs. */
export interface YoungSpaceHost {
  readonly execArgv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The present size of the young generation, in bytes. */
  bytes(): number;
  setFlags(flags: string): void;
  /** Calls the listener after each collection of garbage, until the returned function is called. */
  onCollected(listener: () => void): () => void;
}

/** Limits the young generation from now on, unless the owner of the process decides about its size. Returns a function that ends it. */
export function limitYoungSpace(host: YoungSpaceHost = THIS_PROCESS): () => void {
  if ([host.env["NODE_OPTIONS"] ?? "", ...host.execArgv].some((text) => SEMI_SPACE.test(text))) return () => undefined;
  const decide = (): void => host.setFlags(host.bytes() >= ENOUGH_BYTES ? KEEP : GROW);
  decide();
  const end = host.onCollected(decide);
  return () => {
    end();
    host.setFlags(GROW);
  };
}

/** V8 takes `_` for `-`. */
const SEMI_SPACE = /semi[-_]space/;
const KEEP = "--semi-space-growth-factor=1";
/** The default of V8. */
const GROW = "--semi-space-growth-factor=2";

const THIS_PROCESS: YoungSpaceHost = {
  get execArgv() {
    return process.execArgv;
  },
  get env() {
    return process.env;
  },
  bytes: () => getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")?.space_size ?? 0,
  setFlags(flags) {
    setFlagsFromString(flags);
    // V8 refuses kept code while the factor is not its default. The launcher of a built program takes the factor back for that moment.
    Reflect.set(globalThis, Symbol.for("treadle.dev/young-space-flag"), flags);
  },
  onCollected(listener) {
    const observer = new PerformanceObserver(listener);
    observer.observe({ entryTypes: ["gc"] });
    return () => observer.disconnect();
  },
};
