/** Times of work, and many pieces of it at once. */

/** The clock and the processor time of one run, in milliseconds. */
export interface Run {
  readonly ms: number;
  readonly cpuMs: number;
}

/** Measures one run. */
export async function timed(work: () => Promise<void>): Promise<Run> {
  const started = performance.now();
  const cpu = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { ms: performance.now() - started, cpuMs: (user + system) / 1_000 };
}

/** Runs work for each number below `count`, `atOnce` of them at the same time. */
export async function each(count: number, atOnce: number, work: (i: number) => Promise<void>): Promise<void> {
  const rest = Array.from({ length: count }, (_, i) => i).values();
  const worker = async (): Promise<void> => {
    for (const i of rest) await work(i);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** The middle value; 0 for none. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
