/**
 * Whether something grows: the last third of what was measured against the first after the warm-up. The lowest figure of each
 * counts, since between two collections of garbage memory rises and falls, and what leaks raises the floor.
 */
import type { Stats } from "./messages.ts";

export interface Sample extends Stats {
  readonly minutes: number;
}

/** Code is compiled and pools are filled by then: so much of the samples, at least one. */
const WARM_UP = 0.2;
/** Fewer say nothing. */
const MIN_SAMPLES = 6;

/** By how much a figure may be higher at the end, as a part and in its own unit: what is more grows. */
const ALLOWED = {
  rssMb: { part: 0.15, plus: 20, what: "resident memory (MB)" },
  heapMb: { part: 0.3, plus: 15, what: "heap (MB)" },
  sockets: { part: 0, plus: 4, what: "sockets" },
  files: { part: 0, plus: 4, what: "open files" },
  timers: { part: 0, plus: 10, what: "timers" },
} as const;

/** Whether there are enough of them to say that nothing grows. */
export function showTrend(samples: readonly Sample[]): boolean {
  return warmOf(samples).length >= MIN_SAMPLES;
}

export function trendProblems(samples: readonly Sample[]): readonly string[] {
  if (!showTrend(samples)) return [];
  const warm = warmOf(samples);
  const third = Math.floor(warm.length / 3);
  return (Object.keys(ALLOWED) as (keyof typeof ALLOWED)[]).flatMap((figure) => {
    const { part, plus, what } = ALLOWED[figure];
    const floor = (of: readonly Sample[]): number => Math.min(...of.map((sample) => sample[figure] ?? 0));
    const [early, late] = [floor(warm.slice(0, third)), floor(warm.slice(-third))];
    if (late <= early * (1 + part) + plus) return [];
    return [`${what} grow: at least ${early} in the first third after the warm-up, ${late} in the last`];
  });
}

function warmOf(samples: readonly Sample[]): readonly Sample[] {
  return samples.slice(Math.ceil(samples.length * WARM_UP));
}
