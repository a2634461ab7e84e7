/**
 * `npm run bench -- peers`: the same operator on Treadle and on controller-runtime, before one real etcd and kube-apiserver,
 * in turns. Writes docs/benchmarks.md (the part between its marks) and docs/benchmarks.json, or with BENCH_OUT=DIR both
 * there; when it is interrupted, neither. BENCH_SIZE=small is for a look in a few minutes; BENCH_PEERS=NAME,... says which
 * operators. Linux; Go for controller-runtime. The command also runs peers-sets.ts.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Blob, Widget } from "./src/operators/kinds.ts";
import { install } from "./src/install.ts";
import { writePage } from "./src/page.ts";
import { defaultPeers } from "./src/peers.ts";
import { Plan } from "./src/plan.ts";
import { machine, noFindings, report } from "./src/report.ts";
import { onServer } from "./src/server.ts";
import { logger, measuring, outDir, sizeName } from "./src/settings.ts";

const SIZES = {
  full: { widgets: 2_000, blobs: 50_000, seconds: 20, perSecond: 200, concurrency: 5, restMs: 5_000, rounds: { reconcile: 3, sync: 2 } },
  small: { widgets: 200, blobs: 2_000, seconds: 5, perSecond: 100, concurrency: 5, restMs: 2_000, rounds: { reconcile: 1, sync: 1 } },
};
/** After so long no further round begins. */
const LATE_MS = 18 * 60_000;

const { rounds, ...sizes } = SIZES[sizeName()];
const { log, elapsedMs } = logger();

await measuring(async () => {
  const about = machine();
  const findings = noFindings();
  const names = process.env["BENCH_PEERS"]?.split(",") ?? defaultPeers;
  await onServer({ names, failures: findings.failures, log }, async ({ peers, ...site }) => {
    for (const kind of [Widget, Blob]) await install(site.client, kind);
    await new Plan(peers, { ...sizes, ...site }, findings, log).run(rounds, () => elapsedMs() > LATE_MS);
  });
  const results = { machine: about, minutes: Math.round(elapsedMs() / 60_000), sizes, ...findings };
  const out = outDir();
  writeFileSync(join(out, "benchmarks.json"), `${JSON.stringify(results, undefined, 2)}\n`);
  writePage(join(out, "benchmarks.md"), "npm run bench -- peers", report(results));
  log(`wrote ${join(out, "benchmarks.md")}`);
});
