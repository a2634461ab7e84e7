/**
 * `npm run bench -- peers-sets [--quick]`: an operator with ten objects for each custom resource, on Treadle and on
 * controller-runtime, on one real etcd and kube-apiserver, in turns. Writes its part of docs/benchmarks.md, and
 * docs/benchmarks-sets.json. `--quick` is for a look in about a minute. The environment is that of peers.ts.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { install } from "./src/install.ts";
import { sweepStacks } from "./src/load.ts";
import { Stack } from "./src/operators/kinds.ts";
import { writePage } from "./src/page.ts";
import { machine } from "./src/findings.ts";
import { buildsOf } from "./src/peers.ts";
import { inTurn } from "./src/plan.ts";
import { onServer, type Site } from "./src/server.ts";
import { measureSets } from "./src/sets.ts";
import { type SetResults, setsReport } from "./src/sets-report.ts";
import { logger, measuring, settings, textOf } from "./src/settings.ts";

const SIZES = {
  full: { stacks: 200, concurrency: 5, restMs: 3_000, factor: 60, drifts: 20, rounds: 2 },
  quick: { stacks: 20, concurrency: 5, restMs: 1_000, factor: 600, drifts: 5, rounds: 1 },
};

const { size, out, isProfile, names = ["treadle", "controller-runtime"] } = settings();
if (isProfile) throw new Error("--profile: npm run bench -- peers has profiles, sets have none");
const { rounds, ...sizes } = SIZES[size];
const { log, elapsedMs } = logger();

await measuring(async () => {
  const about = machine();
  const found: Pick<SetResults, "measured" | "requests" | "failures"> = { measured: {}, requests: {}, failures: [] };
  await onServer({ builds: buildsOf(names), failures: found.failures, log }, async (site) => {
    await install(site.client, Stack);
    for (let round = 0; round < rounds; round++) await runRound(site, round, found);
  });
  const results: SetResults = { machine: about, minutes: Math.round(elapsedMs() / 60_000), sizes, ...found };
  writeFileSync(join(out, "benchmarks-sets.json"), `${JSON.stringify(results, undefined, 2)}\n`);
  writePage(join(out, "benchmarks.md"), "npm run bench -- peers-sets", setsReport(results));
  log(`wrote ${join(out, "benchmarks.md")}`);
});

/** Measures each operator once. The order is reversed in every second round. */
async function runRound(site: Site, round: number, found: Pick<SetResults, "measured" | "requests" | "failures">): Promise<void> {
  const peers = site.peers.filter(({ modes }) => modes.includes("sets"));
  for (const peer of inTurn(peers, round)) {
    const title = `${peer.name}, Stacks, round ${round + 1}`;
    try {
      const { measured, requests } = await measureSets(peer, site, sizes);
      const numbers = Object.entries(measured);
      log(`${title}: ${numbers.map(([name, value]) => `${name} ${value.toFixed(1)}`).join(", ")}`);
      found.requests[peer.name] ??= requests;
      const all = (found.measured[peer.name] ??= {});
      for (const [name, value] of numbers) (all[name] ??= []).push(value);
    } catch (error) {
      log(`${title} failed: ${error instanceof Error ? error.message : String(error)}`);
      found.failures.push(`${title}: ${textOf(error)}`);
      await sweepStacks(site.client);
    }
  }
}
