/** Memory of 100,000 objects in the heap and in the process, including the history for watches. */
import { execFileSync } from "node:child_process";
import { median, type Row } from "./report.ts";
import { configMaps, widgets } from "./workload.ts";

const COUNT = 100_000;
const GOAL = 3;

interface Filled {
  readonly jsonBytes: number;
  readonly heapBytes: number;
  readonly rssBytes: number;
}

export async function memory(runs: number): Promise<readonly Row[]> {
  return [configMaps, widgets].map(({ name }) => {
    const raw = Array.from({ length: runs }, () => fill(name));
    const [heap, rss] = [median(raw.map((one) => one.heapBytes / one.jsonBytes)), median(raw.map((one) => one.rssBytes / one.jsonBytes))];
    return {
      what: `${COUNT} objects, ${name}`,
      goal: `${GOAL}x their JSON`,
      measured: `heap ${heap.toFixed(2)}x, RSS ${rss.toFixed(2)}x of ${((raw[0]?.jsonBytes ?? 0) / 1e6).toFixed(0)} MB`,
      isMet: heap < GOAL && rss < GOAL,
      raw,
    };
  });
}

function fill(name: string): Filled {
  const options = ["--conditions=@treadle/source", "--expose-gc", new URL("./fill.ts", import.meta.url).pathname];
  return JSON.parse(execFileSync(process.execPath, [...options, name, String(COUNT)], { encoding: "utf8" })) as Filled; // by fill.ts
}
