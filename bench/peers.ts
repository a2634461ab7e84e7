/**
 * `npm run bench -- peers [--quick] [--profile]`: the same operator on Treadle and on controller-runtime, before one real etcd and
 * kube-apiserver, in turns. Linux; Go for controller-runtime.
 *  - The full form takes about an hour. It writes docs/benchmarks.md (the part between its marks) and docs/benchmarks.json, or with
 *    BENCH_OUT=DIR both there; when it is interrupted, neither.
 *  - `--quick`, or BENCH_SIZE=quick, takes less than 8 minutes. It prints the page, and writes it to bench/dist/quick.
 *  - `--profile` writes one profile for each row and operator of Treadle instead, and prints the functions that take most of the time.
 * BENCH_PEERS=NAME,... says which operators.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Findings, machine, noFindings } from "./src/findings.ts";
import { install } from "./src/install.ts";
import { Blob, Widget } from "./src/operators/kinds.ts";
import { writePage } from "./src/page.ts";
import { buildsOf, defaultPeers, profiledPeers, quickPeers } from "./src/peers.ts";
import { Plan } from "./src/plan.ts";
import { printProfiles } from "./src/profiles/print.ts";
import type { Profile } from "./src/profiles/profiler.ts";
import { report } from "./src/report.ts";
import { onServer } from "./src/server.ts";
import { logger, measuring, settings } from "./src/settings.ts";

const SIZES = {
  full: {
    sizes: { widgets: 2_000, blobs: 50_000, changes: 10_000, changesSeconds: 300, warmUpSeconds: 60, concurrency: 5, restMs: 5_000 },
    rounds: { loop: 3, short: 5, changes: 2, sync: 2 },
    // So long after the operators are built no further round of a kind begins.
    lateMs: 60 * 60_000,
  },
  quick: {
    sizes: { widgets: 300, blobs: 5_000, changes: 1_000, changesSeconds: 20, warmUpSeconds: 10, concurrency: 5, restMs: 1_000 },
    rounds: { loop: 1, short: 5, changes: 1, sync: 1 },
    lateMs: 6 * 60_000,
  },
};
const PROFILE_ROUNDS = { loop: 0, short: 1, changes: 1, sync: 1 };

const { size, out, isProfile, names = isProfile ? profiledPeers : size === "quick" ? quickPeers : defaultPeers } = settings();
const { rounds, lateMs, sizes } = SIZES[size];
const { log, elapsedMs } = logger();

await measuring(async () => {
  const about = machine();
  const findings = noFindings();
  const profiles: Profile[] = [];
  await onServer({ builds: buildsOf(names), failures: findings.failures, log }, async ({ peers, ...site }) => {
    for (const kind of [Widget, Blob]) await install(site.client, kind);
    const setup = { ...sizes, ...site, ...(isProfile ? { profiles: { dir: out, profiles } } : {}) };
    const builtMs = elapsedMs();
    await new Plan(peers, setup, findings, log).run(isProfile ? PROFILE_ROUNDS : rounds, () => elapsedMs() - builtMs > lateMs);
  });
  if (isProfile) printProfiles(profiles, out);
  else write(findings, about);
  for (const failure of findings.failures) console.error(`not measured: ${failure}`);
  // A page names what it lacks. A quick form or a profile that lacks something is of no use.
  if (size === "quick" && findings.failures.length > 0) process.exitCode = 1;
});

function write(findings: Findings, about: ReturnType<typeof machine>): void {
  const results = { machine: about, minutes: Math.round(elapsedMs() / 60_000), sizes, ...findings };
  writeFileSync(join(out, "benchmarks.json"), `${JSON.stringify(results, undefined, 2)}\n`);
  const page = report(results);
  writePage(join(out, "benchmarks.md"), "npm run bench -- peers", page);
  if (size === "quick") console.log(`\n${page}\n`);
  log(`wrote ${join(out, "benchmarks.md")}`);
}
