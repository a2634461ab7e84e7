/**
 * How long one turn of the event loop takes at most. Looking costs a processor, so only in runs that measure nothing else.
 * `longestSliceMs`: time on a processor of the main thread in one turn, less garbage collection; `longestTurnMs`: as the
 * clock says, with collections and waits for a processor in it; `longestCollectionMs`: one collection.
 */
import { PerformanceObserver } from "node:perf_hooks";

export interface Slices {
  readonly longestSliceMs: number;
  readonly longestTurnMs: number;
  readonly longestCollectionMs: number;
}

export function measureSlices(): () => Slices {
  const turns: { readonly at: number; readonly ms: number; readonly cpuMs: number }[] = [];
  const collections: { readonly at: number; readonly ms: number }[] = [];
  new PerformanceObserver((list) => {
    for (const { startTime: at, duration: ms } of list.getEntries()) collections.push({ at, ms });
  }).observe({ entryTypes: ["gc"] });
  let [at, cpuMs] = [performance.now(), threadMs()];
  const turn = (): void => {
    const [nowAt, nowCpuMs] = [performance.now(), threadMs()];
    // Shorter ones are of no interest, and there are many.
    if (nowCpuMs - cpuMs > 1) turns.push({ at, ms: nowAt - at, cpuMs: nowCpuMs - cpuMs });
    [at, cpuMs] = [nowAt, nowCpuMs];
    setImmediate(turn).unref();
  };
  turn();
  return () => {
    const collectedIn = (from: number, to: number): number =>
      collections.filter(({ at }) => at >= from && at < to).reduce((sum, { ms }) => sum + ms, 0);
    return {
      longestSliceMs: Math.max(0, ...turns.map(({ at, ms, cpuMs }) => Math.max(0, cpuMs - collectedIn(at, at + ms)))),
      longestTurnMs: Math.max(0, ...turns.map(({ ms }) => ms)),
      longestCollectionMs: Math.max(0, ...collections.map(({ ms }) => ms)),
    };
  };
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
