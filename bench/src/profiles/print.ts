/** Prints what profiles show: the functions that take most of the time, and the values that take most of the memory. */
import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { type FunctionTime, parseCpuProfile, timesOf } from "./cpu-profile.ts";
import { parseHeapSnapshot, sharesOf } from "./heap-snapshot.ts";
import { type PlaceOf, placesIn } from "./places.ts";
import type { Profile } from "./profiler.ts";

const LINES = 12;
const ROOT = resolve(import.meta.dirname, "..", "..", "..");

/** Prints the top of each profile, in the order in which they were written. */
export function printProfiles(profiles: readonly Profile[], dir: string): void {
  const placeOf = placesIn(ROOT);
  for (const { row, operator, file } of profiles) {
    const text = readFileSync(file, "utf8");
    const isCpu = file.endsWith(".cpuprofile");
    const lines = isCpu ? cpuLines(text, placeOf) : heapLines(text);
    console.log([`\n=== ${row}, ${operator}: ${isCpu ? "processor" : "heap"}`, ...lines].join("\n"));
  }
  console.log(`\n${profiles.length} profiles are in ${relative(process.cwd(), dir) || "."}; the developer tools of Chrome show them`);
}

/** The lines about a profile of the processor. */
export function cpuLines(text: string, placeOf: PlaceOf): string[] {
  const { busyMs, functions } = timesOf(parseCpuProfile(text));
  const line = (ms: number, frame: FunctionTime["callFrame"]): string =>
    `  ${((ms / busyMs) * 100).toFixed(1).padStart(5)} % ${ms.toFixed(0).padStart(6)} ms  ${placeOf(frame)}`;
  const own = functions.toSorted((a, b) => b.selfMs - a.selfMs).slice(0, LINES);
  // Functions of the runtime are on every stack.
  const withCallees = functions
    .filter(({ callFrame: { url } }) => url.startsWith("file:"))
    .toSorted((a, b) => b.totalMs - a.totalMs)
    .slice(0, LINES);
  return [
    `main thread: ${busyMs.toFixed(0)} ms`,
    "in the function itself:",
    ...own.map(({ selfMs, callFrame }) => line(selfMs, callFrame)),
    "in the function and what it called:",
    ...withCallees.map(({ totalMs, callFrame }) => line(totalMs, callFrame)),
  ];
}

/** The lines about a snapshot of the heap. */
export function heapLines(text: string): string[] {
  const shares = sharesOf(parseHeapSnapshot(text));
  const total = shares.reduce((sum, { bytes }) => sum + bytes, 0);
  const line = (bytes: number, about: string): string => `  ${(bytes / 2 ** 20).toFixed(2).padStart(8)} MB  ${about}`;
  return ["live heap:", line(total, "all"), ...shares.slice(0, LINES).map(({ name, count, bytes }) => line(bytes, `${name}, ${count}`))];
}
