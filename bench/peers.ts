/**
 * `npm run bench -- peers`: the same operator on Treadle and on controller-runtime, before one real etcd and kube-apiserver,
 * in turns. Writes docs/benchmarks.md (the part between its marks) and docs/benchmarks.json, or with BENCH_OUT=DIR both
 * there; when it is interrupted, neither. BENCH_SIZE=small is for a look in a few minutes; BENCH_PEERS=NAME,... says which
 * operators. Linux; Go for controller-runtime.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { connect } from "@treadle/client";
import { startControlPlane } from "@treadle-workspace/tools/controlplane";
import { Blob, Widget } from "./src/operators/kinds.ts";
import { accounts, tokenFlags } from "./src/accounts.ts";
import { auditFlags } from "./src/audit.ts";
import { install } from "./src/install.ts";
import { writePage } from "./src/page.ts";
import { buildPeer, defaultPeers } from "./src/peers.ts";
import { Plan } from "./src/plan.ts";
import { machine, noFindings, report } from "./src/report.ts";

const SIZES = {
  full: { widgets: 2_000, blobs: 50_000, seconds: 20, perSecond: 200, concurrency: 5, restMs: 5_000, rounds: { reconcile: 3, sync: 2 } },
  small: { widgets: 200, blobs: 2_000, seconds: 5, perSecond: 100, concurrency: 5, restMs: 2_000, rounds: { reconcile: 1, sync: 1 } },
};
/** After so long no further round begins. */
const LATE_MS = 18 * 60_000;

const size = process.env["BENCH_SIZE"] ?? "full";
if (size !== "full" && size !== "small") throw new Error(`BENCH_SIZE "${size}" is neither full nor small`);
const { rounds, ...sizes } = SIZES[size];
const names = process.env["BENCH_PEERS"]?.split(",") ?? defaultPeers;
const out = process.env["BENCH_OUT"] ?? resolve(import.meta.dirname, "..", "docs");
const startedAt = Date.now();
const log = (line: string): void => console.log(`bench ${((Date.now() - startedAt) / 60_000).toFixed(1)} min: ${line}`);

const interrupted = new Promise<never>((_, reject) => {
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => {
      reject(new Error(`interrupted by ${signal}`));
      // The second one does not wait for the control plane to end.
      process.once(signal, () => process.exit(1));
    });
});
interrupted.catch(() => undefined);

const dir = mkdtempSync(join(tmpdir(), "treadle-bench-"));
try {
  await bench();
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  rmSync(dir, { recursive: true, force: true });
}
// What was interrupted may still wait for something.
process.exit();

async function bench(): Promise<void> {
  const about = machine();
  const findings = noFindings();
  const builds = new Map<string, Awaited<ReturnType<typeof buildPeer>>>();
  for (const name of names) {
    log(`building ${name}`);
    try {
      builds.set(name, await buildPeer(name));
    } catch (error) {
      findings.failures.push(`${name}: it could not be built: ${textOf(error).split("\n")[0]}`);
      log(findings.failures.at(-1) ?? "");
    }
  }
  const known = accounts([...builds.keys()]);
  const users = Array.from(known.values(), ({ user }) => user);
  const auditLog = join(dir, "audit.log");
  const apiServerFlags = {
    ...auditFlags(join(dir, "policy.json"), auditLog, users),
    ...tokenFlags(join(dir, "tokens.csv"), known.values()),
  };
  const plane = await startControlPlane({ log, apiServerFlags });
  try {
    const setup = {
      ...sizes,
      client: await connect({ kubeconfig: plane.kubeconfigPath, fieldManager: "bench" }),
      kubeconfig: plane.kubeconfigPath,
      auditLog,
    };
    const place = { dir, server: plane.url, adminKubeconfig: plane.kubeconfigPath };
    const peers = Array.from(known, ([name, account]) => builds.get(name)?.({ ...place, account }) ?? []).flat();
    const run = async (): Promise<void> => {
      for (const kind of [Widget, Blob]) await install(setup.client, kind);
      await new Plan(peers, setup, findings, log).run(rounds, () => Date.now() - startedAt > LATE_MS);
    };
    await Promise.race([run().catch((error: unknown) => void findings.failures.push(textOf(error))), interrupted]);
    await setup.client.close();
  } finally {
    await plane.stop();
  }
  const minutes = Math.round((Date.now() - startedAt) / 60_000);
  const results = { machine: about, minutes, sizes, ...findings };
  writeFileSync(join(out, "benchmarks.json"), `${JSON.stringify(results, undefined, 2)}\n`);
  writePage(join(out, "benchmarks.md"), report(results));
  log(`wrote ${join(out, "benchmarks.md")}`);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
