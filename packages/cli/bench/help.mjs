/**
 * `node bench/help.mjs [KUBECTL]`: the time of `treadle --help`, of an empty program of Node, and of `kubectl version --client`, by turns in one
 * run, so that the load of the machine is the same for all. Needs `npm run check -- build`. Prints medians, and ratios to Node.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const ROUNDS = 21;
const bin = join(import.meta.dirname, "..", "dist", "treadle-bin.js");
const kubectl = process.argv[2] ?? "kubectl";
const programs = {
  "node -e 0": [process.execPath, "-e", "0"],
  "treadle --help": [process.execPath, bin, "--help"],
  "treadle explain --help": [process.execPath, bin, "explain", "--help"],
  "kubectl version --client": [kubectl, "version", "--client"],
};

const times = Object.fromEntries(Object.keys(programs).map((name) => [name, []]));
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, [command, ...args]] of Object.entries(programs)) {
    const started = performance.now();
    const { error, status } = spawnSync(command, args);
    if (error !== undefined) continue; // No kubectl.
    if (status !== 0) throw new Error(`${name} ended with ${status}`);
    times[name].push(performance.now() - started);
  }
}

const median = (all) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)];
const node = median(times["node -e 0"]);
for (const [name, all] of Object.entries(times))
  console.log(all.length === 0 ? `${name}: not installed` : `${name}: ${median(all).toFixed(0)} ms, ${(median(all) / node).toFixed(1)} times node`);
