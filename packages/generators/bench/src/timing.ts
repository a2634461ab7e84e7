/** Times of work that runs programs, and many pieces of it at once. */
import { readFileSync } from "node:fs";

/** The clock and the processor time of one run, in milliseconds. */
export interface Run {
  readonly ms: number;
  /** Of this process. */
  readonly cpuMs: number;
  /** Of the programs that have ended; 0 where the system does not report it. */
  readonly programsMs: number;
}

/** Measures one run. */
export async function timed(work: () => Promise<void>): Promise<Run> {
  const started = performance.now();
  const cpu = process.cpuUsage();
  const programs = programsMs();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { ms: performance.now() - started, cpuMs: (user + system) / 1_000, programsMs: programsMs() - programs };
}

/** Linux counts the time of ended children, in hundredths of a second. */
function programsMs(): number {
  if (process.platform !== "linux") return 0;
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) * 10; // cutime and cstime
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
