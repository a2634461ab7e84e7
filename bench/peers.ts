/**
 * `npm run bench -- peers`: the same operator on Treadle and on controller-runtime, before one real etcd and kube-apiserver,
 * in turns. Writes docs/benchmarks.md (the part between its marks) and docs/benchmarks.json, or with BENCH_OUT=DIR both there.
 * BENCH_SIZE=small is for a look in a few minutes. Linux; Go for controller-runtime.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { crdOf, isKindNotServed } from "treadle";
import { type Client, connect } from "@treadle/client";
import { startControlPlane } from "../tools/controlplane/src/control-plane.ts";
import { Blob, Widget } from "./operators/kinds.ts";
import { auditFlags } from "./src/audit.ts";
import { buildControllerRuntime, buildTreadle } from "./src/build.ts";
import { createBlobs, createWidgets, deleteWidgets, dumbLoop } from "./src/load.ts";
import { measureCold, type Measured, measureEmpty, measureReconciling, measureSync, type Setup } from "./src/measures.ts";
import type { Peer } from "./src/operator.ts";
import { machine, report, type Results } from "./src/report.ts";

const SIZES = {
  full: { widgets: 2_000, blobs: 50_000, seconds: 30, perSecond: 200, concurrency: 5, restMs: 10_000, rounds: 3 },
  small: { widgets: 200, blobs: 2_000, seconds: 5, perSecond: 100, concurrency: 5, restMs: 3_000, rounds: 1 },
};
const size = process.env["BENCH_SIZE"] ?? "full";
if (size !== "full" && size !== "small") throw new Error(`BENCH_SIZE "${size}" is neither full nor small`);
const sizes = SIZES[size];
const out = process.env["BENCH_OUT"] ?? resolve(import.meta.dirname, "..", "docs");
const log = (line: string): void => console.log(`bench: ${line}`);

// So that the operators end with us.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));

const programs = { treadle: buildTreadle(), "controller-runtime": buildControllerRuntime() };
const about = machine();
const dir = mkdtempSync(join(tmpdir(), "treadle-bench-"));
const auditLog = join(dir, "audit.log");
const users = { treadle: "bench-treadle", "controller-runtime": "bench-controller-runtime" };
const flags = auditFlags(join(dir, "policy.json"), auditLog, Object.values(users));
try {
  await using plane = await startControlPlane({ log, apiServerFlags: flags });
  const user = async (name: keyof typeof users) => ({
    name,
    user: users[name],
    kubeconfig: await plane.addUser(users[name], ["system:masters"]),
  });
  const peers: Peer[] = [
    { ...(await user("treadle")), command: process.execPath, args: ["--expose-gc", programs.treadle] },
    { ...(await user("controller-runtime")), command: programs["controller-runtime"], args: [] },
  ];
  const client = await connect({ kubeconfig: plane.kubeconfigPath, fieldManager: "bench" });
  for (const kind of [Widget, Blob]) await install(client, kind);
  const results = await measure(peers, { ...sizes, client, kubeconfig: plane.kubeconfigPath, auditLog });
  await client.close();
  writeFileSync(join(out, "benchmarks.json"), `${JSON.stringify(results, undefined, 2)}\n`);
  writePage(join(out, "benchmarks.md"), report(results));
} finally {
  rmSync(dir, { recursive: true, force: true });
}

async function install(client: Client, kind: typeof Widget | typeof Blob): Promise<void> {
  const body = JSON.stringify(crdOf(kind));
  const headers = { "content-type": "application/json" };
  await client.raw({ method: "POST", path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", headers, body });
  const deadline = Date.now() + 60_000;
  for (;;) {
    try {
      await client.list(kind, { namespace: "default", limit: 1 });
      return;
    } catch (error) {
      if (!isKindNotServed(error) || Date.now() > deadline) throw error;
      await sleep(200);
    }
  }
}

async function measure(peers: readonly Peer[], setup: Setup): Promise<Results> {
  const rounds: Record<string, Measured[]> = Object.fromEntries(peers.map(({ name }) => [name, []]));
  const requests: Results["requests"] = {};
  const empty = new Map<string, { heap: number; rssMb: number }>();
  const dumbLoopMs: number[] = [];
  for (const peer of peers)
    for (const mode of ["cache", "metadata"] as const) empty.set(`${peer.name} ${mode}`, await measureEmpty(peer, mode, setup));
  for (let round = 0; round < sizes.rounds; round++) {
    await createWidgets(setup.client, setup.widgets);
    dumbLoopMs.push(await dumbLoop(setup.client, setup.widgets, setup.concurrency));
    await deleteWidgets(setup.client);
    for (const peer of peers) {
      const cold = await measureCold(peer, setup);
      const { measured, requests: counts } = await measureReconciling(peer, setup);
      requests[peer.name] ??= counts;
      rounds[peer.name]?.push({ ...cold, ...measured });
      log(`round ${round + 1}, ${peer.name}: ${JSON.stringify({ ...cold, ...measured })}`);
    }
  }
  await createBlobs(setup.client, setup.blobs);
  log(`${setup.blobs} Blobs are there`);
  for (let round = 0; round < sizes.rounds; round++) {
    for (const mode of ["cache", "metadata"] as const) {
      for (const peer of peers) {
        const measured = await measureSync(peer, mode, setup, empty.get(`${peer.name} ${mode}`) ?? { heap: 0, rssMb: 0 });
        for (const [name, value] of Object.entries(measured))
          Object.assign(rounds[peer.name]?.[round] ?? {}, { [`${mode}.${name}`]: value });
        log(`round ${round + 1}, ${peer.name}, ${mode}: ${JSON.stringify(measured)}`);
      }
    }
  }
  const { widgets, blobs, seconds, perSecond, concurrency } = setup;
  return { machine: about, sizes: { widgets, blobs, seconds, perSecond, concurrency, rounds: sizes.rounds }, rounds, requests, dumbLoopMs };
}

/** Replaces what is between the marks; what is written by hand around them stays. */
function writePage(file: string, text: string): void {
  const [begin, end] = ["<!-- generated by npm run bench -- peers -->", "<!-- end of the generated part -->"];
  const page = existsSync(file) ? readFileSync(file, "utf8") : `# Benchmarks\n\n${begin}\n${end}\n`;
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`${file} lacks the marks "${begin}" and "${end}"; nothing was written`);
  writeFileSync(file, `${before}${begin}\n\n${text}\n\n${end}${after}`);
  log(`wrote ${file}`);
}
