/**
 * `npm run bench -- pairs --before DIRECTORY --after DIRECTORY [--rounds 7] [--widgets 500] [--only passes]`: two checkouts of
 * Treadle, measured in turns on one machine. Prints the median of each and the median of the ratios of the pairs.
 * Both checkouts need their dependencies (`npm run setup`); their packages are compiled here.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { connect } from "@treadle/client";
import { startControlPlane } from "@treadle-workspace/tools/controlplane";
import { accounts, inCluster, tokenFlags } from "./src/accounts.ts";
import { auditFlags } from "./src/audit.ts";
import { buildTreadle } from "./src/build.ts";
import { install } from "./src/install.ts";
import { measureReconciling, type Measured } from "./src/measures.ts";
import type { Peer } from "./src/operator.ts";
import { Widget } from "./src/operators/kinds.ts";
import { median } from "./src/statistics.ts";

const SIDES = ["before", "after"] as const;
type Side = (typeof SIDES)[number];

/** The rows of the result: the name of a measure and what it says. */
const ROWS: Readonly<Record<string, string>> = {
  passUs: "a pass that changes nothing, us of the processor",
  dependentUs: "a settled dependent, us of the processor",
  convergeMs: "Widgets from nothing to Ready, ms",
  convergeCpuMs: "the same, processor time, ms",
  latencyP50Ms: "change to status, p50, ms",
  changesCpuMs: "all changes, processor time, ms",
  reconcilePeakMb: "highest resident memory, MB",
};

const { values } = parseArgs({
  options: {
    before: { type: "string" },
    after: { type: "string", default: resolve(import.meta.dirname, "..") },
    rounds: { type: "string", default: "7" },
    widgets: { type: "string", default: "500" },
    only: { type: "string" },
  },
});
const rounds = count("rounds", values.rounds);
const widgets = count("widgets", values.widgets);
if (values.before === undefined) throw new Error("name the checkouts: --before DIRECTORY --after DIRECTORY");
if (values.only !== undefined && values.only !== "passes") throw new Error(`--only is "${values.only}"; it can be "passes"`);
const checkouts: Readonly<Record<Side, string>> = { before: resolve(values.before), after: resolve(values.after) };
const measured: Record<Side, Measured[]> = { before: [], after: [] };

if (values.only === "passes") await inTurns((side) => passCosts(side));
else await onControlPlane();
print();
// A connection may still be open.
process.exit();

/** Each round measures both, and the first of a round is the second of the next. */
async function inTurns(measure: (side: Side) => Measured | Promise<Measured>): Promise<void> {
  for (let round = 0; round < rounds; round++)
    for (const side of round % 2 === 0 ? SIDES : SIDES.toReversed()) {
      measured[side].push(await measure(side));
      console.log(`round ${round + 1} of ${rounds}, ${side}: ${JSON.stringify(measured[side].at(-1))}`);
    }
}

function passCosts(side: Side): Measured {
  const program = join(import.meta.dirname, "src", "pass-costs.ts");
  const output = execFileSync(process.execPath, ["--conditions=@treadle/source", program, checkouts[side]], { encoding: "utf8" });
  return JSON.parse(output.trim().split("\n").at(-1) ?? "") as Measured;
}

async function onControlPlane(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "treadle-pairs-"));
  const known = accounts(SIDES);
  const auditLog = join(dir, "audit.log");
  const users = Array.from(known.values(), ({ user }) => user);
  const programs = { before: buildTreadle(checkouts.before), after: buildTreadle(checkouts.after) };
  const apiServerFlags = {
    ...auditFlags(join(dir, "policy.json"), auditLog, users),
    ...tokenFlags(join(dir, "tokens.csv"), known.values()),
  };
  const plane = await startControlPlane({ log: console.log, apiServerFlags });
  try {
    const client = await connect({ kubeconfig: plane.kubeconfigPath, fieldManager: "bench" });
    await install(client, Widget);
    const setup = {
      client,
      kubeconfig: plane.kubeconfigPath,
      auditLog,
      widgets,
      blobs: 0,
      seconds: 3,
      perSecond: 100,
      concurrency: 5,
      restMs: 500,
    };
    const peerOf = (side: Side): Peer => {
      const account = known.get(side);
      if (account === undefined) throw new Error(`${side} has no account`);
      const { user } = account;
      const env = inCluster(dir, account, plane.url, plane.kubeconfigPath);
      const args = ["--expose-gc", programs[side]];
      return { name: side, command: process.execPath, args, user, modes: ["reconcile"], hasEventLoop: true, env };
    };
    const peers = { before: peerOf("before"), after: peerOf("after") };
    await inTurns(async (side) => ({ ...passCosts(side), ...(await measureReconciling(peers[side], setup)).measured }));
    await client.close();
  } finally {
    await plane.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

function print(): void {
  console.log(`\n| measure | before | after | after / before |\n|---|---|---|---|`);
  for (const [name, about] of Object.entries(ROWS)) {
    const [before, after] = SIDES.map((side) => measured[side].map((each) => each[name] ?? Number.NaN));
    if (before === undefined || after === undefined || before.some(Number.isNaN)) continue;
    const ratios = after.map((value, round) => value / (before[round] ?? Number.NaN));
    console.log(`| ${about} | ${median(before).toFixed(1)} | ${median(after).toFixed(1)} | ${median(ratios).toFixed(3)} |`);
  }
}

function count(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} is "${text}"; it must be a whole number above 0`);
  return value;
}
