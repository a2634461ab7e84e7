/**
 * The fault suite: an operator's process behind every fault of `scenarios.ts`, before the in-memory API server and before a real
 * one, and an auditor's process that compares what each saw with what there was. Ends with 1 when something was missed,
 * invented, went backwards, or took longer than docs/operations.md promises.
 *
 *     node tools/faults/main.ts [--server memory|real]... [--only NAME]... [--long] [--seed N] [--at-once N] [--kubeconfig FILE]
 *
 * The real server is a control plane of its own, whose programs are ended, too; with `--kubeconfig` it is that cluster, and
 * these scenarios are left out. `--long` waits for deadlines with a real clock, and repeats everything `--rounds` times.
 */
import { parseArgs } from "node:util";
import { startControlPlane } from "../controlplane/src/control-plane.ts";
import { type Scenario, SCENARIOS } from "./scenarios.ts";
import { memoryServer, realServer, type Server } from "./server.ts";
import { runScenario } from "./session.ts";

const { values } = parseArgs({
  options: {
    server: { type: "string", multiple: true, default: ["memory", "real"] },
    only: { type: "string", multiple: true },
    long: { type: "boolean", default: false },
    rounds: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
    "at-once": { type: "string", default: "3" },
    kubeconfig: { type: "string" },
  },
});
const unknown = (values.only ?? []).filter((name) => SCENARIOS.every((scenario) => scenario.name !== name));
if (unknown.length > 0) throw new Error(`--only ${unknown.join(", ")}: there are ${SCENARIOS.map(({ name }) => name).join(", ")}`);
const [rounds, seed, atOnce] = [values.rounds, values.seed, values["at-once"]].map(Number) as [number, number, number];
if (![rounds, atOnce].every((number) => Number.isInteger(number) && number > 0))
  throw new Error("--rounds and --at-once are whole numbers from 1");
const problems: string[] = [];
const started = performance.now();
let passed = 0;

await Promise.all([...new Set(values.server)].map(onServer));
console.log(`faults: ${passed} scenarios passed in ${((performance.now() - started) / 1000).toFixed(1)} s, ${problems.length} problems`);
for (const problem of problems) console.error(`problem: ${problem}`);
process.exitCode = problems.length > 0 || passed === 0 ? 1 : 0;

async function onServer(name: string): Promise<void> {
  if (name === "memory") {
    await using server = await memoryServer();
    await all(server);
  } else if (name === "real" && values.kubeconfig !== undefined) {
    await using server = await realServer(values.kubeconfig);
    await all(server);
  } else if (name === "real") {
    await using plane = await startControlPlane();
    await using server = await realServer(plane.kubeconfigPath, plane);
    await all(server);
  } else throw new Error(`--server ${name}: there are memory and real`);
}

async function all(server: Server): Promise<void> {
  const wanted = SCENARIOS.filter(
    ({ name, isReal, isAlone }) =>
      (values.only === undefined || values.only.includes(name)) &&
      (isReal !== true || server.name === "real") &&
      (isAlone !== true || server.restart !== undefined),
  );
  for (let round = 0; round < rounds; round++) {
    // The longest first.
    const together = wanted.filter(({ isAlone }) => isAlone !== true).toSorted((a, b) => (b.speed ?? 0) - (a.speed ?? 0));
    const work = async (): Promise<void> => {
      for (let next = together.shift(); next !== undefined; next = together.shift()) await one(next, server, seed + round);
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    for (const scenario of wanted) if (scenario.isAlone === true) await one(scenario, server, seed + round);
  }
}

async function one(scenario: Scenario, server: Server, withSeed: number): Promise<void> {
  const where = `${server.name} ${scenario.name}`;
  try {
    const outcome = await runScenario(scenario, { server, seed: withSeed, isLong: values.long });
    const { recoveryMs, boundMs, changes, passes, unverified, lateMs } = outcome;
    const of = `${changes} changes, ${passes} passes${unverified === 0 ? "" : `, ${unverified} of times that the auditor missed`}`;
    const said = outcome.problems.length === 0 ? "all right" : `${outcome.problems.length} PROBLEMS`;
    console.log(
      `${where}: ${said}, seen within ${Math.round(recoveryMs)} ms of ${Math.round(boundMs)} (${of}; machine late by ${Math.round(lateMs)} ms)`,
    );
    if (outcome.problems.length === 0) passed++;
    problems.push(...outcome.problems.map((problem) => `${where} (seed ${withSeed}): ${problem}`));
  } catch (error) {
    problems.push(`${where} (seed ${withSeed}): ${error instanceof Error ? error.message : String(error)}`);
  }
}
