/**
 * `failover-run.ts [--rounds N] [--pauses N] [--lease MS]`: failover on the cluster of KUBECONFIG; so many kills and as many
 * stops, and leaders that are paused and woken. Ends with 1 when two wrote at once, or a takeover took too long.
 */
import { parseArgs } from "node:util";
import { type Ending, runFailover } from "./failover.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "10" },
    pauses: { type: "string", default: "3" },
    lease: { type: "string", default: "5000" },
  },
});
const [rounds, pauses, leaseDurationMs] = [values.rounds, values.pauses, values.lease].map(Number) as [number, number, number];
if (![rounds, pauses, leaseDurationMs].every((number) => Number.isInteger(number) && number >= 0))
  throw new Error("--rounds, --pauses and --lease are whole numbers from 0");
const kubeconfig = process.env["KUBECONFIG"];
if (kubeconfig === undefined) throw new Error("set KUBECONFIG to the cluster on which the replicas are to run; it gets a CRD");
const endings: Ending[] = [
  ...Array.from({ length: rounds }, (): Ending[] => ["SIGKILL", "SIGTERM"]).flat(),
  ...Array.from({ length: pauses }, (): Ending => "SIGSTOP"),
];
const { takeovers, writes, problems } = await runFailover({ kubeconfig, rounds: endings, leaseDurationMs, log: console.log });
for (const ending of ["SIGKILL", "SIGTERM", "SIGSTOP"] as const) {
  const ms = takeovers.filter((each) => each.ending === ending).map((each) => each.ms);
  if (ms.length > 0)
    console.log(`${ending}: ${ms.length} takeovers within ${Math.min(...ms)} to ${Math.max(...ms)} ms (lease ${leaseDurationMs} ms)`);
}
console.log(`${writes} writes, ${problems.length} problems`);
for (const problem of problems) console.error(`problem: ${problem}`);
process.exitCode = problems.length > 0 || takeovers.length < endings.length ? 1 : 0;
