/**
 * `node bench/start.mjs [--kubectl FILE] [KIND/NAME]`: the time of `treadle --help`, of an empty program of Node, of `kubectl version --client`
 * and, with an object of the current context, of `treadle explain` and `kubectl get`, by turns in one run, so that the load of the machine is the
 * same for all. Needs `npm run check -- build`. Prints medians, and ratios to Node and to kubectl.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";

const ROUNDS = 21;
const bin = join(import.meta.dirname, "..", "dist", "treadle-bin.js");
const { values, positionals } = parseArgs({ options: { kubectl: { type: "string", default: "kubectl" } }, allowPositionals: true });
const { kubectl } = values;
const [object] = positionals;
const programs = {
  "node -e 0": [process.execPath, "-e", "0"],
  "treadle --help": [process.execPath, bin, "--help"],
  "treadle explain --help": [process.execPath, bin, "explain", "--help"],
  "kubectl version --client": [kubectl, "version", "--client"],
  ...(object === undefined
    ? {}
    : { "treadle explain": [process.execPath, bin, "explain", object], "kubectl get": [kubectl, "get", object, "-o", "yaml"] }),
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
const [node, client] = ["node -e 0", "kubectl version --client"].map((name) => median(times[name]));
for (const [name, all] of Object.entries(times)) {
  if (all.length === 0) console.log(`${name}: not installed`);
  else
    console.log(
      `${name}: ${median(all).toFixed(0)} ms, ${ratio(all, node)} of node${client === undefined ? "" : `, ${ratio(all, client)} of kubectl`}`,
    );
}

function ratio(all, unit) {
  return (median(all) / unit).toFixed(1);
}
