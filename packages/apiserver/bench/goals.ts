/**
 * Measures the server against its goals on this machine. Run `npm run bench -- apiserver`. `RUNS=5` repeats each measurement
 * five times instead of three (medians are shown). `ONLY=requests,memory` selects parts. With `KUBECONFIG`, creates,
 * applies and watches are also measured on the real server of that file, in turns with this one; with `KUBEBUILDER_ASSETS`,
 * starts and memory beside the programs of that folder.
 */
import { fanOut } from "./parts/fan-out.ts";
import { fanOutRate } from "./parts/fan-out-rate.ts";
import { lists } from "./parts/lists.ts";
import { memory } from "./parts/memory.ts";
import { program } from "./parts/program.ts";
import { ready } from "./parts/ready.ts";
import { compared } from "./parts/real.ts";
import { machineLoad, print, type Row } from "./parts/report.ts";
import { requests } from "./parts/requests.ts";

const PARTS: Readonly<Record<string, (runs: number) => Promise<readonly Row[]>>> = {
  ready,
  program,
  requests,
  compared,
  "fan-out": fanOut,
  "fan-out-rate": fanOutRate,
  lists,
  memory,
};

const runs = Number(process.env["RUNS"] ?? 3);
const only = process.env["ONLY"]?.split(",");
const rows: (Row & { readonly load: number })[] = [];
for (const [name, measure] of Object.entries(PARTS)) {
  if (only !== undefined && !only.includes(name)) continue;
  const measured = await measure(runs);
  for (const row of measured) rows.push({ ...row, load: machineLoad() });
}
print(rows);
